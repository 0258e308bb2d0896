package acc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBodiesOfGangs has bodies of a gang's loop with a loop for vector lanes among other
// statements: which of them a thread block can run, and where its threads wait.
func TestBodiesOfGangs(t *testing.T) {
	const lane = "for (int j = threadIdx.x; j < m; j += blockDim.x)"
	for _, c := range []struct {
		name, outer, body string
		want              []string // lines in this order, of a block that shares the loop; nil where it can't
		why               string   // it can't
	}{
		{"a sum", "gang", "double s = 0;\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\nb[i][0] = s;",
			[]string{"double s = 0;\n        " + lane, "s = acc_each_sum_double(s);", "if (threadIdx.x == 0) {", "b[i][0] = s;"}, ""},
		{"a sum that goes on", "gang", "double s = a[i][1];\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\nb[i][0] = s;",
			[]string{"double s = a[i][1];", "if (threadIdx.x > 0)", "s = 0;", lane, "s = acc_each_sum_double(s);"}, ""},
		{"a sum behind another one", "gang", "double s = 0;\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += c[i][j];\nb[i][0] = s;",
			[]string{"double s = 0;\n        " + lane, "s = acc_each_sum_double(s);", "if (threadIdx.x > 0)", "s = 0;", lane, "s = acc_each_sum_double(s);"}, ""},
		{"a largest one", "", "double s = a[i][0];\n#pragma acc loop worker reduction(max:s)\nfor (int j = 0; j < m; j++) s = a[i][j] > s ? a[i][j] : s;\nb[i][0] = s;",
			[]string{"double s = a[i][0];", lane, "s = acc_each_max_double(s);", "if (threadIdx.x == 0) {"}, ""},
		{"what one wrote, all read", "gang", "b[i][0] = a[i][1];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) c[i][j] = b[i][0];",
			[]string{"if (threadIdx.x == 0) {", "b[i][0] = a[i][1];", "}", "__syncthreads();", lane}, ""},
		{"what nobody writes", "gang", "double s = b[i][0];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) c[i][j] = b[i][0] + s;",
			[]string{"double s = b[i][0];", lane}, ""},
		{"what some read before others write", "gang", "#pragma acc loop vector\nfor (int j = 0; j < m; j++) c[i][j] = a[i][0];\na[i][0] = 3;",
			[]string{lane, "}", "__syncthreads();", "if (threadIdx.x == 0) {", "a[i][0] = 3;"}, ""},
		{"steps", "gang", "for (int k = 0; k < n; k++) {\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) a[i][j] += k;\n}",
			[]string{"for (int k = 0; k < n; k++) {", lane, "}", "__syncthreads();", "}"}, ""},
		{"what all decide alike", "gang", "if (b[i][0] > 1) {\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = 2;\n} else c[i][0] = 3;",
			[]string{"if (b[i][0] > 1) {", "__syncthreads();", lane, "} else {", "if (threadIdx.x == 0) {", "c[i][0] = 3;"}, ""},
		{"a pointer to the row", "gang", "double *row = a[i];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) row[j] = 2;\nb[i][0] = a[i][0];",
			[]string{"double *row = a[i];", lane, "}", "__syncthreads();", "if (threadIdx.x == 0) {"}, ""},
		{"an atomic operation of one thread", "gang", "double s = 0;\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\n#pragma acc atomic\nc[0][0] += s;",
			[]string{lane, "if (threadIdx.x == 0) {", "acc_atomic_add_double(&c[0][0], s);"}, ""},

		{"a loop of one thread", "gang", "int k;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = j;\nfor (k = 0; k < 3; k++) c[i][k] = b[i][m - k - 1];",
			[]string{"int k;", lane, "__syncthreads();", "if (threadIdx.x == 0) {", "for (k = 0; k < 3; k++) c[i][k] = b[i][m - k - 1];"}, ""},
		{"workers with lanes", "gang worker", "double s = 0;\n#pragma acc loop vector reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\nb[i][0] = s;",
			[]string{lane, "s = acc_each_sum_double(s);"}, ""},

		{"lanes beside lanes", "gang vector", "double s = 0;\n#pragma acc loop seq\nfor (int j = 0; j < m; j++) s += a[i][j];\nb[i][0] = s;", nil, ""},
		{"no lanes", "gang", "double s = 0;\n#pragma acc loop reduction(+:s)\nfor (int j = 0; j < m; j++) s += a[i][j];\nb[i][0] = s;", nil, ""},
		{"an array of the iteration", "gang", "double s[4];\ns[i % 4] = 1;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) a[i][j] = s[i % 4];",
			[]string{"__shared__ double s[4];", "if (threadIdx.x == 0) {", "s[i % 4] = 1;", "}", "__syncthreads();", lane, "}", "__syncthreads();"}, ""},
		{"an array that lanes fill", "gang", "double s[50];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) s[j] = a[i][j];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = s[m - 1 - j];\nc[i][0] = 1;",
			[]string{"__shared__ double s[50];", lane, "__syncthreads();", lane, "if (threadIdx.x == 0) {", "__syncthreads();"}, ""},
		{"an array of each lane", "gang", "b[i][0] = 1;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) { double s[2]; s[0] = a[i][j]; s[1] = j; a[i][j] = s[0] + s[1]; }",
			[]string{"if (threadIdx.x == 0) {", lane, "double s[2];"}, ""},
		{"an array that one thread has", "gang", "{ double s[2]; s[0] = a[i][0]; s[1] = a[i][1]; b[i][0] = s[0] + s[1]; }\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) c[i][j] = j;",
			[]string{"if (threadIdx.x == 0) {", "            {", "double s[2];", lane}, ""},
		{"an array that lanes would share by mistake", "gang", "double s[2];\nb[i][0] = 1;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) { s[0] = a[i][j]; a[i][j] = s[0] + 1; }", nil, "iterations may write the same element s[0]"},
		{"an array with a first value", "gang", "double s[2] = {1, 2};\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) a[i][j] = s[i % 2];", nil, "the iteration's array s has a first value"},
		{"an array that is too large", "gang", "double s[9000];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) s[j] = a[i][j];\nb[i][0] = s[1];", nil, "the iteration's array s is not known to fit into shared memory"},
		{"memory and a variable", "gang", "double s;\na[i][0] = s = 3;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = s;", nil, "writes both memory and a variable"},
		{"a call", "gang", "double s = twice(i);\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = s;", nil, "calls a function of the program"},
		{"the last value of a lane", "gang", "double s = 1;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) { s = a[i][j]; b[i][j] = s; }\nc[i][0] = s;", nil, "what its last iteration leaves in s is needed after it"},
		{"the counter after it", "gang", "int k;\n#pragma acc loop vector\nfor (k = 0; k < m; k++) b[i][k] = 1;\nc[i][0] = k;", nil, "leaves in k is needed after it"},
		{"a loop that depends on data", "gang", "int k = 0;\nwhile (a[i][k] > 0) {\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = k;\nk++;\n}", nil, "threads do not go through the statement around it together"},
		{"the next iteration", "gang", "if (a[i][0] > 1) continue;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = 1;", nil, "continue goes to the next iteration"},
		{"a pointer that moves", "gang", "double *row;\nrow = a[i];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = row[j];", nil, "gives a pointer another value"},
		{"what others change meanwhile", "gang", "double s;\n#pragma acc atomic read\ns = c[0][0];\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) b[i][j] = s;", nil, "reads what other thread blocks change meanwhile"},
		{"a value for the next step", "gang", "double s = 0;\nfor (int k = 0; k < n; k++) {\nb[i][k] = s;\n#pragma acc loop vector\nfor (int j = 0; j < m; j++) s = a[i][j];\n}", nil, "leaves in s is needed after it"},
		{"a bound that its lanes change", "gang", "#pragma acc loop vector\nfor (int j = (int)b[i][0]; j < m; j++) b[i][j] = 1;", nil, "may change what its bounds are read from"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", fmt.Sprintf("static double twice(double x) { return 2 * x; }\nvoid f(int n, int m, double a[50][50], double b[50][50], double c[50][50], int x[50])\n{\n#pragma acc parallel loop %s copy(a[0:50], b[0:50], c[0:50], x[0:50])\nfor (int i = 0; i < n; i++) {\n%s\n}\n}\n", c.outer, c.body))
			require.NoError(t, err)
			_, kernel, _ := strings.Cut(string(res.Text), "__global__")
			kernel, _, _ = strings.Cut(kernel, "\n}\n")
			if c.want == nil {
				assert.NotContains(t, kernel, "__syncthreads")
				assert.NotContains(t, kernel, "= threadIdx.x")
				if c.why != "" {
					assert.Contains(t, messages(res, nil), "acc-sequential: this loop runs in the order of the C program: ")
					assert.Contains(t, messages(res, nil), c.why)
				}
				return
			}
			assert.Empty(t, messages(res, nil))
			assert.Contains(t, kernel, "for (int i = blockIdx.x; i < n; i += gridDim.x)")
			assert.Contains(t, string(res.Text), "<<<acc_blocks(n, 1), 128>>>")
			rest := kernel
			for _, line := range c.want {
				_, behind, ok := strings.Cut(rest, line)
				require.True(t, ok, "%q is not behind what stands before it in\n%s", line, kernel)
				rest = behind
			}
			waits := strings.Count(strings.Join(c.want, "\n"), "__syncthreads();")
			assert.Equal(t, waits, strings.Count(kernel, "__syncthreads();"), kernel)
		})
	}
}

