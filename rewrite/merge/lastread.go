package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// lateStatements are the statements of a region that run when the turn is over, for
// the rewrites that leave the text of a region as it is otherwise.
//
//	                                        const float smux_v1 = s[63 - t];
//	out[i] = a * s[63 - t] + b * out[i];    vtb.release();  // s
//	                                   -->  out[i] = a * smux_v1 + b * out[i];
//
// With Variant.Late they need not load anything for that, and may be loops:
//
//	                                        float smux_v1[4];
//	for (int i = 0; i < 4; ++i)             #pragma unroll
//	    out[i] = s[63 - t + i];             for (int i = 0; i < 4; ++i) smux_v1[i] = s[63 - t + i];
//	                                        vtb.release();  // s
//	                                   -->  #pragma unroll
//	                                        for (int i = 0; i < 4; ++i)
//	                                            out[i] = smux_v1[i];
//
// A barrier right after can't be part of the release then, and in named mode needs one number for each v-TB.
func (p *mergeProof) lateStatements(r *analysis.Region) []motion.Late {
	if !p.perVTBBarriers() || p.Rewriter != variant.VTB && p.Rewriter != variant.Dyn || p.Sync == variant.SyncNamed && 2*p.Factor > hardware.NamedBarriers {
		return nil
	}
	late := motion.LateStatements(p.Kernel, r, p.Late)
	f := p.Kernel.File
	for _, l := range late {
		for _, e := range l.Reads {
			if strings.ContainsAny(kit.Text(f, e.Expr.Range), "\n\r") || p.IsTypeParameter(e.Type) && l.Cond != nil {
				return nil
			}
		}
		if l.Cond != nil && strings.ContainsAny(kit.Text(f, l.Cond.Range), "\n\r") {
			return nil
		}
		if l.Loop != nil {
			head := kit.HeadOf(f.Src, l.Loop)
			if !kit.OneLine(string(f.Src[head.Start:head.End])) || strings.Contains(string(f.Src[head.Start:head.End]), "//") || l.Rolled && !kit.FirstOnLine(f, l.Loop.Range.Start) {
				return nil
			}
		}
	}
	return late
}

// runsLate are the late statements of a region if they can run after its turn: nil where
// other edits are in their way.
func (p *mergeProof) runsLate(r *analysis.Region, touched kit.Ranges) []motion.Late {
	late := p.lateStatements(r)
	for _, l := range late {
		read := func(e motion.LastRead) bool { return touched.Meet(e.Expr.Range) }
		if touched.Meet(l.Stmt.Range) && l.Loop != nil || touched.Meet(l.Stmt.Range) && slices.ContainsFunc(l.Reads, read) || l.Cond != nil && touched.Meet(l.Cond.Range) {
			return nil
		}
	}
	return late
}

// releaseEarly gives the turn back before late statements.
func (p *merger) releaseEarly(late []motion.Late, release string) {
	f := p.Kernel.File
	var lines []string
	for _, l := range late {
		for _, e := range l.Reads {
			name := p.Temporary("v")
			if l.Loop != nil {
				name += slotOf(l)
			}
			read := fmt.Sprintf("%s = %s;", name, kit.Text(f, e.Expr.Range))
			if l.Loop != nil {
				head := kit.HeadOf(f.Src, l.Loop)
				register, _, _ := strings.Cut(name, "[")
				lines = append(lines, fmt.Sprintf("%s %s[%d];", e.Type, register, l.Count), "#pragma unroll", string(f.Src[head.Start:head.End])+" "+read)
			} else if l.Cond != nil {
				lines = append(lines, e.Type+" "+name+";", fmt.Sprintf("if (%s) %s", kit.Text(f, l.Cond.Range), read))
			} else {
				lines = append(lines, "const "+e.Type+" "+read)
			}
			p.Buffer(f).Replace(e.Expr.Range.Start, e.Expr.Range.End, name)
		}
	}
	p.InsertBefore(f, late[0].Stmt.Outer.Start, append(lines, release)...)
	for _, l := range late {
		if at := l.Stmt.Range.Start; l.Rolled {
			p.Buffer(f).Insert(at, kit.PragmaAt(f, at, "#pragma unroll"))
		}
	}
}

// slotOf is the subscript of the register that an iteration of a late loop reads into.
func slotOf(l motion.Late) string {
	if l.Step > 1 {
		return fmt.Sprintf("[%s / %d]", l.Counter.Name, l.Step)
	}
	return "[" + l.Counter.Name + "]"
}
