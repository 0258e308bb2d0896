package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/hardware"
)

// lateStatements are the statements of a region that run when the turn is over, for
// the rewrites that leave the text of a region as it is otherwise.
//
//	                                        const float smux_v1 = s[63 - t];
//	out[i] = a * s[63 - t] + b * out[i];    vtb.release();  // s
//	                                   -->  out[i] = a * smux_v1 + b * out[i];
//
// A barrier right behind can't be part of the release then, and in named mode needs
// one number for each v-TB.
func (p *mergeProof) lateStatements(r *analysis.Region) []analysis.Late {
	if !p.perVTBBarriers() || p.Rewriter != "vtb" && p.Rewriter != "dyn" || p.Sync == "named" && 2*p.Factor > hardware.NamedBarriers {
		return nil
	}
	late := p.Kernel.LateStatements(r)
	f := p.Kernel.File
	for _, l := range late {
		for _, e := range l.Reads {
			if strings.ContainsAny(text(f, e.Expr.Range), "\n\r") || p.isTypeParameter(e.Type) && l.Cond != nil {
				return nil
			}
		}
		if l.Cond != nil && strings.ContainsAny(text(f, l.Cond.Range), "\n\r") {
			return nil
		}
	}
	return late
}

// runsLate are the late statements of a region if they can run behind its turn: nil where
// other edits are in their way.
func (p *mergeProof) runsLate(r *analysis.Region, touched ranges) []analysis.Late {
	late := p.lateStatements(r)
	for _, l := range late {
		read := func(e analysis.LastRead) bool { return touched.meet(e.Expr.Range) }
		if touched.meet(l.Stmt.Range) && slices.ContainsFunc(l.Reads, read) || l.Cond != nil && touched.meet(l.Cond.Range) {
			return nil
		}
	}
	return late
}

// releaseEarly gives the turn back before late statements.
func (p *merger) releaseEarly(late []analysis.Late, release string) {
	f := p.Kernel.File
	var lines []string
	for _, l := range late {
		for _, e := range l.Reads {
			name := p.temporary("v")
			read := fmt.Sprintf("%s = %s;", name, text(f, e.Expr.Range))
			if l.Cond != nil {
				lines = append(lines, e.Type+" "+name+";", fmt.Sprintf("if (%s) %s", text(f, l.Cond.Range), read))
			} else {
				lines = append(lines, "const "+e.Type+" "+read)
			}
			p.buffer(f).Replace(e.Expr.Range.Start, e.Expr.Range.End, name)
		}
	}
	p.insertBefore(f, late[0].Stmt.Outer.Start, append(lines, release)...)
}
