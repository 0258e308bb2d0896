//go:build unix

package bundle

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/translate"
)

// asCompiler makes this program stand in for nvcc, by the CPU engine.
const asCompiler = "SMUX_TEST_COMPILER"

func TestMain(m *testing.M) {
	if os.Getenv(asCompiler) != "" {
		if err := compile(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	os.Exit(m.Run())
}

// compile builds a program of one unit for the CPU.
func compile(args []string) error {
	var unit, out string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--version":
			fmt.Println("Cuda compilation tools, release 0.1, V0.1.0")
			return nil
		case args[i] == "-o":
			i++
			out = args[i]
		case strings.HasSuffix(args[i], ".cu"):
			unit = args[i]
		}
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	prog, errs := parser.LoadProgram([]string{unit}, parser.Options{})
	if len(errs) > 0 {
		return errs[0]
	}
	translated, err := translate.Translate(prog.Files[0], prog.Headers, translate.Options{Dir: filepath.Join(dir, "unit")})
	if err != nil {
		return err
	}
	compiler, err := build.Find("")
	if err != nil {
		return err
	}
	toolchain, err := build.Open(compiler, "")
	if err != nil {
		return err
	}
	defer toolchain.Close()
	made, err := toolchain.Build(context.Background(), build.Request{Units: []*translate.Unit{translated}, Mode: build.Plain, Dir: dir})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(made.Path)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o755)
}

// exampleProject is MM with two forms. What it finds wrong itself ends it as well as
// anything else, so that its outputs are what tells.
func exampleProject(t *testing.T) (e *elsewhere, text []byte) {
	t.Helper()
	text, err := os.ReadFile("../../examples/mm/mm.cu")
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("EXIT_FAILURE"), []byte("0"))
	e = newElsewhere(t)
	e.put(filepath.Join(e.root, "mm.cu"), string(text))
	e.in.Subject.Kernel, e.in.Program.Kernels = "multiply", []string{"multiply"}
	e.in.Program.Args, e.in.Program.Timeout, e.in.Search, e.in.Confirm = []string{"2", "2", "2"}, time.Minute, 2, 1
	prog, errs := parser.LoadProgram([]string{"mm.cu"}, parser.Options{})
	require.Empty(t, errs)
	for _, way := range []rewrite.Variant{{}, {Rewriter: "vtb", Factor: 2, SharedSets: 1}} {
		texts := map[string][]byte{"mm.cu": text}
		if way.Rewriter != "" {
			result, err := rewrite.Run(prog, rewrite.Options{Variant: way})
			require.NoError(t, err)
			require.Len(t, result.Files, 1)
			way, texts["mm.cu"] = result.Kernels[0].Variant, result.Files[0].After
		}
		e.in.Forms = append(e.in.Forms, exampleForm(record.TunedVariant{Variant: way}, texts))
	}
	return e, text
}

func exampleForm(c record.TunedVariant, texts map[string][]byte) Source {
	return Source{Variant: record.MeasuredVariant{Candidate: c, Text: record.HashTexts(texts, nil)}, Source: machine.Source{Candidate: c, Texts: texts}}
}

// The programs of a folder are those that the CPU engine makes of its texts.
func TestAnExampleIsMeasuredElsewhere(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	e, text := exampleProject(t)
	wrong := bytes.Replace(text, []byte("sum += AS"), []byte("sum -= AS"), 1)
	require.NotEqual(t, text, wrong)
	e.in.Forms = append(e.in.Forms, exampleForm(record.TunedVariant{Blocks: 2}, map[string][]byte{"mm.cu": wrong}))
	e.export()
	e.put(filepath.Join(e.path, "nvcc"), fmt.Sprintf("#!/bin/sh\nTMPDIR=/tmp %s=1 exec %s \"$@\"\n", asCompiler, quote(self)))
	e.run("sh")
	got := e.fetch(nil)
	assert.Equal(t, map[string]int{"original": 2, e.in.Forms[1].Variant.Candidate.String(): 3, "original cap=2": 0}, got.Pairs)
	for _, l := range got.Lines {
		switch {
		case l.Failure != nil:
			assert.Equal(t, record.FailedOutput, l.Failure.Kind)
			assert.Contains(t, l.Failure.Text, "float 0")
		case l.Pair != nil:
			assert.Equal(t, record.Evidence{Copies: 1, Bytes: 32 * 32 * 4, Lines: l.Pair.Checked.Lines, Memory: 2 * 32 * 32 * 4}, l.Pair.Checked)
			assert.Positive(t, l.Pair.Base[0])
			assert.Positive(t, l.Pair.Variant[0])
		}
	}
}

func TestNVCCBuildsAnExample(t *testing.T) {
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skipf("nothing was compiled: %v", err)
	}
	e, _ := exampleProject(t)
	e.export()
	c := e.command("make", "-j2", "NVCC="+toolkit.Path)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	m, err := ReadManifest(e.dir)
	require.NoError(t, err)
	for _, f := range m.Forms {
		assert.FileExists(t, filepath.Join(e.dir, "bin", m.Arch, f.Folder), "%s", out)
	}
	again, err := e.command("make", "-j2").CombinedOutput()
	require.NoError(t, err)
	assert.NotContains(t, string(again), "building", "by the same nvcc")
	again, err = exec.Command("make", "-C", e.dir, "-n", "ARCH=sm_70").CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(again), "building", "for another architecture")
}
