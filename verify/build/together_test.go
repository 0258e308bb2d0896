package build

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/translate"
)

func part(dir, name, text string, functions ...string) *translate.Unit {
	u := unit(dir, name, text)
	u.Functions = functions
	return u
}

// TestTogether: programs that define the same names are one executable, made by
// one call of the compiler and kept, of which each runs when it is asked for.
func TestTogether(t *testing.T) {
	tools := openSmall(t, t.TempDir())
	require.NoError(t, tools.Prepare(context.Background(), Plain))
	before := tools.compilations.Load()
	var programs []*Program
	for range 2 {
		dir := t.TempDir()
		var err error
		programs, err = tools.BuildTogether(context.Background(), Request{Dir: dir, Units: []*translate.Unit{
			part(dir, "a.cu", "#define N 1\nint f() { return N; }\nint main() { printf(\"%d\\n\", f()); return 0; }\n", "f"),
			part(dir, "b.cu", "#ifndef N\n#define N 2\n#endif\nint f() { return N; }\nint main(int argc, char **argv) { printf(\"%d %d\\n\", f(), argc); return 0; }\n", "f"),
		}})
		require.NoError(t, err)
		require.Len(t, programs, 2)
	}
	assert.Equal(t, before+2, tools.compilations.Load(), "one to compile, one to link")
	for i, want := range []string{"1\n", "2 1\n"} {
		c := exec.Command(programs[i].Path)
		c.Env = append(os.Environ(), PartVariable+"="+[]string{"1", "2"}[i])
		out, err := c.Output()
		require.NoError(t, err)
		assert.Equal(t, want, string(out))
		assert.Equal(t, i+1, programs[i].Part)
		assert.Len(t, programs[i].Files, 1)
	}
}

// TestMacrosOfTheCommandLineAreEachPartsOwn: where one part defines a macro unless the command line
// does, the others have the command line's, too.
func TestMacrosOfTheCommandLineAreEachPartsOwn(t *testing.T) {
	tools := openSmall(t, sharedCache)
	text := "#ifndef N\n#define N 1\n#endif\nint main() { printf(\"%d\\n\", N); return 0; }\n"
	dir := t.TempDir()
	programs, err := tools.BuildTogether(context.Background(), Request{Dir: dir, Defines: []string{"N=3"},
		Units: []*translate.Unit{part(dir, "a.cu", text), part(dir, "b.cu", text)}})
	require.NoError(t, err)
	for i, p := range programs {
		c := exec.Command(p.Path)
		c.Env = append(os.Environ(), PartVariable+"="+[]string{"1", "2"}[i])
		out, err := c.Output()
		require.NoError(t, err)
		assert.Equal(t, "3\n", string(out))
	}
}

// TestTogetherRefusesHiddenNames: a function that is declared outside of the part
// as well would hide the others of its name, and another one might be called.
func TestTogetherRefusesHiddenNames(t *testing.T) {
	tools := openSmall(t, sharedCache)
	for text, functions := range map[string][]string{
		"double abs(char c) { return c; }\nint main() { return (int)abs(-1); }\n":                            {"abs"},
		"#include <utility>\nusing namespace std;\nvoid swap(char &, char &) {}\nint main() { return 0; }\n": {"swap"},
	} {
		dir := t.TempDir()
		_, err := tools.BuildTogether(context.Background(), Request{Dir: dir, Units: []*translate.Unit{part(dir, "a.cu", text, functions...)}})
		var refused *CompileError
		assert.ErrorAs(t, err, &refused, text)
	}
}
