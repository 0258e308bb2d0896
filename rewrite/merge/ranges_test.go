package merge

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// allTouched are the places in the kernel's body that a proof says change.
func allTouched(p *mergeProof) kit.Ranges {
	f := p.Kernel.File
	out := p.touched()
	if p.first != nil {
		out = append(out, kit.PointBefore(f, p.first.Outer.Start), kit.PointBehind(f, p.last))
	}
	for _, s := range p.dropped {
		out = append(out, ir.Range{Start: kit.LineStart(f, s.Range.Start), End: kit.NextLine(f, s.Range.End)}, s.Range)
	}
	for _, s := range p.returning {
		out = append(out, kit.PointBehind(f, s))
	}
	for _, t := range p.turns {
		for _, m := range t.moves {
			out = append(out, m.Places()...)
		}
		if t.cut != nil {
			out = append(out, slices.Concat(t.cut.touched(), t.cut.around())...)
			continue
		}
		for _, b := range []*ir.Stmt{p.before[t.Region], p.behind[t.Region]} {
			if b != nil {
				out = append(out, barrierPlaces(f, b)...)
			}
		}
		for _, l := range t.late {
			out = append(out, kit.PointBefore(f, l.Stmt.Outer.Start))
			for _, e := range l.Reads {
				out = append(out, e.Expr.Range)
			}
		}
		out = append(out, kit.PointBefore(f, t.Start()), kit.PointBehind(f, p.lastOf(t.Region)))
	}
	return out
}

// TestProofsKnowWhatTheirEditsTouch compares the places that a proof keeps loads and late
// statements clear of with those of the edits that it makes, for the examples.
func TestProofsKnowWhatTheirEditsTouch(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	cases, err := filepath.Glob("../../testdata/rewrites/*.cu")
	require.NoError(t, err)
	checks := map[string]kit.Check{"vtb": CheckVTB, "vtb-pipe": CheckPipe, "dyn": CheckDyn, "merge": CheckMerge}
	edits := 0
	for _, path := range append(paths, cases...) {
		prog, _ := parser.LoadProgram([]string{path}, parser.Options{})
		for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
			for _, text := range []string{"vtb named N=2", "vtb named N=8", "vtb lock N=2", "dyn lock N=3 M=2", "merge named N=2", "merge block N=2", "vtb block N=2", "vtb-pipe block N=2"} {
				v, err := variant.Parse(text)
				require.NoError(t, err)
				proof, reasons := checks[v.Rewriter].Prove(k, kit.Options{Variant: v}.WithDefaults())
				if len(reasons) > 0 {
					continue
				}
				touched := allTouched(MergedBy(proof))
				for _, e := range proof.Apply().Files[k.File].Edits() {
					if e.Start < int(k.View.Body.Start) {
						continue // the signature
					}
					edits++
					found := false
					for _, r := range touched {
						found = found || r == ir.Range{Start: e.Start, End: e.End}
					}
					assert.True(t, found, "%s, %s: an edit at %s that the proof does not know of: %q", path, text, k.File.Position(e.Start), strings.TrimSpace(e.New))
				}
			}
		}
	}
	assert.Greater(t, edits, 500)
}
