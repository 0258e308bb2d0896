package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
)

// ComputedRun is the beginning of a region whose values are computed, into registers, before
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
type ComputedRun struct {
	stores []motion.Computed
	Last   *ir.Stmt
}

// ComputedFirst returns the beginning of a region that is computed before its turn: nothing where
// other edits are in the way, or the text does not allow it.
func (p *Findings) ComputedFirst(r *analysis.Region, touched Ranges) ComputedRun {
	if !p.Compute {
		return ComputedRun{}
	}
	f := p.Kernel.File
	all, last := motion.ComputedStores(p.Kernel, r)
	for _, c := range all {
		places := Ranges{PointBefore(f, c.Stmt.Outer.Start)}
		for _, s := range c.Stores {
			if p.equalsOf(s) < 0 || !OneLine(Text(f, s.Kids[0].Range)) {
				return ComputedRun{}
			}
			places = append(places, ir.Range{Start: s.Kids[0].Range.Start, End: p.equalsOf(s)})
		}
		if l := c.Loop; l != nil {
			head := HeadOf(f.Src, l)
			if !FirstOnLine(f, l.Outer.Start) || !OneLine(string(f.Src[head.Start:head.End])) || !strings.HasSuffix(string(f.Src[head.Start:head.End]), ")") {
				return ComputedRun{}
			}
			places = append(places, head)
		}
		if slices.ContainsFunc(places, touched.Meet) {
			return ComputedRun{}
		}
	}
	if last == nil || touched.Meet(PointBehind(f, last)) {
		return ComputedRun{}
	}
	return ComputedRun{all, last}
}

// HeadOf is the text of a loop's head: for (…).
func HeadOf(src []byte, loop *ir.Stmt) ir.Range {
	end := loop.Body.Outer.Start
	for end > loop.Range.Start && strings.ContainsRune(" \t\r\n", rune(src[end-1])) {
		end--
	}
	return ir.Range{Start: loop.Range.Start, End: end}
}

// equalsOf is the offset of an assignment's equals sign, -1 if it can't be found.
func (p *Findings) equalsOf(store *ir.Expr) int {
	from := store.Kids[0].Range.End
	if eq := TopLevelEquals(Text(p.Kernel.File, ir.Range{Start: from, End: store.Range.End})); eq >= 0 {
		return from + eq
	}
	return -1
}

// Places returns the places that computing first touches.
func (c ComputedRun) Places(p *Findings) (out Ranges) {
	f := p.Kernel.File
	for _, s := range c.stores {
		out = append(out, s.Stmt.Range, PointBefore(f, s.Stmt.Outer.Start))
	}
	if c.Last != nil {
		out = append(out, PointBehind(f, c.Last))
	}
	return out
}

// Compute makes registers of what is stored, and returns the lines that store them, and their names.
func (w *Emitter) Compute(p *Findings, run ComputedRun) (stores []string, names []string) {
	f := w.Of.File
	b := w.Buffer(f)
	for _, c := range run.stores {
		if c.Loop != nil {
			lines, arrays := w.computeLoop(p, c)
			stores, names = append(stores, lines...), append(names, arrays...)
			continue
		}
		store, name := c.Stores[0], w.Temporary("v")
		names = append(names, name)
		b.Replace(store.Kids[0].Range.Start, p.equalsOf(store), "const "+c.Types[0]+" "+name+" ")
		stores = append(stores, Text(f, store.Kids[0].Range)+" = "+name+";")
	}
	return stores, names
}

// computeLoop makes arrays of registers of what a loop stores.
func (w *Emitter) computeLoop(p *Findings, c motion.Computed) (stores, names []string) {
	f, l := w.Of.File, c.Loop
	b, count := w.Buffer(f), w.Temporary("n")
	var registers []string
	for i, s := range c.Stores {
		name := w.Temporary("v")
		names = append(names, name)
		registers = append(registers, fmt.Sprintf("%s %s[%d];", c.Types[i], name, c.Trips))
		b.Replace(s.Kids[0].Range.Start, p.equalsOf(s), name+"["+count+"] ")
		stores = append(stores, fmt.Sprintf("%s = %s[%s];", Text(f, s.Kids[0].Range), name, count))
	}
	if c.Rolled {
		registers = append(registers, "#pragma unroll")
	}
	w.InsertBefore(f, l.Outer.Start, registers...)
	begin := strings.TrimSuffix(strings.TrimSpace(Text(f, l.Init.Range)), ";")
	head := fmt.Sprintf("for (%s, %s = 0; %s < %d; %s, ++%s)", begin, count, count, c.Trips, Text(f, l.Post.Range), count)
	under := ""
	if c.Uneven {
		under = "if (" + Text(f, l.Cond.Range) + ")"
	}
	at := HeadOf(f.Src, l)
	b.Replace(at.Start, at.End, strings.TrimSpace(head+" "+under))
	if len(stores) > 1 {
		stores = []string{"{ " + strings.Join(stores, " ") + " }"}
	}
	return []string{"#pragma unroll", head, "    " + strings.TrimSpace(under+" "+stores[0])}, names
}
