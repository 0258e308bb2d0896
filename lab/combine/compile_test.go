package combine_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// launchBounds is a rewrite by demote that needs no name of the kernel's text.
var launchBounds = rewrite.Variant{Rewriter: "demote", Recipe: "bounds=1024,1"}

// TestFormsCompile: the programs of testdata/compile.txtar hold what has made emitted text one that no
// compiler takes, or might. nvcc's front end takes all of their forms.
func TestFormsCompile(t *testing.T) {
	suite.OnlyFull(t)
	archive, err := txtar.ParseFile("testdata/compile.txtar")
	require.NoError(t, err)
	values := combine.Values{Factors: []int{2}, Slots: []int{2}}
	c := newCompilation(t)
	c.ways = append(values.Ways(), launchBounds)
	var parts []part
	for _, f := range archive.Files {
		p, err := parser.Parse(f.Name, f.Data, parser.Options{})
		require.NoError(t, err)
		forms := c.forms(f.Name, parser.NewProgram([]*parser.File{p}, parser.Options{}))
		assert.Equal(t, strings.HasPrefix(f.Name, "refused"), len(forms) == 0, "%s: %d forms", f.Name, len(forms))
		parts = append(parts, forms...)
	}
	require.NotEmpty(t, parts)
	for chunk := range slices.Chunk(parts, 60) {
		c.pack(chunk)
	}
	c.defines = []string{"FULL"}
	c.pack(slices.DeleteFunc(parts, func(p part) bool { return !strings.HasPrefix(p.path, "directive") }))
	c.report()
}

// TestCorpusCompiles rewrites every .cu file below the folders of $SMUX_CORPUS in all ways, and has nvcc's front end
// look at what it takes as it is, with the include folders of $SMUX_CORPUS_INCLUDE. It prints each form that is refused,
// and keeps it in $SMUX_CORPUS_KEEP. Where $SMUX_CORPUS_ARCH is set all is compiled for that architecture.
func TestCorpusCompiles(t *testing.T) {
	folders := os.Getenv("SMUX_CORPUS")
	if folders == "" {
		t.Skip("SMUX_CORPUS names no folder")
	}
	var paths []string
	for _, dir := range filepath.SplitList(folders) {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".cu" {
				paths = append(paths, path)
			}
			return nil
		}))
	}
	c := newCompilation(t)
	c.ways = append(combine.Usual.Ways(), launchBounds)
	c.includes = filepath.SplitList(os.Getenv("SMUX_CORPUS_INCLUDE"))
	c.arch = os.Getenv("SMUX_CORPUS_ARCH")
	parallel.Each(context.Background(), len(paths), runtime.NumCPU(), func(i int) error {
		text, err := os.ReadFile(paths[i])
		if !assert.NoError(t, err) || !bytes.Contains(text, []byte("__global__")) {
			return nil
		}
		prog, errs := parser.LoadProgram(paths[i:i+1], parser.Options{IncludeDirs: c.includes})
		if len(errs) > 0 {
			t.Logf("%s: not read: %v", paths[i], errs)
			return nil
		}
		forms := c.forms(paths[i], prog)
		for chunk := range slices.Chunk(forms, 20) {
			c.pack(chunk)
		}
		t.Logf("%s: %d texts", paths[i], len(forms))
		return nil
	})
	c.report()
}

// compilation counts what nvcc has against forms of programs.
type compilation struct {
	t        *testing.T
	ways     []rewrite.Variant
	includes []string
	defines  []string
	arch     string // "" for the front end alone

	mutex                                           sync.Mutex
	programs, changed, variants, texts, wrong, left int
}

func newCompilation(t *testing.T) *compilation {
	t.Helper()
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("no nvcc on PATH: emitted code was not compiled (scripts/install-cuda.sh installs it)")
	}
	return &compilation{t: t}
}

func (c *compilation) report() {
	c.t.Logf("%d programs, %d of which are rewritten: %d variants, %d texts, %d of them refused by nvcc, and %d of programs that it refuses as they are",
		c.programs, c.changed, c.variants, c.texts, c.wrong, c.left)
}

// part is a form of a program, or the program itself.
type part struct {
	path     string
	way      string
	text     []byte
	original []byte
}

// forms are those of a program of one file.
func (c *compilation) forms(path string, prog *parser.Program) (out []part) {
	trial, err := combine.Try(prog, c.ways, rewrite.Options{})
	if !assert.NoError(c.t, err, path) {
		return nil
	}
	for _, f := range trial.Forms {
		out = append(out, part{path, f.Ways[0].String(), f.Result.Files[0].After, prog.Files[0].Original()})
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.programs++
	if len(out) > 0 {
		c.changed++
	}
	c.texts, c.variants = c.texts+len(out), c.variants+len(trial.Accepted)
	return out
}

// pack compiles forms together, and one by one where that fails.
func (c *compilation) pack(parts []part) {
	var texts [][]byte
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	if len(parts) == 0 || len(parts) > 1 && c.compile(parts[0].path, combine.Pack(texts)) == nil {
		return
	}
	broken := map[string]bool{} // programs that nvcc refuses
	for _, p := range parts {
		err := c.compile(p.path, p.text)
		if err == nil {
			continue
		}
		if _, known := broken[p.path]; !known {
			broken[p.path] = c.compile(p.path, p.original) != nil
		}
		c.mutex.Lock()
		if broken[p.path] {
			c.left++
		} else {
			c.wrong++
		}
		c.mutex.Unlock()
		if broken[p.path] {
			continue
		}
		c.t.Errorf("%s: %s: %v", p.path, p.way, err)
		if dir := os.Getenv("SMUX_CORPUS_KEEP"); dir != "" {
			name := strings.ReplaceAll(fmt.Sprintf("%s-%s.cu", strings.TrimSuffix(filepath.Base(p.path), ".cu"), p.way), " ", "-")
			assert.NoError(c.t, os.WriteFile(filepath.Join(dir, name), p.text, 0o666))
		}
	}
}

// compile compiles a text in the place of a file.
func (c *compilation) compile(path string, text []byte) error {
	dir := c.t.TempDir()
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return err
	}
	args := []string{file, "-Wno-deprecated-gpu-targets", "-w", "-I", filepath.Dir(path), "-arch=" + cmp.Or(c.arch, "sm_80")}
	for _, dir := range c.includes {
		args = append(args, "-I", dir)
	}
	for _, name := range c.defines {
		args = append(args, "-D", name)
	}
	command := exec.Command("../../scripts/nvcc-front.sh", args...)
	if c.arch != "" {
		command = exec.Command("nvcc", append(args, "-cubin", "-o", file+".cubin")...)
	}
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