// TestPrivateArraysAreWhereTheirClauseSays has an array that a loop of gangs names in private in shared
// memory, one that a loop of lanes names in each thread.
func TestPrivateArraysAreWhereTheirClauseSays(t *testing.T) {
	kernel := func(gang, lane, body string) string {
		res, err := translate(t, "in.c", fmt.Sprintf("void f(double a[50][50])\n{\n    double row[50];\n#pragma acc parallel loop gang num_gangs(3) %s copy(a[0:50])\n    for (int i = 0; i < 50; i++) {\n        a[i][0] += 1;\n#pragma acc loop vector %s\n        for (int j = 0; j < 50; j++) {\n            %s\n        }\n#pragma acc loop vector %[2]s\n        for (int j = 0; j < 50; j++)\n            a[i][j] = row[j];\n    }\n}\n", gang, lane, body))
		require.NoError(t, err)
		_, text, _ := strings.Cut(string(res.Text), "__global__")
		text, _, _ = strings.Cut(text, "\n}\n")
		return text
	}
	of := kernel("private(row)", "", "row[j] = a[i][j];")
	assert.Contains(t, of, "    __shared__ double row[50];\n\n    for (int i = blockIdx.x;")
	assert.True(t, strings.HasSuffix(of, "__syncthreads();\n    }"), "the next iteration has it, too:\n%s", of)
	of = kernel("", "private(row)", "row[j] = a[i][j];")
	assert.Contains(t, of, "\n    double row[50];\n\n    for (int i = blockIdx.x;")
	of = kernel("private(row)", "private(row)", "row[j] = a[i][j];")
	assert.Contains(t, of, "\n    double row[50];\n\n    for (int i = blockIdx.x;", "that of the gang is not used")
	of = kernel("", "private(row)", "row[j] = a[i][j];\n        }\n        row[0] = 1;\n        for (int j = 0; j < 50; j++) {\n")
	assert.NotContains(t, of, "threadIdx.x == 0", "one beside those of the lanes")
}
