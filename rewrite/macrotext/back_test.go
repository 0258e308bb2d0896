package macrotext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

const made = `#define SIZE 4
#define MAKE(name, T, n) \
    __global__ void name(T *a) \
    { \
        a[threadIdx.x] = n; /* each */ \
    }
#define BOTH(name) MAKE(name##_f, float, 1) MAKE(name##_d, double, 2)

BOTH(k)
MAKE(own, int, SIZE) // by itself
MAKE(last,
     char,
     3)
int after;
`

// TestChangesGoWhereTheirTextIsSpelled gives what became of the text that is written out,
// by replacements in it, and what is to become of the text that was written.
func TestChangesGoWhereTheirTextIsSpelled(t *testing.T) {
	for _, tt := range []struct {
		name     string
		replace  []string // in the text that is written out, old and new
		want     []string // in the original; nothing where it is refused
		refusals string
	}{
		{"nothing", nil, nil, ""},
		{"in the body, for all", []string{"a[threadIdx.x] =", "a[blockIdx.x] ="}, []string{"a[threadIdx.x]", "a[blockIdx.x]"}, ""},
		{"what differs as the arguments do", []string{
			"{ a[threadIdx.x] = 1; }", "{ float b = 1; a[threadIdx.x] = b; }",
			"{ a[threadIdx.x] = 2; }", "{ double b = 2; a[threadIdx.x] = b; }",
			"{ a[threadIdx.x] = SIZE; }", "{ int b = SIZE; a[threadIdx.x] = b; }",
			"{ a[threadIdx.x] = 3; }", "{ char b = 3; a[threadIdx.x] = b; }",
		}, nil, "an argument"},
		{"behind what stays", []string{
			"= 1; }", "= 1; float b = 1; }", "= 2; }", "= 2; double b = 2; }", "= SIZE; }", "= SIZE; int b = SIZE; }", "= 3; }", "= 3; char b = 3; }",
		}, []string{"= n; /* each */", "= n; T b = n; /* each */"}, ""},
		{"in one use alone", []string{"= SIZE; }", "= SIZE; a[0] = 0; }"}, nil, "in different ways"},
		{"differently", []string{"= 1; }", "= 1; a[0] = 0; }", "= 2; }", "= 2; a[1] = 0; }", "= SIZE; }", "= SIZE; a[2] = 0; }", "= 3; }", "= 3; a[3] = 0; }"}, nil, "need different text"},
		{"beside the uses", []string{"int after;", "int behind;", "#define SIZE 4\n", "#include \"x\"\n#define SIZE 4\n"}, []string{"int after;", "int behind;", "#define SIZE 4\n", "#include \"x\"\n#define SIZE 4\n"}, ""},
		{"between the uses", []string{" // by itself", " // alone\nint more;"}, []string{" // by itself", " // alone\nint more;"}, ""},
		{"a line of its own", []string{"] = ", "] =\n// why\n0 + "}, []string{"] = n;", "] = \\\n        /* why */ \\\n        0 + n;"}, ""},
		{"a name that is put together", []string{"void k_f", "void other"}, nil, "begins or ends|argument|lies between"},
		{"a parameter's name", []string{"= 1;", "= 1 + T ;", "= 2;", "= 2 + T ;", "= SIZE;", "= SIZE + T ;", "= 3;", "= 3 + T ;"}, nil, "in different ways"},
		{"a directive", []string{"{ a", "{\n#if 1\n a"}, nil, "needs a directive"},
		{"a pragma", []string{"{ a", "{\n#pragma unroll\na"}, []string{"    { \\\n", "    { \\\n        _Pragma(\"unroll\") \\\n"}, ""},
		{"a use that goes", []string{"__global__ void own(int *a) { a[threadIdx.x] = SIZE; }", ""}, nil, "at an end of the text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := parser.Parse("k.cu", []byte(made), parser.Options{})
			require.NoError(t, err)
			require.Len(t, f.MacroUses(), 3)
			prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
			text := string(prog.Files[0].Src)
			uses := strings.Index(text, "\n\n")
			text = strings.NewReplacer(tt.replace...).Replace(text[:uses]) + strings.NewReplacer(tt.replace...).Replace(text[uses:])
			if tt.name != "beside the uses" { // the definitions have some of the text, too
				text = string(prog.Files[0].Src)[:uses] + text[strings.LastIndex(text, "\n\n__global__"):]
			}
			require.Equal(t, len(tt.replace) == 0, text == string(prog.Files[0].Src), "the text is\n%s", text)
			out, err := Back(prog, map[string][]byte{"k.cu": []byte(text)})
			if tt.refusals != "" {
				var refused *Error
				require.ErrorAs(t, err, &refused)
				assert.Regexp(t, tt.refusals, refused.Text)
				assert.NotZero(t, refused.Pos.Line)
				return
			}
			require.NoError(t, err)
			want := strings.NewReplacer(tt.want...).Replace(made)
			if want == made {
				assert.Empty(t, out)
			} else {
				assert.Equal(t, want, string(out["k.cu"]))
			}
		})
	}
}

func TestMacrosThatFilesOutOfSightMayUseStay(t *testing.T) {
	texts := map[string]string{
		"k.cuh":  "#define MAKE(name) __global__ void name(int *a) { a[0] = 1; }\n",
		"a.cu":   "#include \"k.cuh\"\nMAKE(k)\n",
		"use.cu": "#define MAKE(name) __global__ void name(int *a) { a[0] = 1; }\nMAKE(k)\n#define KEEP(x) MAKE(x)\nint KEEP;\n",
	}
	opt := parser.Options{ReadFile: func(name string) ([]byte, error) { return []byte(texts[name]), nil }}
	for named, says := range map[string]string{"a.cu": "not named", "a.cu k.cuh": "in a header", "use.cu": "is also used here"} {
		prog, errs := parser.LoadProgram(strings.Fields(named), opt)
		require.Empty(t, errs)
		f := prog.Files[0]
		_, err := Back(prog, map[string][]byte{f.Name: []byte(strings.Replace(string(f.Src), "{ a[0] = 1; }", "{ a[0] = 2; }", 1) + "// changed\n")})
		if named == "use.cu" { // the definition has that text, too
			_, err = Back(prog, map[string][]byte{f.Name: []byte(strings.ReplaceAll(string(f.Src), "k(int *a) { a[0] = 1; }", "k(int *a) { a[0] = 2; }"))})
		}
		require.ErrorContains(t, err, says, named)
	}
}
