package verify_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

// needCompiler skips a test where there is no C++ compiler.
func needCompiler(t testing.TB) {
	t.Helper()
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
}

// exampleArgs are arguments with which an example runs quickly, with which the
// last launched block has fewer v-TBs than the others, for every factor, and
// with which each v-TB enters its regions an odd number of times, where the
// example lets one choose.
var exampleArgs = map[string][]string{
	"cv": {"5", "2"}, "fft": {"5"}, "hg": {"5"}, "mc": {"5"}, "mm": {"5", "1", "3"}, "mv": {"5", "3"}, "rd": {"5", "2"}, "sp": {"5", "3"}, "sto": {"5", "3"}, "tp": {"5", "1"},
}

// exampleVariant is one variant of an example; no sync mode is the original.
type exampleVariant struct {
	sync   string
	factor int
	slots  int // of dyn, 0 for vtb
	// way is the variant of a rewriter other than these; the rest is zero then.
	way rewrite.Variant
}

func (v exampleVariant) String() string {
	if v.way.Rewriter != "" {
		return strings.ReplaceAll(v.way.String(), " ", "-")
	}
	if v.sync == "" {
		return verify.OriginalName
	}
	if v.slots > 0 {
		return fmt.Sprintf("dyn-%d-%d", v.factor, v.slots)
	}
	return fmt.Sprintf("%s-%d", v.sync, v.factor)
}

func (v exampleVariant) options() rewrite.Options {
	if v.way.Rewriter != "" {
		return rewrite.Options{Variant: v.way}
	}
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Factor: v.factor, Sync: v.sync, SharedSets: v.slots}}
	if v.slots > 0 {
		opt.Rewriter = "dyn"
	}
	return opt
}

// loadExample parses an example.
func loadExample(t *testing.T, name string) *parser.Program {
	t.Helper()
	p, errs := parser.LoadProgram([]string{filepath.Join("..", "examples", name, name+".cu")}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	return p
}

// variantOf returns an example, rewritten unless the variant is the original.
func variantOf(t *testing.T, name string, v exampleVariant, unsafe rewrite.UnsafeShrink) *parser.File {
	t.Helper()
	return rewritten(t, name, loadExample(t, name), v, unsafe)
}

// rewritten returns a program of one file, rewritten unless the variant is the
// original.
func rewritten(t *testing.T, name string, prog *parser.Program, v exampleVariant, unsafe rewrite.UnsafeShrink) *parser.File {
	t.Helper()
	if v.sync == "" && v.way.Rewriter == "" {
		return prog.Files[0]
	}
	opt := v.options()
	opt.Unsafe = unsafe
	res, err := rewrite.Run(prog, opt)
	require.NoError(t, err)
	require.Len(t, res.Files, 1, "%s: %v", name, res.Kernels)
	f, err := parser.Parse(name+".cu", res.Files[0].After, parser.Options{})
	require.NoError(t, err)
	return f
}

func oneFile(name string, text []byte) verify.Program {
	return verify.Program{Files: []verify.File{verify.NewFile(name+".cu", text)}}
}
