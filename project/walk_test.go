//go:build unix

package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plant makes files below a new folder: "path" or "path: text". One that ends in a
// slash is a folder.
func plant(t testing.TB, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range files {
		name, text, ok := strings.Cut(f, ": ")
		if !ok {
			text = "__global__ void k() {}\n"
		}
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o777))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

// walked is Walk from inside of dir, without errors.
func walked(t *testing.T, dir string, opt Options, roots ...string) []string {
	t.Helper()
	t.Chdir(dir)
	files, errs := Walk(context.Background(), roots, opt)
	require.Empty(t, errs)
	return files
}

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name, files string // by blanks
		roots       string
		exclude     []string
		want        string
	}{
		{"CUDA files and headers, sorted", "b.cu a/c.cuh a.cpp d.h x.inl y.CU Makefile", ".", nil, "a/c.cuh b.cu d.h x.inl"},
		{"a folder in two roots, once", "a/b/x.cu a/y.cu", ". a a/b/..", nil, "a/b/x.cu a/y.cu"},
		{"names that look like options or standard input", "-w - -.cu", ".", nil, "-.cu"},
		{"vendored folders", "x.cu vendor/a.cu third_party/a.cu a/external/a.cu .hid/a.cu _old/a.cu _deps/a.cu node_modules/a.cu Extern/a.cu", ".", nil, "x.cu"},
		{"a root in a vendored folder", "third_party/a/x.cu third_party/a/vendor/y.cu", "third_party/a", nil, "third_party/a/x.cu"},
		{"a vendored root", "vendor/x.cu", "vendor", nil, "vendor/x.cu"},
		{"a build folder of CMake", "x.cu out/CMakeCache.txt out/x.cu out/a/y.cu", ".", nil, "x.cu"},
		{"globs that exclude", "a/x.cu a/b/x.cu c/y.cu z_test.cu", ".", []string{"/a/b", "*_test.cu"}, "a/x.cu c/y.cu"},
		{"globs are relative to the root", "a/gen/x.cu gen/x.cu", "a", []string{"/gen"}, ""},
		{"a glob that takes back", "a/x.cu a/y.cu", ".", []string{"a/*", "!y.cu"}, "a/y.cu"},
		{"an ignored folder that is named", ".git/ .gitignore/ g/.gitignore g/x.cu", "g", nil, "g/x.cu"},
		{"submodules and other repositories", ".git/HEAD x.cu sub/.git sub/x.cu other/.git/HEAD other/x.cu", ".", nil, "x.cu"},
		{"repositories in a folder that is in none", "x.cu sub/.git/HEAD sub/x.cu sub/deep/.git sub/deep/y.cu", ".", nil, "sub/x.cu x.cu"},
		{"a repository that is named", ".git/HEAD sub/.git sub/x.cu", "sub", nil, "sub/x.cu"},
		{"nothing", "a/b.c", ".", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t, strings.Fields(c.files)...)
			got := walked(t, dir, Options{Exclude: c.exclude}, strings.Fields(c.roots)...)
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

func TestIgnoreFiles(t *testing.T) {
	for _, c := range []struct {
		name        string
		files       []string
		root, wants string
	}{
		{"above the root", []string{".git/HEAD", ".gitignore: *_gen.cu\n/a/b/no.cu\n", "a/b/x.cu", "a/b/x_gen.cu", "a/b/no.cu"}, "a/b", "a/b/x.cu"},
		{"deeper ones are stronger", []string{".gitignore: *.cu\n", "a/.gitignore: !keep.cu\n", "a/keep.cu", "a/x.cu", "keep.cu"}, ".", "a/keep.cu"},
		{"what is in an ignored folder cannot be taken back", []string{".gitignore: out/\n!out/x.cu\n", "out/x.cu", "y.cu"}, ".", "y.cu"},
		{"the root is ignored", []string{".git/HEAD", ".gitignore: out/\n", "out/x.cu", "out/.gitignore: y.cu\n", "out/y.cu"}, "out", "out/x.cu"},
		{"info/exclude", []string{".git/info/exclude: mine.cu\n", "mine.cu", "a/mine.cu", "x.cu"}, ".", "x.cu"},
		{"info/exclude is weaker", []string{".git/info/exclude: *.cu\n", ".gitignore: !x.cu\n", "mine.cu", "x.cu"}, ".", "x.cu"},
		{"info/exclude of a further work tree", []string{"r/.git/info/exclude: mine.cu\n", "r/.git/worktrees/w/commondir: ../..\n",
			"w/.git: gitdir: ../r/.git/worktrees/w\n", "w/mine.cu", "w/x.cu"}, "w", "w/x.cu"},
		{"without a repository", []string{".gitignore: x.cu\n", "x.cu", "y.cu"}, ".", "y.cu"},
		{"not those outside of the repository", []string{".gitignore: *.cu\n", "r/.git/HEAD", "r/x.cu"}, "r", "r/x.cu"},
		{"a byte order mark, CR LF and no line break at the end", []string{".gitignore: \xef\xbb\xbfa.cu\r\nb.cu  \r\n#c.cu\n\\#d.cu\ne.cu\\ \nf.cu",
			"a.cu", "b.cu", "c.cu", "#d.cu", "e.cu", "f.cu"}, ".", "c.cu e.cu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := walked(t, plant(t, c.files...), Options{}, c.root)
			assert.Equal(t, c.wants, strings.Join(got, " "))
		})
	}
}

