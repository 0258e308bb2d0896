package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/stretchr/testify/require"
)

func TestCommandsAreSplitAsByAShell(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"", []string{}},
		{"  ", []string{}},
		{"nvcc -c x.cu", []string{"nvcc", "-c", "x.cu"}},
		{"a\t b\n", []string{"a", "b"}},
		{`"a b" c`, []string{"a b", "c"}},
		{`-DS=\"x\"`, []string{`-DS="x"`}},
		{`-D'S="a b"'`, []string{`-DS="a b"`}},
		{`'a\b' "a\b" "a\"b" a\ b`, []string{`a\b`, `a\b`, `a"b`, "a b"}},
		{`'' ""`, []string{"", ""}},
		{`x''y`, []string{"xy"}},
	} {
		got, err := prose.Words(tt.command)
		require.NoError(t, err, tt.command)
		require.Equal(t, tt.want, got, tt.command)
	}
	for _, open := range []string{`"a`, `'a`, `a"b c`, `a\`} {
		_, err := prose.Words(open)
		require.Error(t, err, open)
	}
}

func TestCompileCommandCollectsIncludesAndDefines(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inc.rsp"), []byte("-Irsp -isystem /sys/rsp @inner.rsp"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inner.rsp"), []byte("-DINNER @inc.rsp"), 0o666)) // names the first again
	for _, tt := range []struct {
		name              string
		args              []string
		includes, defines []string
	}{
		{"joined", []string{"nvcc", "-Ia", "-DX=1", "x.cu"}, []string{"a"}, []string{"X=1"}},
		{"separate", []string{"-I", "a", "-D", "X"}, []string{"a"}, []string{"X"}},
		{"system folders", []string{"-isystem", "a", "-isystemb", "-isystem=c", "-iquote", "d"}, []string{"a", "b", "c", "d"}, nil},
		{"nvcc's long names", []string{"--include-path", "a,b", "--include-path=c", "--define-macro=X=1", "--define-macro", "Y"},
			[]string{"a", "b", "c"}, []string{"X=1", "Y"}},
		{"absolute and unclean", []string{"-I/abs/../usr", "-Ia/./b/.."}, []string{"/usr", "a"}, nil},
		{"a list of nvcc", []string{"/opt/bin/nvcc", "-DX=1,Y", "-D", `S="a,b",T=c\,d`, "-UY,Z"}, nil, []string{"X=1", `S="a,b"`, "T=c,d"}},
		{"a comma of another compiler", []string{"clang++", "-DX=1,Y"}, nil, []string{"X=1,Y"}},
		{"nothing that merely looks alike", []string{"-include", "x.h", "--std=c++17", "-o", "I", "-", ""}, nil, nil},
		{"a value that is missing", []string{"-I"}, nil, nil},
		{"a response file that is missing", []string{"@nowhere.rsp", "-Ia"}, []string{"a"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			for _, i := range tt.includes {
				want = append(want, absoluteIn(dir, i))
			}
			c := commandOf(tt.args)
			c.add(dir, tt.args, 0)
			require.Equal(t, want, c.Includes)
			require.Equal(t, tt.defines, c.Defines)
		})
	}
	var c CompileCommand
	c.add(dir, []string{"--options-file", "inc.rsp"}, 0)
	require.Equal(t, filepath.Join(dir, "rsp"), c.Includes[0])
	require.Equal(t, "/sys/rsp", c.Includes[1])
	require.Equal(t, "INNER", c.Defines[0])
	require.LessOrEqual(t, len(c.Defines), maxResponseDepth, "response files that name each other must end")
}

func TestReadCompileCommandsFindsFilesByPath(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "compile_commands.json")
	write := func(text string) { require.NoError(t, os.WriteFile(db, []byte(text), 0o666)) }

	write(`[
	  {"directory": "/src/build", "file": "../a.cu", "command": "nvcc -I../inc -DA -DT=1 -DN=2 ../a.cu"},
	  {"directory": "/src/build", "file": "/src/b.cu", "arguments": ["nvcc", "-Iinc", "/src/b.cu"]},
	  {"directory": "/src/build", "file": "../a.cu", "command": "nvcc -DSECOND -DA -DT=2 ../a.cu"},
	  {"directory": "sub", "file": "c.cu", "command": "nvcc -I. c.cu"}
	]`)
	for _, name := range []string{dir, db} {
		cc, err := ReadDatabase(name)
		require.NoError(t, err)
		require.Equal(t, Database{
			"/src/a.cu":                       {Includes: []string{"/src/inc"}, Defines: []string{"A"}, lists: true},
			"/src/b.cu":                       {Includes: []string{"/src/build/inc"}, lists: true},
			filepath.Join(dir, "sub", "c.cu"): {Includes: []string{filepath.Join(dir, "sub")}, lists: true},
		}, cc)
		_, ok := cc.Lookup("/src/./a.cu")
		require.True(t, ok)
		_, ok = cc.Lookup("/src/other.cu")
		require.False(t, ok)
	}

	for _, bad := range []string{"", "{}", `[{"file": 3}]`, `[{"directory": "/"}]`, `[{"file": "a", "command": "\"open"}]`} {
		write(bad)
		_, err := ReadDatabase(db)
		var exit *diag.Failure
		require.ErrorAs(t, err, &exit, bad)
		require.Equal(t, diag.ExitUsage, exit.Exit, bad)
	}
	_, err := ReadDatabase(filepath.Join(dir, "nowhere"))
	require.ErrorContains(t, err, "there is no such file")
}

// TestFlagsOfNVCCAreThoseOfAList: what decides how code reads, and nothing that runs, loads or writes.
func TestFlagsOfNVCCAreThoseOfAList(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"nvcc", "--extended-lambda", "-expt-relaxed-constexpr", "-std=c++17", "-c", "x.cu"}, []string{"--extended-lambda", "--expt-relaxed-constexpr", "-std=c++17"}},
		{[]string{"-std", "c++20", "--std=c++14", "-I", "a"}, []string{"-std=c++20"}},
		{[]string{"-rdc", "true", "-dc", "-use_fast_math", "--maxrregcount", "64", "-ftz=true"}, []string{"-rdc=true", "--use_fast_math", "-maxrregcount=64", "-ftz=true"}},
		{[]string{"-ccbin", "/tmp/evil", "-run", "--compiler-bindir=/tmp/evil", "-o", "a.out", "-Xcompiler", "-fplugin=x.so", "-Xptxas=-v", "-include", "x.h",
			"--options-file", "nowhere", "-keep-dir", "/tmp", "-nvlink-options", "x", "--run-args", "x", "-optf=nowhere", "-std=c++17;rm", "-std=", "-maxrregcount=--x", "-dc=x"}, nil},
		{[]string{"-std"}, nil},
	} {
		var c CompileCommand
		c.add("/here", tt.args, 0)
		require.Equal(t, tt.want, c.Flags, tt.args)
	}
}

func TestNearestIsTheFileWithMostInCommon(t *testing.T) {
	db := Database{}
	for _, name := range []string{"/p/a/k.cu", "/p/a/host.cpp", "/p/b/deep/k.cu", "/p/main.cu"} {
		db[name] = CompileCommand{Defines: []string{name}}
	}
	for name, want := range map[string]string{
		"/p/a/k.cu": "/p/a/k.cu", "/p/a/other.cu": "/p/a/k.cu", "/p/a/other.cpp": "/p/a/host.cpp",
		"/p/b/deep/x.cu": "/p/b/deep/k.cu", "/p/mains.cu": "/p/main.cu", "/p/b/x.cu": "/p/b/deep/k.cu",
	} {
		c, of, ok := db.Nearest(name)
		require.True(t, ok)
		require.Equal(t, want, of, name)
		require.Equal(t, []string{want}, c.Defines)
	}
	_, _, ok := Database(nil).Nearest("/p/a/k.cu")
	require.False(t, ok)
}

func TestADatabaseIsFoundAboveAFileAndInBuild(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "src", "gpu")
	require.NoError(t, os.MkdirAll(deep, 0o777))
	require.Empty(t, FindDatabase(deep, dir))
	build := filepath.Join(dir, "build", DatabaseName)
	require.NoError(t, os.MkdirAll(filepath.Dir(build), 0o777))
	require.NoError(t, os.WriteFile(build, []byte("[]"), 0o666))
	require.Equal(t, build, FindDatabase(deep, dir))
	require.Empty(t, FindDatabase(deep, filepath.Join(dir, "src")), "what lies above the top says nothing")
	near := filepath.Join(deep, DatabaseName)
	require.NoError(t, os.WriteFile(near, []byte("[]"), 0o666))
	require.Equal(t, near, FindDatabase(deep, dir))
}
