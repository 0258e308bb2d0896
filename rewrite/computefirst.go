package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// computedRun is what a region begins with where its values are computed, into registers, before
// the first of them is stored (Variant.Compute): there the turn begins.
//
//	                                              float smux_v1[4];
//	#pragma unroll                                #pragma unroll
//	for (int i = t; i < 256; i += 64)             for (int i = t, smux_n2 = 0; smux_n2 < 4; i += 64, ++smux_n2)
//	    s[i] = f(i);                       -->        smux_v1[smux_n2] = f(i);
//	                                              vtb.acquire();  // guards s
//	                                              #pragma unroll
//	                                              for (int i = t, smux_n2 = 0; smux_n2 < 4; i += 64, ++smux_n2)
//	                                                  s[i] = smux_v1[smux_n2];
//
// Where threads run the loop unequally often, each trip stands under the loop's condition.
type computedRun struct {
	stores []analysis.Computed
	last   *ir.Stmt
}

// computedFirst is what a region begins with that is computed before its turn: nothing where
// other edits are in the way, or the text does not allow it.
func (p *findings) computedFirst(r *analysis.Region, touched ranges) computedRun {
	if !p.Compute {
		return computedRun{}
	}
	f := p.Kernel.File
	all, last := p.Kernel.ComputedStores(r)
	for _, c := range all {
		places := ranges{pointBefore(f, c.Stmt.Outer.Start)}
		for _, s := range c.Stores {
			if p.equalsOf(s) < 0 || !oneLine(text(f, s.Kids[0].Range)) {
				return computedRun{}
			}
			places = append(places, ir.Range{Start: s.Kids[0].Range.Start, End: p.equalsOf(s)})
		}
		if l := c.Loop; l != nil {
			head := headOf(f.Src, l)
			if !firstOnLine(f, l.Outer.Start) || !oneLine(string(f.Src[head.Start:head.End])) || !strings.HasSuffix(string(f.Src[head.Start:head.End]), ")") {
				return computedRun{}
			}
			places = append(places, head)
		}
		if slices.ContainsFunc(places, touched.meet) {
			return computedRun{}
		}
	}
	if last == nil || touched.meet(pointBehind(f, last)) {
		return computedRun{}
	}
	return computedRun{all, last}
}

// headOf is the text of a loop's head: for (…).
func headOf(src []byte, loop *ir.Stmt) ir.Range {
	end := loop.Body.Outer.Start
	for end > loop.Range.Start && strings.ContainsRune(" \t\r\n", rune(src[end-1])) {
		end--
	}
	return ir.Range{Start: loop.Range.Start, End: end}
}

// equalsOf is the offset of an assignment's equals sign, -1 if it can't be found.
func (p *findings) equalsOf(store *ir.Expr) int {
	from := store.Kids[0].Range.End
	if eq := topLevelEquals(text(p.Kernel.File, ir.Range{Start: from, End: store.Range.End})); eq >= 0 {
		return from + eq
	}
	return -1
}

// places are what computing first touches.
func (c computedRun) places(p *findings) (out ranges) {
	f := p.Kernel.File
	for _, s := range c.stores {
		out = append(out, s.Stmt.Range, pointBefore(f, s.Stmt.Outer.Start))
	}
	if c.last != nil {
		out = append(out, pointBehind(f, c.last))
	}
	return out
}

// compute makes registers of what is stored, and returns the lines that store them, and their
// names.
func (w *emitter) compute(p *findings, run computedRun) (stores []string, names []string) {
	f := w.of.File
	b := w.buffer(f)
	for _, c := range run.stores {
		if c.Loop != nil {
			lines, arrays := w.computeLoop(p, c)
			stores, names = append(stores, lines...), append(names, arrays...)
			continue
		}
		store, name := c.Stores[0], w.temporary("v")
		names = append(names, name)
		b.Replace(store.Kids[0].Range.Start, p.equalsOf(store), "const "+c.Types[0]+" "+name+" ")
		stores = append(stores, text(f, store.Kids[0].Range)+" = "+name+";")
	}
	return stores, names
}

// computeLoop makes arrays of registers of what a loop stores.
func (w *emitter) computeLoop(p *findings, c analysis.Computed) (stores, names []string) {
	f, l := w.of.File, c.Loop
	b, count := w.buffer(f), w.temporary("n")
	var registers []string
	for i, s := range c.Stores {
		name := w.temporary("v")
		names = append(names, name)
		registers = append(registers, fmt.Sprintf("%s %s[%d];", c.Types[i], name, c.Trips))
		b.Replace(s.Kids[0].Range.Start, p.equalsOf(s), name+"["+count+"] ")
		stores = append(stores, fmt.Sprintf("%s = %s[%s];", text(f, s.Kids[0].Range), name, count))
	}
	if c.Rolled {
		registers = append(registers, "#pragma unroll")
	}
	w.insertBefore(f, l.Outer.Start, registers...)
	begin := strings.TrimSuffix(strings.TrimSpace(text(f, l.Init.Range)), ";")
	head := fmt.Sprintf("for (%s, %s = 0; %s < %d; %s, ++%s)", begin, count, count, c.Trips, text(f, l.Post.Range), count)
	under := ""
	if c.Uneven {
		under = "if (" + text(f, l.Cond.Range) + ")"
	}
	at := headOf(f.Src, l)
	b.Replace(at.Start, at.End, strings.TrimSpace(head+" "+under))
	if len(stores) > 1 {
		stores = []string{"{ " + strings.Join(stores, " ") + " }"}
	}
	return []string{"#pragma unroll", head, "    " + strings.TrimSpace(under+" "+stores[0])}, names
}
