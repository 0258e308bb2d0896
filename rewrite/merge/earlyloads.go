package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// earlyLoads are loads after the leading definitions of a region that can be made before it,
// too, where Variant.Early asks for them: of what nothing changes while the kernel runs. moves
// are those that move anyway; all together keep to Variant.Stage.
//
//	                                        const float smux_v1 = a[i];
//	s[t] = a[i];                            const float smux_v2 = b[i];
//	__syncthreads();               -->      vtb.acquire();  // guards s
//	sum += s[63 - t] * b[i];                s[t] = smux_v1;
//	                                        vtb.sync();
//	                                        sum += s[63 - t] * smux_v2;
func (p *mergeProof) earlyLoads(r *analysis.Region, moves []kit.LoadMove, touched kit.Ranges) (out []kit.LoadMove) {
	if !p.Early || p.Stage == variant.NoStage {
		return nil
	}
	left := p.Stage
	for _, m := range moves {
		left -= motion.Values(p.Kernel, m.Split)
	}
	loops := map[*ir.Stmt]bool{} // that have a pragma already
	for _, m := range moves {
		loops[m.Loop] = true
	}
	for _, s := range motion.EarlyLoads(p.Kernel, r) {
		if n := motion.Values(p.Kernel, s); p.Stage > 0 && n > left {
			if s.Decl != nil {
				return out // loads after it may use it
			}
			continue
		}
		m := kit.LoadMove{Split: s, Early: true}
		m.Rolled = m.Rolled && !loops[m.Loop]
		if !p.movesEarly(&m, touched) {
			if s.Decl != nil {
				return out
			}
			continue
		}
		left -= motion.Values(p.Kernel, s)
		if m.Loop != nil {
			loops[m.Loop] = true
		}
		touched = append(slices.Clone(touched), m.Places()...)
		out = append(out, m)
	}
	return out
}

// movesEarly reports whether the text allows a register for a load, or the move of a declaration.
func (p *mergeProof) movesEarly(m *kit.LoadMove, touched kit.Ranges) bool {
	f := p.Kernel.File
	if m.Decl != nil {
		if !p.MovesDeclaration(m, touched) {
			return false
		}
		m.LoadText = withKnown(f, ir.Range{Start: m.Stmt.Range.Start, End: kit.StmtEnd(f, m.Stmt)}, m.Known)
		return kit.OneLine(m.LoadText)
	}
	m.Taken = m.Load.Range
	m.LoadText = " " + withKnown(f, m.Taken, m.Known)
	switch {
	case touched.Meet(m.Taken) || !kit.OneLine(m.LoadText):
		return false
	case m.Cond != nil:
		m.Under = fmt.Sprintf("if (%s) ", kit.Text(f, m.Cond.Range))
		if m.Negated {
			m.Under = fmt.Sprintf("if (!(%s)) ", kit.Text(f, m.Cond.Range))
		}
	case m.First != nil:
		m.Under = firstEntered(f, m.First)
	}
	if !kit.OneLine(m.Under) || p.IsTypeParameter(m.Type) && m.Under != "" {
		return false
	}
	return m.Loop == nil || p.MovesOutOfLoop(m, touched)
}

// firstEntered is "if (…) ", the condition of a loop for its first iteration.
func firstEntered(f *parser.File, loop *ir.Stmt) string {
	v, c := loop.Init.Vars[0], loop.Cond
	return fmt.Sprintf("if ((%s)(%s) %s %s) ", v.Type.Base, kit.Text(f, v.Init.Range), c.Tok, kit.Text(f, ir.Range{Start: c.Kids[1].Range.Start, End: c.Range.End}))
}

// withKnown is a text in which shared elements are replaced by the variables that were stored there.
func withKnown(f *parser.File, at ir.Range, known []motion.Known) string {
	var b strings.Builder
	for _, k := range known {
		b.Write(f.Src[at.Start:k.Element.Range.Start])
		b.WriteString(k.Value.Name)
		at.Start = k.Element.Range.End
	}
	b.Write(f.Src[at.Start:at.End])
	return b.String()
}
