package rewrite_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

const turnAround = `__global__ void turn_around(float *in_out) {
    __shared__ float row_of_64[64];
    const int index_of = blockIdx.x * 64 + threadIdx.x;
    row_of_64[threadIdx.x] = in_out[index_of];
    __syncthreads();
    in_out[index_of] = row_of_64[63 - threadIdx.x];
}
`

// TestNoNameOfTheRuntimeMeetsAMacro: whatever of the runtime's names a program has macros for, its emitted text
// has none of them but where they are defined.
func TestNoNameOfTheRuntimeMeetsAMacro(t *testing.T) {
	names := slices.Sorted(maps.Keys(runtime.Names()))
	require.Greater(t, len(names), 100)
	var lines, flags []string
	for _, name := range names {
		lines = append(lines, "#define "+name+" 7\n")
		flags = append(flags, name+"=7")
	}
	defines := strings.Join(lines, "")
	const launch = "void run(float *in_out) { turn_around<<<8, 64>>>(in_out); }\n"
	for name, c := range map[string]struct {
		files map[string]string
		flags []string
		all   bool // names that are used in the runtime alone change, too
	}{
		"in the file":            {files: map[string]string{"a.cu": defines + turnAround + launch}},
		"between uses":           {files: map[string]string{"a.cu": turnAround + defines + launch}},
		"on the command line":    {files: map[string]string{"a.cu": turnAround + launch}, flags: flags, all: true},
		"in the including file":  {files: map[string]string{"a.cu": defines + "#include \"k.cuh\"\nint main() {}\n", "k.cuh": turnAround + launch}, all: true},
		"behind another runtime": {files: map[string]string{"a.cu": defines + "#include \"k.cuh\"\n" + launch, "k.cuh": turnAround}},
	} {
		for _, variant := range []rewrite.Variant{{Rewriter: "vtb"}, {Rewriter: "vtb", Sync: "block"}, {Rewriter: "dyn"}, {Rewriter: "merge"}} {
			t.Run(fmt.Sprint(name, " ", variant), func(t *testing.T) {
				prog, errs := parser.LoadProgram(slices.Sorted(maps.Keys(c.files)), parser.Options{Defines: c.flags, ReadFile: func(name string) ([]byte, error) {
					text, ok := c.files[name]
					if !ok {
						return nil, fmt.Errorf("no file %s", name)
					}
					return []byte(text), nil
				}})
				require.Empty(t, errs)
				res, err := rewrite.Run(prog, rewrite.Options{Variant: variant})
				require.NoError(t, err)
				require.NotEmpty(t, res.Files)
				for _, f := range res.Files {
					text := string(f.After)
					if !c.all { // the runtime stands before the macros
						_, text, _ = strings.Cut(text, "}  // namespace smux\n")
						text = text[strings.LastIndex(text, " 7\n")+1:]
					}
					text = notNames.ReplaceAllString(text, "")
					for _, word := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
						assert.False(t, runtime.Names()[word], "%s: %s is a macro", f.Name, word)
					}
				}
			})
		}
	}
}

// notNames are comments, strings and directives.
var notNames = regexp.MustCompile(`(?m)//.*$|"(?:\\.|[^"])*"|'[^']*'|^[ \t]*#.*$`)

// TestOtherMacrosLeaveTheRuntimeAsItIs: of a macro with a name that emitted text uses nowhere, nothing is seen.
func TestOtherMacrosLeaveTheRuntimeAsItIs(t *testing.T) {
	emitted := func(macro string) string {
		f, err := parser.Parse("a.cu", []byte("#define "+macro+" 7\n"+turnAround+"void run(float *in_out) { turn_around<<<8, 64>>>(in_out); }\n"), parser.Options{})
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{})
		require.NoError(t, err)
		require.Len(t, res.Files, 1)
		return strings.Replace(string(res.Files[0].After), "#define "+macro+" 7", "#define OTHER 7", 1)
	}
	plain := emitted("OTHER")
	assert.Equal(t, plain, emitted("N"), "the runtime stands before the macro")
	assert.NotEqual(t, plain, emitted("block"))
}
