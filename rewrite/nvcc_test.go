package rewrite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// compilers limits how many compilers run at a time.
var compilers = make(chan struct{}, 2)

// needNVCC skips a test where there is no nvcc.
func needNVCC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("no nvcc on PATH: emitted code was not compiled, its warnings and shared bytes not compared (scripts/install-cuda.sh installs it)")
	}
}

// compiled is what a compiler said of one file.
type compiled struct {
	warnings []string         // without place
	shared   map[string][]int // per architecture, the shared bytes of each kernel, sorted
}

var (
	warningText  = regexp.MustCompile(`warning[ :#].*`)
	quotedText   = regexp.MustCompile(`'_Z[^']*'`) // a kernel's name changes with its parameters
	entryText    = regexp.MustCompile(`Compiling entry function '[^']*' for '([^']*)'`)
	resourceText = regexp.MustCompile(`Used \d+ registers`)
	smemText     = regexp.MustCompile(`(\d+) bytes smem`)
)

// nvcc compiles a file in dir.
func nvcc(t *testing.T, dir string, args ...string) compiled {
	t.Helper()
	compilers <- struct{}{}
	defer func() { <-compilers }()
	cmd := exec.Command("nvcc", append([]string{"-std=c++14", "-Wno-deprecated-gpu-targets"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "nvcc %s\n%s", strings.Join(args, " "), out)
	c := compiled{shared: map[string][]int{}}
	arch := ""
	for _, line := range strings.Split(string(out), "\n") {
		if w := warningText.FindString(line); w != "" {
			c.warnings = append(c.warnings, quotedText.ReplaceAllString(w, "''"))
		}
		if m := entryText.FindStringSubmatch(line); m != nil {
			arch = m[1]
		}
		if resourceText.MatchString(line) && arch != "" {
			bytes := 0
			if m := smemText.FindStringSubmatch(line); m != nil {
				bytes, err = strconv.Atoi(m[1])
				require.NoError(t, err)
			}
			c.shared[arch] = append(c.shared[arch], bytes)
			arch = ""
		}
	}
	for _, list := range c.shared {
		sort.Ints(list)
	}
	return c
}

// same checks that emitted code gives no warning that the original does not
// give, and needs the same shared memory.
func (c compiled) same(t *testing.T, original compiled) {
	t.Helper()
	for _, w := range c.warnings {
		assert.True(t, slices.Contains(original.warnings, w), "a new warning: %s", w)
	}
	assert.Equal(t, original.shared, c.shared, "shared bytes")
}

// exampleVariant is one way to rewrite an example.
type exampleVariant struct {
	sync   string
	factor int
}

// exampleVariants are the variants that the block size of an example's kernels
// leaves room for.
func exampleVariants(t *testing.T, path string) []exampleVariant {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	threads := 1
	for _, k := range analysis.NewProgram(prog, [3]int{}).Kernels() {
		for _, in := range k.Instances {
			d, ok := in.BlockShape()
			require.True(t, ok, "%s: block size of %s", path, k.Name)
			if len(k.Shared) > 0 {
				threads = max(threads, d[0]*d[1]*d[2])
			}
		}
	}
	var out []exampleVariant
	for _, sync := range rewrite.Syncs {
		for _, factor := range []int{2, 4} {
			if factor*threads <= 1024 {
				out = append(out, exampleVariant{sync, factor})
			}
		}
	}
	return out
}

// rewriteExample rewrites one example in memory; every kernel with shared
// memory must be rewritten.
func rewriteExample(t *testing.T, path string, v exampleVariant) rewrite.FileResult {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	res, err := rewrite.Run(prog, rewrite.Options{Factor: v.factor, Sync: v.sync})
	require.NoError(t, err)
	for _, k := range res.Kernels {
		if k.Variant == "" {
			require.NotEmpty(t, k.Refused, k.Name)
			require.Equal(t, rewrite.CodeNoShared, k.Refused[0].Code, "%s: %v", k.Name, k.Refused)
		}
	}
	require.Len(t, res.Files, 1)
	return res.Files[0]
}

func examplePaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	return paths
}

// TestExamplesCompile compiles the ten benchmarks, rewritten in every mode, for
// four architectures.
func TestExamplesCompile(t *testing.T) {
	needNVCC(t)
	args := []string{"-c", "-Xptxas", "-v", "-o", "out.o"}
	for _, arch := range []string{"52", "70", "80", "90"} {
		args = append(args, "-gencode", fmt.Sprintf("arch=compute_%s,code=sm_%s", arch, arch))
	}
	for _, path := range examplePaths(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compile := func(src []byte) compiled {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), src, 0o666))
				return nvcc(t, dir, append(slices.Clone(args), name)...)
			}
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			original := compile(src)
			require.Len(t, original.shared, 4, "ptxas spoke of four architectures")
			for _, v := range exampleVariants(t, path) {
				t.Run(fmt.Sprintf("%s-%d", v.sync, v.factor), func(t *testing.T) {
					compile(rewriteExample(t, path, v).After).same(t, original)
				})
			}
		})
	}
}

