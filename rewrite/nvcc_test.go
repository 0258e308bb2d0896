package rewrite_test

import (
	"bytes"
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

	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/lab/suite"
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

// compiled holds what a compiler said of one file.
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
	return read(t, runNVCC(t, dir, args...))
}

// runNVCC returns what the compiler says.
func runNVCC(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := callNVCC(dir, args...)
	require.NoError(t, err)
	return out
}

// callNVCC returns what the compiler says, or said before of the same text, as an
// error where it fails. Only for makeNVCC does it leave its output behind.
func callNVCC(dir string, args ...string) (string, error) {
	key, err := nvccKey(dir, args)
	if err != nil {
		return "", err
	}
	return remembered(key, func() (string, error) { return makeNVCC(dir, args...) })
}

// makeNVCC runs the compiler.
func makeNVCC(dir string, args ...string) (string, error) {
	compilers <- struct{}{}
	defer func() { <-compilers }()
	cmd := exec.Command("nvcc", append([]string{"-std=c++14", "-Wno-deprecated-gpu-targets"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("nvcc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// read takes what matters out of a compiler's words.
func read(t *testing.T, text string) compiled {
	t.Helper()
	c := compiled{shared: map[string][]int{}}
	arch := ""
	for _, line := range strings.Split(text, "\n") {
		if w := warningText.FindString(line); w != "" {
			c.warnings = append(c.warnings, quotedText.ReplaceAllString(w, "''"))
		}
		if m := entryText.FindStringSubmatch(line); m != nil {
			arch = m[1]
		}
		if resourceText.MatchString(line) && arch != "" {
			bytes := 0
			if m := smemText.FindStringSubmatch(line); m != nil {
				var err error
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

// quiet checks that emitted code gives no warning that the original does not
// give.
func (c compiled) quiet(t *testing.T, original compiled) {
	t.Helper()
	for _, w := range c.warnings {
		assert.True(t, slices.Contains(original.warnings, w), "a new warning: %s", w)
	}
}

// copied checks that kernels that were rewritten need several times the shared
// memory of the original, which beside dynamic memory is rounded up to 16 bytes:
// of the figures, any may be as it was. Of copies at least so many have all of a block's arrays.
func (c compiled) copied(t *testing.T, original compiled, least, factor int) {
	t.Helper()
	c.quiet(t, original)
	for arch, list := range c.shared {
		require.Len(t, list, len(original.shared[arch]))
		left := slices.Clone(original.shared[arch])
		for _, after := range list {
			i := slices.IndexFunc(left, func(before int) bool { return after == before || after > (before-16)*least && after <= before*factor })
			if assert.GreaterOrEqual(t, i, 0, "%d shared bytes are none of %v, nor %d times those", after, left, factor) {
				left = slices.Delete(left, i, i+1)
			}
		}
	}
}

// same checks that emitted code is quiet and needs the same shared memory; with
// slots, that many times as much, and some words for the lock.
func (c compiled) same(t *testing.T, original compiled, slots int) {
	t.Helper()
	c.quiet(t, original)
	for arch, list := range c.shared {
		if slots == 0 {
			assert.Equal(t, original.shared[arch], list, "shared bytes")
			continue
		}
		require.Len(t, list, len(original.shared[arch]))
		words := 4 // the lock
		if slots > 1 {
			words += 4 * 15 // at most, which slot each v-TB has
		}
		left := slices.Clone(original.shared[arch])
		for _, after := range list {
			i := slices.IndexFunc(left, func(before int) bool {
				return after == before || after >= before*slots+4 && after <= before*slots+words+15
			})
			if assert.GreaterOrEqual(t, i, 0, "%d shared bytes are none of %v, nor %d sets of those with a lock", after, left, slots) {
				left = slices.Delete(left, i, i+1)
			}
		}
	}
}

func examplePaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	return paths
}

// TestCasesCompile compiles every accepted case of testdata/cases, host code
// included, for one architecture.
func TestCasesCompile(t *testing.T) {
	needNVCC(t)
	for _, c := range loadCases(t) {
		variants := map[caseVariant]*rewrite.Result{}
		for _, v := range c.variants() {
			if strings.HasPrefix(c.name, "demote-cap-maxnreg") || c.name == "registers-maxnreg" || c.name == "compiler-atomics" {
				continue // for toolkits from 12.4 on, and 12.8
			}
			if res := c.rewrite(t, v, "inline"); len(res.Files) > 0 {
				variants[v] = res
			}
		}
		if len(variants) == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			suite.Sample(t, c.name, 6)
			t.Parallel()
			original, rewritten := c.compileAll(t, variants)
			for v := range variants {
				slots := 0
				if v.sync == "lock" {
					slots = 1
				}
				if v.variant == "dyn" {
					slots = c.slots
				}
				t.Run(c.stem(v), func(t *testing.T) {
					switch v.variant {
					case "co-vtb":
						// How many bytes there are is for TestRowsOfMarchingCubes.
						rewritten[v].quiet(t, original)
					case "slice", "overlay", "stage":
						// How many bytes there are is for the examples.
						rewritten[v].quiet(t, original)
					case "demote":
						// Words take shared memory of their own.
						rewritten[v].quiet(t, original)
					case "merge":
						rewritten[v].copied(t, original, c.factor, c.factor)
					case "coarsen":
						rewritten[v].copied(t, original, 1, c.factor)
					default:
						rewritten[v].same(t, original, slots)
					}
				})
			}
		})
	}
}

// compileAll compiles a case and its rewrites: together where it has one file and
// all can stand in one, which takes a part of the time, else one by one.
func (c *rewriteCase) compileAll(t *testing.T, variants map[caseVariant]*rewrite.Result) (original compiled, rewritten map[caseVariant]compiled) {
	t.Helper()
	var order []caseVariant
	rewritten = map[caseVariant]compiled{}
	for v := range variants {
		order = append(order, v)
	}
	if len(c.sources) == 1 {
		parts := [][]byte{c.sources[c.order[0]]}
		for _, v := range order {
			parts = append(parts, variants[v].Files[0].After)
		}
		if all, err := tryParts(t, parts, "-cubin", "-arch=sm_70", "-Xptxas", "-v", "-o", "out.cubin"); err == nil {
			for i, v := range order {
				rewritten[v] = all[i+1]
			}
			return all[0], rewritten
		}
	}
	for _, v := range order {
		rewritten[v] = c.compile(t, variants[v].Files)
	}
	return c.compile(t, nil), rewritten
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
		for i, f := range tried(t, path).Forms {
			check(fmt.Sprintf("%s/%d", filepath.Base(path), i), f.Result.Files)
		}
	}
	for _, c := range loadCases(t) {
		for _, v := range c.variants() {
			check(c.name+"/"+c.stem(v), c.rewrite(t, v, "inline").Files)
		}
	}
}
