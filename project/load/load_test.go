package load

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/rewrite"
)

// in makes files in a new working directory.
func in(t *testing.T, files map[string]string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	files[".git/HEAD"] = "" // nothing above it counts
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
}

// speaking is a console whose messages can be read.
func speaking(stdin string) (c *console.Console, messages *bytes.Buffer) {
	messages = &bytes.Buffer{}
	c = console.New(strings.NewReader(stdin), &bytes.Buffer{}, messages)
	c.IsTerminal = func(any) bool { return false }
	return c, messages
}

const kernel = "__global__ void k(float *a) { a[0] = 1; }\n"

func TestAFileThatCannotBeReadDoesNotStopTheOthers(t *testing.T) {
	in(t, map[string]string{"a.cu": kernel, "folder/x": ""})
	c, messages := speaking(kernel)
	prog, _, err := Files(c, []string{"gone.cu", "a.cu", "folder", "./a.cu", "-"}, Options{})
	require.NoError(t, err)
	require.Len(t, prog.Files, 2)
	assert.Equal(t, "a.cu", prog.Files[0].Name)
	assert.Equal(t, "<stdin>", prog.Files[1].Name)
	assert.Equal(t, diag.ExitUsage, c.Code)
	require.Len(t, c.Unread, 2, "for documents")
	assert.Equal(t, CodeMissingFile, c.Unread[0].Code)
	assert.Equal(t, CodeDirectory, c.Unread[1].Code)
	assert.Contains(t, messages.String(), "gone.cu: missing-file: there is no such file")
}

func TestProgramsOfATreeHaveTheirSettings(t *testing.T) {
	in(t, map[string]string{
		"a/k.cu": "#include \"k.cuh\"\n__global__ void other() {}\n", "a/inc/k.cuh": kernel,
		"a/.smux.yaml": "include: [inc]\ndefine: [A=1]\n",
		"b/k.cu":       kernel, "b/test.cu": kernel, ".smux.yaml": "exclude: [test.cu, d]\n",
		"d/k.cuh": kernel + "// another\n", // so that no setting means no header: there are two
		"c/k.cu":  kernel, "c/.smux.yaml": "inclde: [inc]\n",
	})
	c, messages := speaking("")
	line := c.NewProgress()
	defer line.End()
	opt := Options{Settings: &SettingsSource{}}
	programs, err := Find(t.Context(), c, []string{"..."}, opt, Tree{Jobs: 2}, line)
	require.NoError(t, err)
	require.Len(t, programs, 3)
	programs, err = Configure(c, programs, opt)
	require.NoError(t, err)
	require.Len(t, programs, 2, "c has wrong settings")
	assert.Contains(t, messages.String(), "c/.smux.yaml:1:1")
	assert.Equal(t, []string{"a/inc/k.cuh", "a/k.cu"}, programs[0].Files, "linked by what a setting says")
	assert.Equal(t, []string{"b/k.cu"}, programs[1].Files)

	prog, whole, err := programs[0].Parse(c, []string{"other"})
	require.NoError(t, err, "of a tree each program has only some kernels")
	assert.Len(t, prog.Files, 2)
	assert.Equal(t, []string{"A=1"}, whole.Defines)

	programs, err = Find(t.Context(), c, []string{"..."}, Options{Settings: &SettingsSource{None: true}}, Tree{Jobs: 2}, line)
	require.NoError(t, err)
	assert.Len(t, programs, 6, "without settings nothing is excluded, linked or wrong")
}

func TestACompilationDatabaseSaysHowAFileIsRead(t *testing.T) {
	in(t, map[string]string{
		"k.cu":                        "#ifdef ON\n" + kernel + "#endif\n",
		"build/compile_commands.json": `[{"directory": "..", "file": "k.cu", "command": "nvcc -DON -arch=sm_80 -Iinc k.cu"}]`,
	})
	c, _ := speaking("")
	programs, err := Find(t.Context(), c, []string{"k.cu"}, Options{CompileCommands: "build"}, Tree{}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"sm_80"}, programs[0].Architectures())
	prog, whole, err := programs[0].Parse(c, []string{"k"})
	require.NoError(t, err)
	assert.Equal(t, []string{"ON"}, whole.Defines)
	assert.Equal(t, []string{"inc"}, whole.IncludeDirs)
	assert.Len(t, prog.Files[0].Functions, 1)
}

