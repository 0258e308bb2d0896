package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// waiting declares the registers in which a value waits.
func (w *slicer) waiting(x *exchange, u *sliceUse) string {
	name := w.Temporary(map[bool]string{true: "v", false: "r"}[u.store != nil])
	w.waits[u] = name
	typ := w.typeOf(u.array)
	if u.whole != u.elem {
		typ = w.memberType(u)
	}
	for _, l := range x.check.staged[u].loops {
		name += fmt.Sprintf("[%d]", l.count)
	}
	return typ + " " + name + ";"
}

// slot is the register in which a value waits, in the loops around it.
func (w *slicer) slot(x *exchange, u *sliceUse) string {
	out := w.waits[u]
	for _, l := range x.check.staged[u].loops {
		if l.step > 1 {
			out += fmt.Sprintf("[%s / %d]", l.counter.Name, l.step)
		} else {
			out += "[" + l.counter.Name + "]"
		}
	}
	return out
}

// copies are the lines of a round that stands in front of the last one.
func (w *slicer) copies(stmts []*ir.Stmt, x *exchange, r int) (lines []string) {
	for _, s := range stmts {
		copied := w.copyOf(s, x, r)
		if s.Op == ir.StmtCompound && !s.NoScope && w.opensScope(s.List, x, r) {
			copied = append(append([]string{"{"}, indented(copied)...), "}")
		}
		lines = append(lines, copied...)
	}
	return lines
}

// copyOf returns the part of a statement that a round needs.
func (w *slicer) copyOf(s *ir.Stmt, x *exchange, r int) (lines []string) {
	f := x.fn.File
	var here []*sliceUse
	inside := false
	for _, u := range x.uses {
		if u.stmt == s {
			here = append(here, u)
		}
		inside = inside || u.stmt.Inside(s)
	}
	switch {
	case s == x.barrier:
		if w.own && !(w.byArray() && w.first) {
			return nil
		}
		return []string{x.Meet()}
	case x.check.moves(s, r):
		return w.movedText(x.check.unitOf(s))
	case len(here) > 0:
		for _, u := range here {
			if u.round() == r || u.round() < 0 {
				lines = append(lines, w.early(x, u, r)...)
			}
		}
		return lines
	case w.types[s], !inside && x.check.keeps(s, r):
		whole := ir.Range{Start: s.Range.Start, End: kit.StmtEnd(f, s)}
		return linesOf(f, whole, kit.Text(f, whole))
	case s.Op == ir.StmtCompound:
		return w.copies(s.List, x, r)
	case !inside || s.Op != ir.StmtIf && s.Op != ir.StmtFor:
		return nil
	case s.Op == ir.StmtIf:
		body := indented(w.copyOf(s.Body, x, r))
		var other []string
		if s.Else != nil {
			other = indented(w.copyOf(s.Else, x, r))
		}
		lines = append([]string{"if (" + kit.Text(f, s.Cond.Range) + ") {"}, body...)
		if len(other) > 0 {
			lines = append(append(lines, "} else {"), other...)
		}
		if len(body)+len(other) == 0 {
			return nil
		}
		return append(lines, "}")
	default: // a for loop
		body := indented(w.copyOf(s.Body, x, r))
		if len(body) == 0 {
			return nil
		}
		for _, l := range strings.Split(kit.Text(f, ir.Range{Start: s.Outer.Start, End: s.Range.Start}), "\n") {
			if l = strings.TrimSpace(l); l != "" {
				lines = append(lines, l)
			}
		}
		if len(lines) == 0 && w.holdsWaiting(x, s) {
			lines = append(lines, "#pragma unroll")
		}
		head := strings.TrimSpace(kit.Text(f, ir.Range{Start: s.Range.Start, End: s.Body.Outer.Start}))
		lines = append(lines, head+" {")
		return append(append(lines, body...), "}")
	}
}

// holdsWaiting reports whether a loop holds values that wait in an array of registers,
// which must be unrolled to be registers.
func (w *slicer) holdsWaiting(x *exchange, loop *ir.Stmt) bool {
	for _, st := range x.check.staged {
		if slices.ContainsFunc(st.loops, func(l stagedLoop) bool { return l.loop == loop }) {
			return true
		}
	}
	return false
}

// unroll has the loops of the last round unrolled whose values wait in registers.
func (w *slicer) unroll(x *exchange) {
	f := x.fn.File
	done := map[*ir.Stmt]bool{}
	for _, u := range x.uses {
		for _, l := range x.check.staged[u].loops {
			if unrolled, _ := motion.Unrolled(w.Kernel, l.loop); !unrolled && !done[l.loop] {
				done[l.loop] = true
				at := l.loop.Range.Start
				w.Buffer(f).Insert(at, kit.PragmaAt(f, at, "#pragma unroll"))
			}
		}
	}
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l
		if !strings.HasPrefix(l, "#") {
			out[i] = "    " + l
		}
	}
	return out
}
