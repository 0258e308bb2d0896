package acc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestReductionsThatNoClauseSays: what loops do to a variable whose value counts after them, and the operator that is implied; "" where
// something else than one operator has to do with it.
func TestReductionsThatNoClauseSays(t *testing.T) {
	for body, op := range map[string]string{
		"s += a[i];":                                  "+",
		"s = a[i] + s;":                               "+",
		"s -= a[i];":                                  "+",
		"if (a[i] > 2) s++;":                          "+",
		"s *= a[i];":                                  "*",
		"s = fmax(s, a[i]);":                          "max",
		"s = fminf(a[i], (s));":                       "min",
		"if (a[i] > s) s = a[i];":                     "max",
		"if (s >= a[i]) { s = a[i]; }":                "min",
		"{ double d = a[i] / 2; if (d > s) s = d; }":  "max",
		"s = a[i] - s;":                               "",
		"s = s + s;":                                  "",
		"s += a[(int)s % 4];":                         "",
		"if (s > 2) s += a[i];":                       "",
		"if (a[i] > s) s = a[i] + 1;":                 "",
		"if (a[i] > s) s = a[i]; else s = 0;":         "",
		"if (a[i] > s) { s = a[i]; b[0] = i; }":       "",
		"if (s > 2) s = fmax(s, a[i]);":               "",
		"while (s < a[i]) s += 1;":                    "",
		"{ s += a[i]; b[i] = s; }":                    "",
		"{ s += a[i]; s = fmax(s, 2); }":              "",
		"for (int j = 0; j < (int)s; j++) s += a[j];": "",
		"b[i] = s += a[i];":                           "",
		"s = fmax(s, s - a[i]);":                      "",
		"s = fmod(s, a[i]);":                          "",
	} {
		t.Run(body, func(t *testing.T) {
			for _, directive := range []string{"parallel loop", "kernels loop independent"} {
				text := fmt.Sprintf("#include <math.h>\ndouble f(int n, double *a, double *b)\n{\n    double s = 1;\n#pragma acc %s copyin(a[0:n]) copy(b[0:n])\n    for (int i = 0; i < n; i++) %s\n    return s;\n}\n", directive, body)
				res, err := translate(t, "in.c", text)
				implied := ""
				if err == nil {
					for _, m := range res.Messages {
						if m.Code == "acc-implied" {
							implied = strings.TrimSuffix(strings.TrimPrefix(m.Text, "s is reduced by "), ", which no clause says")
						}
					}
				}
				assert.Equal(t, op, implied, directive)
				if op == "" && directive == "parallel loop" {
					assert.ErrorContains(t, err, "acc-", "its value would be lost")
				}
			}
		})
	}
}

// TestKernelsReduceWhatNeedsNoOrder: in a kernels construct sums of floating-point numbers keep the order of the C program.
func TestKernelsReduceWhatNeedsNoOrder(t *testing.T) {
	for text, implied := range map[string]bool{
		"int s = 0;\n#pragma acc kernels loop copyin(a[0:n])\n    for (int i = 0; i < n; i++) s += (int)a[i];\n":                                              true,
		"double s = 0;\n#pragma acc kernels loop copyin(a[0:n])\n    for (int i = 0; i < n; i++) s = fmax(s, a[i]);\n":                                        true,
		"int s = 0;\n#pragma acc kernels loop copyin(a[0:n])\n    for (int i = 0; i < n; i++) s += a[i];\n":                                                   false, // truncated each time
		"double s = 0;\n#pragma acc kernels loop copyin(a[0:n])\n    for (int i = 0; i < n; i++) s += a[i];\n":                                                false,
		"double s = 0;\n#pragma acc serial loop copyin(a[0:n]) copy(s)\n    for (int i = 0; i < n; i++) s += a[i];\n":                                         false,
		"double s = 0;\n#pragma acc parallel loop copyin(a[0:n]) copy(s)\n    for (int i = 0; i < n; i++) {\n#pragma acc atomic\n        s += a[i];\n    }\n": false,
	} {
		res, err := translate(t, "in.c", "#include <math.h>\ndouble f(int n, double *a)\n{\n    "+text+"    return s;\n}\n")
		if assert.NoError(t, err, text) {
			assert.Equal(t, implied, strings.Contains(fmt.Sprint(res.Messages), "acc-implied"), text)
		}
	}
}
