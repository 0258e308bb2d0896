package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/translate"
)

// compiler returns the C++ compiler of this machine, or skips the test.
func compiler(t testing.TB) *Compiler {
	t.Helper()
	c, err := Find("")
	if err != nil {
		t.Skip(err)
	}
	return c
}

// sharedCache keeps what the small shim in testdata is compiled to, for all tests.
var sharedCache string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "smux-build-test-")
	if err != nil {
		panic(err)
	}
	sharedCache = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func smallShim() tree { return tree{os.DirFS("testdata/shim"), "small"} }

func openSmall(t testing.TB, cache string) *Toolchain {
	t.Helper()
	tools, err := open(compiler(t), cache, smallShim())
	require.NoError(t, err)
	t.Cleanup(func() { tools.Close() })
	return tools
}

// unit is a file as package translate returns it, without anything to translate.
func unit(dir, name, text string) *translate.Unit {
	return &translate.Unit{Files: []translate.File{{
		Name: name, Path: filepath.Join(dir, filepath.Base(name)), Text: []byte("#line 1 \"" + name + "\"\n" + text),
	}}}
}

func output(t *testing.T, p *Program) string {
	t.Helper()
	out, err := exec.Command(p.Path).Output()
	require.NoError(t, err)
	return string(out)
}

const answers = `__global__ void kernel(int *p) { *p = twice(smux_cpu_answer()); }
int main() { int x; kernel(&x); printf("%d %d %d\n", x, smux_cpu_checked, SMUX_CPU); }
`

func TestEveryModeBuilds(t *testing.T) {
	tools := openSmall(t, sharedCache)
	for mode, want := range map[Mode]string{Plain: "84 0 1\n", Checked: "84 1 1\n", Address: "86 0 1\n"} {
		t.Run(string(mode), func(t *testing.T) {
			dir := t.TempDir()
			if mode == Address && !hasAddressSanitizer(t, tools.Compiler) {
				t.Skip("the compiler has no address sanitizer")
			}
			p, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, "a.cu", answers)}, Mode: mode, Dir: dir})
			require.NoError(t, err)
			assert.Equal(t, want, output(t, p))
			assert.Contains(t, p.Files, "a.cu")
		})
	}
}

func TestPreparedToolchainsBuildAtOnce(t *testing.T) {
	tools := openSmall(t, t.TempDir())
	assert.False(t, tools.Prepared(Plain))
	require.NoError(t, tools.Prepare(context.Background(), Plain, Checked))
	assert.True(t, tools.Prepared(Plain, Checked))
	assert.False(t, tools.Prepared(Plain, Address))

	before := tools.compilations.Load()
	dir := t.TempDir()
	_, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, "a.cu", answers)}, Dir: dir})
	require.NoError(t, err)
	assert.Equal(t, before+2, tools.compilations.Load(), "one file and the linker")
}

// What does not read the macro of the address sanitizer is compiled once; that a
// file reads it in a header TestEveryModeBuilds tells by the answer.
func TestTheAddressCheckedBuildSharesTheRestOfTheRuntime(t *testing.T) {
	tools := openSmall(t, t.TempDir())
	if !hasAddressSanitizer(t, tools.Compiler) {
		t.Skip("the compiler has no address sanitizer")
	}
	objects, err := tools.runtimeObjects(context.Background(), Plain)
	require.NoError(t, err)
	before := tools.compilations.Load()
	address, err := tools.runtimeObjects(context.Background(), Address)
	require.NoError(t, err)
	assert.Equal(t, before+1, tools.compilations.Load(), "answer.cc alone")
	base := func(paths []string) (names []string) {
		for _, p := range paths {
			names = append(names, filepath.Base(p))
		}
		return names
	}
	assert.Equal(t, base(objects), base(address))
}

func hasAddressSanitizer(t *testing.T, c *Compiler) bool {
	file := filepath.Join(t.TempDir(), "a.cc")
	require.NoError(t, os.WriteFile(file, []byte("int main() {}"), 0o666))
	return exec.Command(c.Path, "-fsanitize=address", file, "-o", file+".exe").Run() == nil
}