func TestKernelsAreSelectedByName(t *testing.T) {
	in(t, map[string]string{"k.cu": kernel + strings.ReplaceAll(kernel, " k(", " other(")})
	c, _ := speaking("")
	sel, err := Kernels(c, []string{"k.cu"}, Options{}, rewrite.Options{Kernels: []string{"o*"}})
	require.NoError(t, err)
	require.Len(t, sel.Kernels, 1)
	assert.Equal(t, "other", sel.Kernels[0].Name)
	_, err = Kernels(c, []string{"k.cu"}, Options{}, rewrite.Options{Kernels: []string{"othr"}})
	require.ErrorContains(t, err, `--kernel "othr" is not a kernel of these files`)
}

func TestAFileWithoutAMainIsRunByTheOneThatIncludesIt(t *testing.T) {
	in(t, map[string]string{
		"k.cu": kernel, "main.cu": "#include \"k.cu\"\nint main() { k<<<1, 1>>>(0); }\n", "far.cu": "int main() {} // k.cu\n",
		"two.cu": kernel, "m1.cu": "#include \"two.cu\"\nint main() {}\n", "m2.cu": "#include \"two.cu\"\nint main() {}\n",
	})
	assert.Equal(t, "main.cu", Runner("k.cu", Options{}))
	assert.Empty(t, Runner("two.cu", Options{}), "either could be meant")
	assert.Empty(t, Runner("main.cu", Options{}), "it runs by itself")
	assert.Empty(t, Twice([]string{"k.cu", "main.cu"}, Options{}))
}

func TestFilesAreOneProgramUnlessTwoDefineTheSame(t *testing.T) {
	in(t, map[string]string{
		"lib.cu": kernel + "void run(int n) { k<<<n, 1>>>(0); }\n", "app.cu": "void run(int);\nint main() { run(3); }\n",
		"other.cu": "int main() { if (1) { } }\n", "again.cu": kernel + "int main() { k<<<1, 1>>>(0); run(2); }\n",
		"launches.cu": "int main() { k<<<1, 1>>>(0); }\n",
	})
	for name, text := range map[string]string{
		"launcher.cu": "void k(int *a);\nvoid start(int n) { k<<<n, 1>>>(0); }\n", "start.cu": "void start(int m) { }\n", "double.cu": "void start(double m) { }\n",
		"ops.cu":    "struct adder { void start(int n) { } };\nstatic void start(int n) { }\n__device__ int one(int n) { return n; }\n",
		"more.cu":   "__device__ int one(int n) { return n; }\n",
		"static.cu": "static " + kernel + "void one(int n) { k<<<n, 1>>>(0); }\n", "named.cu": "namespace a { " + kernel + "}\nvoid two(int n) { a::k<<<n, 1>>>(0); }\n", "again2.cu": "static " + kernel + "void three();\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, c := range []struct {
		files []string
		twice string
	}{
		{[]string{"lib.cu", "app.cu"}, ""},
		{[]string{"launches.cu", "lib.cu"}, ""},
		{[]string{"lib.cu", "other.cu"}, ""},
		{[]string{"lib.cu", "launcher.cu"}, ""},
		{[]string{"lib.cu", "launcher.cu", "other.cu"}, ""},
		{[]string{"app.cu", "other.cu"}, "main"},
		{[]string{"lib.cu", "again.cu"}, "k"},
		{[]string{"lib.cu", "launcher.cu", "again.cu"}, "k"},
		{[]string{"launcher.cu", "start.cu"}, "start(int)"},
		{[]string{"launcher.cu", "double.cu"}, ""},
		{[]string{"launcher.cu", "ops.cu", "more.cu"}, ""},
		{[]string{"other.cu", "static.cu", "named.cu"}, ""},
		{[]string{"other.cu", "static.cu", "again2.cu"}, ""},
		{[]string{"static.cu", "again2.cu"}, "k"}, // no program: one text twice
		{[]string{"lib.cu"}, ""},
		{[]string{"lib.cu", "lib.cu"}, "k"},
		{[]string{"lib.cu", "missing.cu"}, ""},
	} {
		assert.Equal(t, c.twice, Twice(c.files, Options{}), "%q", c.files)
	}
}