// TestCasesCompile compiles every accepted case of testdata/cases, host code
// included, for one architecture.
func TestCasesCompile(t *testing.T) {
	needNVCC(t)
	for _, c := range loadCases(t) {
		variants := map[string]*rewrite.Result{}
		for _, sync := range rewrite.Syncs {
			if res := c.rewrite(t, sync, "inline"); len(res.Files) > 0 {
				variants[sync] = res
			}
		}
		if len(variants) == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			original := c.compile(t, nil)
			for sync, res := range variants {
				t.Run(sync, func(t *testing.T) { c.compile(t, res.Files).same(t, original) })
			}
		})
	}
}

// compile writes the files of a case to a folder, some of them rewritten, and
// compiles the .cu files there.
func (c *rewriteCase) compile(t *testing.T, rewritten []rewrite.FileResult) compiled {
	t.Helper()
	dir := t.TempDir()
	all := compiled{shared: map[string][]int{}}
	for name, data := range c.sources {
		for _, f := range rewritten {
			if f.Name == name {
				data = f.After
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	for _, name := range c.order {
		if !strings.HasSuffix(name, ".cu") {
			continue
		}
		one := nvcc(t, dir, "-cubin", "-arch=sm_70", "-Xptxas", "-v", "-o", "out.cubin", name)
		all.warnings = append(all.warnings, one.warnings...)
		for arch, list := range one.shared {
			all.shared[arch] = append(all.shared[arch], list...)
		}
	}
	return all
}

// TestDiffsApply gives every diff to git apply --check, and one in full.
func TestDiffsApply(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on PATH: diffs were not checked with git apply")
	}
	dir := t.TempDir()
	git := func(stdin []byte, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %s\n%s\n%s", strings.Join(args, " "), out, stdin)
	}
	write := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	check := func(folder string, files []rewrite.FileResult) {
		t.Helper()
		var patch []byte
		for _, f := range files {
			name := folder + "/" + filepath.Base(f.Name)
			write(name, f.Before)
			patch = append(patch, diff.Unified(name, name, f.Before, f.After)...)
		}
		if len(patch) == 0 {
			return
		}
		git(patch, "apply", "--check", "-")
		git(patch, "apply", "--whitespace=nowarn", "-")
		for _, f := range files {
			got, err := os.ReadFile(filepath.Join(dir, folder, filepath.Base(f.Name)))
			require.NoError(t, err)
			require.Equal(t, string(f.After), string(got), "%s, applied", f.Name)
		}
	}
	git(nil, "init", "-q")
	git(nil, "config", "core.autocrlf", "false")
	for _, path := range examplePaths(t) {
		for _, v := range exampleVariants(t, path) {
			check(filepath.Base(path)+"/"+v.sync+strconv.Itoa(v.factor), []rewrite.FileResult{rewriteExample(t, path, v)})
		}
	}
	for _, c := range loadCases(t) {
		for _, sync := range rewrite.Syncs {
			check(c.name+"/"+sync, c.rewrite(t, sync, "inline").Files)
		}
	}
}