func TestLinksStandForTheirFilesOnce(t *testing.T) {
	outside := plant(t, "far.cu", "dir/deep.cu")
	dir := plant(t, "a.cu", "sub/")
	for link, to := range map[string]string{
		"0.cu": "a.cu", "sub/b.cu": "../a.cu", // in the tree
		"far1.cu": outside + "/far.cu", "far2.cu": outside + "/far.cu",
		"loop": ".", "sub/loop": "..", "self.cu": "self.cu", "gone.cu": "nothing.cu", "folder.cu": "sub",
		"dir": outside + "/dir",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	far, err := filepath.Rel(dir, outside+"/far.cu")
	require.NoError(t, err)
	assert.Equal(t, []string{far, "a.cu"}, walked(t, dir, Options{}, "."))
	files, _ := Walk(context.Background(), []string{dir}, Options{})
	assert.ElementsMatch(t, []string{outside + "/far.cu", dir + "/a.cu"}, files)
	assert.Equal(t, []string{"loop/a.cu"}, func() []string {
		files, _ := Walk(context.Background(), []string{"loop"}, Options{Exclude: []string{"far*"}})
		return files
	}(), "a root may be a link")
}

func TestOnlyFilesAreTaken(t *testing.T) {
	dir := plant(t, "a.cu", "b.cu/c.cu")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.cu"), 0o666))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o666), "which must not be waited for")
	require.NoError(t, os.Symlink("pipe.cu", filepath.Join(dir, "link.cu")))
	assert.Equal(t, []string{"a.cu", "b.cu/c.cu"}, walked(t, dir, Options{}, "."))
}

func TestAnyNameWillDo(t *testing.T) {
	names := []string{"a b.cu", "new\nline.cu", "größe/ü.cu", "caf\xe9.cu", "tab\t.cu", "-rf.cu", "quote'\".cu", "a\\b.cu", "[x].cu"}
	dir := plant(t, names...)
	assert.ElementsMatch(t, names, walked(t, dir, Options{}, "."))
}

func TestUnreadablePlacesAreErrors(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := plant(t, "a/x.cu", "b/y.cu", "c/.gitignore", "c/z.cu")
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "a"), 0o777) })
	require.NoError(t, os.Chmod(filepath.Join(dir, "c/.gitignore"), 0))
	t.Chdir(dir)
	files, errs := Walk(context.Background(), []string{"."}, Options{})
	assert.Equal(t, []string{"b/y.cu", "c/z.cu"}, files)
	require.Len(t, errs, 2)
	var at *fs.PathError
	require.ErrorAs(t, errs[0], &at)
	assert.Equal(t, "a", at.Path)
	require.ErrorAs(t, errs[1], &at)
	assert.Equal(t, "c/.gitignore", at.Path)
}

func TestRootThatIsNotThere(t *testing.T) {
	files, errs := Walk(context.Background(), []string{filepath.Join(t.TempDir(), "none")}, Options{})
	assert.Empty(t, files)
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], fs.ErrNotExist)
}

// many makes a repository of 10,000 files, each tenth of which is CUDA.
func many(t testing.TB) string {
	dir := plant(t, ".git/HEAD", ".gitignore: *.o\n/out/\n**/gen_*.cu\n!gen_keep.cu\n")
	for i := range 100 {
		sub := filepath.Join(dir, fmt.Sprintf("d%d/e%d", i%10, i))
		require.NoError(t, os.MkdirAll(sub, 0o777))
		for k := range 100 {
			name, text := fmt.Sprintf("f%d.h", k), "#pragma once\nint f();\n"
			if k%10 == 0 {
				name, text = fmt.Sprintf("f%d.cu", k), fmt.Sprintf("#include \"f1.h\"\n__global__ void k%d(int *a) { *a = 1; }\nvoid f() { k%d<<<1, 1>>>(0); }\n", k, k)
			}
			require.NoError(t, os.WriteFile(filepath.Join(sub, name), []byte(text), 0o666))
		}
	}
	return dir
}

func TestManyFiles(t *testing.T) {
	dir := many(t)
	files, errs := Walk(context.Background(), []string{dir}, Options{})
	require.Empty(t, errs)
	assert.Len(t, files, 10_000)
	facts := read(t, files)
	assert.Len(t, Programs(facts), 1000)
}

func BenchmarkManyFiles(b *testing.B) {
	dir := many(b)
	for b.Loop() {
		files, _ := Walk(context.Background(), []string{dir}, Options{})
		Programs(read(b, files))
	}
}
