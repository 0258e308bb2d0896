package rewrite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

var (
	ptxInstruction = regexp.MustCompile(`^(@!?%p\d+\s+)?[a-z]`)
	acquireText    = regexp.MustCompile(`bar(rier)?\.sync\s+([2-9]|1\d)\b`)
)

// turnInstructions are the PTX instructions between each acquire and the release after it, in
// the order of the text, of a file with one merged kernel in sync mode named whose v-TBs share
// barrier 1.
func turnInstructions(t *testing.T, text []byte) (turns []int) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), text, 0o666))
	_, err := makeNVCC(dir, "-arch=sm_52", "-ptx", "-o", "k.ptx", "k.cu")
	require.NoError(t, err)
	ptx, err := os.ReadFile(filepath.Join(dir, "k.ptx"))
	require.NoError(t, err)
	inside, n := false, 0
	for _, line := range strings.Split(string(ptx), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case acquireText.MatchString(line):
			inside, n = true, 0
		case strings.HasPrefix(line, "bar.arrive"):
			if inside {
				turns = append(turns, n)
			}
			inside = false
		case inside && ptxInstruction.MatchString(line):
			n++
		}
	}
	return turns
}

// shorter expects that each turn of an example gets shorter by a knob, and the first by a
// fifth or more.
func shorter(t *testing.T, path, way, with string) {
	t.Helper()
	needNVCC(t)
	lengths := func(text string) []int {
		w, err := variant.Parse(text)
		require.NoError(t, err)
		return turnInstructions(t, rewriteExample(t, path, w).After)
	}
	before, after := lengths(way), lengths(way+" "+with)
	require.NotEmpty(t, before)
	require.Len(t, after, len(before))
	for i := range before {
		assert.Less(t, after[i], before[i], "turn %d", i)
	}
	assert.LessOrEqual(t, 5*after[0], 4*before[0], "%v, was %v", after, before)
}

// TestPinsKeepArithmeticOutOfTurns: the first turn of fft would hold a whole butterfly.
func TestPinsKeepArithmeticOutOfTurns(t *testing.T) {
	shorter(t, "../examples/fft/fft.cu", "vtb named N=2", "pin-values")
}

// TestLoopsAreComputedBeforeTurns: the loops that fill the shared arrays of sp and cv.
func TestLoopsAreComputedBeforeTurns(t *testing.T) {
	shorter(t, "../examples/sp/sp.cu", "vtb named N=2", "compute-first")
	shorter(t, "../examples/cv/cv.cu", "vtb named N=2", "compute-first")
}

// TestLoadsAreMadeBeforeTurns: mv reads a vector beside its tile.
func TestLoadsAreMadeBeforeTurns(t *testing.T) {
	shorter(t, "../examples/mv/mv.cu", "vtb named N=2", "early-loads")
}

var pinCall = regexp.MustCompile(`smux::pin\(([^()]*)\);\s*vtb\d*\.acquire\(\)`)

// TestPinsLookAtNothingShared: what is pinned stands right in front of a turn, where other v-TBs
// use the shared arrays, and names no shared variable, pointer or reference.
func TestPinsLookAtNothingShared(t *testing.T) {
	pins := 0
	emitted(t, func(t *testing.T, f *parser.File) {
		calls := pinCall.FindAllSubmatch(f.Src, -1)
		assert.Len(t, calls, bytes.Count(f.Src, []byte("smux::pin(")), "not in front of a turn")
		named := map[string]bool{}
		for _, call := range calls {
			for _, name := range strings.Split(string(call[1]), ", ") {
				named[name] = true
			}
		}
		for _, k := range passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{}).Kernels() {
			for _, v := range append(k.Func.Params, k.Func.Vars...) {
				if named[v.Name] {
					pins++
					assert.True(t, v.Kind == ir.VarLocal && v.Type.Ptr == 0 && !v.Type.Ref, v.Name)
				}
			}
		}
	})
	assert.Positive(t, pins)
}

// TestKnobsOfTurnsNeedTurns: in mode block the text is the same with every knob of turns.
func TestKnobsOfTurnsNeedTurns(t *testing.T) {
	w := rewrite.Variant{Rewriter: "vtb", Sync: "block", Factor: 2}
	plain := rewriteExample(t, "../examples/fft/fft.cu", w)
	for _, knob := range variant.OfTurns() {
		*w.Switch(knob) = true
	}
	assert.Equal(t, string(plain.After), string(rewriteExample(t, "../examples/fft/fft.cu", w).After))
}