func TestFilesBesideTheOriginalAreFoundAndChangesSeen(t *testing.T) {
	tools := openSmall(t, t.TempDir())
	original, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(original, "mine.h"), []byte("#define MINE 1\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(original, "other.cpp"), []byte("#include <cuda_runtime.h>\nint other() { return smux_cpu_answer(); }\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(original, "plain.c"), []byte("int plain(void) { int class = 5; return class; }\n"), 0o666))
	build := func(defines ...string) *Program {
		p, err := tools.Build(context.Background(), Request{
			Units: []*translate.Unit{unit(dir, filepath.Join(original, "a.cu"),
				"#include \"mine.h\"\nint other(); extern \"C\" int plain();\nint main() { printf(\"%d %d %d %d\\n\", MINE, other(), plain(), GIVEN); }\n")},
			Sources: []string{filepath.Join(original, "other.cpp"), filepath.Join(original, "plain.c")},
			Defines: append(defines, "GIVEN=7"), Dir: dir,
		})
		require.NoError(t, err)
		return p
	}
	first := build()
	assert.Equal(t, "1 42 5 7\n", output(t, first))
	assert.Contains(t, first.UserFiles, filepath.Join(original, "mine.h"))
	assert.Contains(t, first.UserFiles, filepath.Join(original, "other.cpp"))
	assert.Len(t, first.UserFiles, 3)

	compilations := tools.compilations.Load()
	assert.Equal(t, first.UserFiles, build().UserFiles)
	assert.Equal(t, compilations, tools.compilations.Load(), "what was compiled is not compiled again")

	require.NoError(t, os.WriteFile(filepath.Join(original, "mine.h"), []byte("#define MINE 2\n"), 0o666))
	assert.Equal(t, "2 42 5 7\n", output(t, build()))
	assert.Greater(t, tools.compilations.Load(), compilations, "a header has changed")

	compilations = tools.compilations.Load()
	build("OTHER=1")
	assert.Greater(t, tools.compilations.Load(), compilations, "the macros have changed")
}

func TestErrorsNameTheOriginal(t *testing.T) {
	tools := openSmall(t, sharedCache)
	dir := t.TempDir()
	build := func(text string) *CompileError {
		t.Helper()
		_, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, "dir/a.cu", text)}, Dir: dir})
		var refused *CompileError
		require.ErrorAs(t, err, &refused)
		require.NotEmpty(t, refused.Messages)
		assert.NotEmpty(t, refused.Output)
		return refused
	}
	assert.Equal(t, "dir/a.cu:2:14: not-supported: not supported: cudaFoo", build("\nint main() { cudaFoo(); }\n").Error())
	assert.Equal(t, "dir/a.cu:1:10: needs-library: there is no header mine.h", build("#include \"mine.h\"\n").Error())
	assert.Equal(t, "dir/a.cu: no-main: no file of the program defines main", build("int x;\n").Error())
	assert.Equal(t, "dir/a.cu:3:1: needs-library: f is declared and defined in no file of the program", build("int f(int);\nint main() {\nreturn f(1); }\n").Error())
	bad := build("int main() {\n  int x = ; }\n")
	assert.Equal(t, CodeDoesNotCompile, bad.Messages[0].Code)
	assert.Equal(t, 2, bad.Messages[0].Pos.Line)
	assert.Contains(t, bad.Messages[0].Help, "C++ for the CPU")
}

func TestNvccGivesASecondOpinion(t *testing.T) {
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("nvcc is not installed")
	}
	tools := openSmall(t, sharedCache)
	dir := t.TempDir()
	name := filepath.Join(dir, "original", "a.cu")
	require.NoError(t, os.Mkdir(filepath.Dir(name), 0o777))
	for text, want := range map[string]string{
		"int main() { int x = ; }\n":                      "nvcc does not compile it either",
		"int main() { return int(sizeof(dim3)) - 12; }\n": "nvcc compiles it",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		_, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, name, text)}, Dir: dir, OnDisk: true})
		var refused *CompileError
		require.ErrorAs(t, err, &refused)
		assert.Contains(t, refused.Messages[0].Help, want)
	}
	// It is not asked about what the host's compiler refuses.
	require.NoError(t, os.WriteFile(name, []byte(answers), 0o666))
	source := filepath.Join(dir, "b.cpp")
	require.NoError(t, os.WriteFile(source, []byte("int f() { return none; }\n"), 0o666))
	_, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, name, answers)}, Sources: []string{source}, Dir: dir, OnDisk: true})
	var refused *CompileError
	require.ErrorAs(t, err, &refused)
	assert.NotContains(t, refused.Messages[0].Help, "nvcc")
}

// nvcc may refuse a file for want of a flag, which proves nothing of what the host
// compiler found.
func TestAnotherErrorOfNvccIsNoSecondOpinion(t *testing.T) {
	messages := []diag.Message{{Pos: diag.Position{File: "a/k.cu", Line: 12}}}
	assert.True(t, saysOf("/tmp/a/k.cu(12): error: expected an expression\n", messages))
	assert.False(t, saysOf("/tmp/a/k.cu(9): error: identifier \"__hmax\" is undefined\n", messages))
	assert.False(t, saysOf("cc1plus: error: unsupported GNU version\n", messages))
}

func TestTheEndOfTheContextEndsABuild(t *testing.T) {
	tools := openSmall(t, sharedCache)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	_, err := tools.Build(ctx, Request{Units: []*translate.Unit{unit(dir, "a.cu", answers+"// not in the cache\n")}, Dir: dir})
	assert.True(t, errors.Is(err, context.Canceled), err)
}

// Hooks in a program's own files take the place of functions that g++ knows by itself: a version
// that refuses them gets those of the runtime.
func TestHooksThatTheCompilerRefusesAreLeftOut(t *testing.T) {
	if compiler(t).Kind != GCC {
		t.Skip("not g++")
	}
	for name, text := range map[string]string{"taken": "", "refused": "#error unknown\n"} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"include/smux_cpu/access_hooks.h": &fstest.MapFile{Data: []byte(text)}}
			tools, err := open(compiler(t), t.TempDir(), tree{files, name})
			require.NoError(t, err)
			defer tools.Close()
			for range 2 { // the second time from the cache
				flags, err := tools.hooks(context.Background(), Checked)
				require.NoError(t, err)
				assert.Equal(t, name == "taken", slices.Contains(flags, "-D"+hooksMacro+"=1"))
			}
			flags, err := tools.hooks(context.Background(), Plain)
			require.NoError(t, err)
			assert.Empty(t, flags)
		})
	}
}

// The g++ of this machine takes those of the shim.
func TestTheShimsHooksCompile(t *testing.T) {
	if compiler(t).Kind != GCC {
		t.Skip("not g++")
	}
	tools, err := Open(compiler(t), t.TempDir())
	require.NoError(t, err)
	defer tools.Close()
	flags, err := tools.hooks(context.Background(), Checked)
	require.NoError(t, err)
	assert.NotEmpty(t, flags)
}
