package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
)

// offsetBox is a box of elements around a thread's own, by axis.
type offsetBox []span

type span struct{ low, high int }

// mostBoxes is in how many boxes the offsets of a pattern may lie: a star in three dimensions has three.
const mostBoxes = 3

// boxesOf are boxes in which each corner is the offset of a load, and that hold all of them:
// one for a stencil that reads a full neighbourhood, one for each arm of a star. What lies
// between the corners of a box lies in the array between elements that are read.
func (a *stagedArray) boxesOf() (boxes []offsetBox, ok bool) {
	boxes = lists.Map(a.loads, a.boxOf)
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(boxes); i++ {
			for j := len(boxes) - 1; j > i; j-- {
				if boxes[i].takes(boxes[j]) {
					boxes = slices.Delete(boxes, j, j+1)
					merged = true
				}
			}
		}
	}
	return boxes, len(boxes) <= mostBoxes
}

// betweenSteps says why what a loop reads that counts by more than one is no tile, "" where it is:
// each iteration reads one element along the loop, or the first and the last of those up to the next
// iteration's, whatever else it reads.
func (a *stagedArray) betweenSteps() (why string) {
	for i, x := range a.axes {
		switch {
		case !x.isDense():
			if x.cut && x.step > 1 && slices.ContainsFunc(a.loads, func(l *stagedLoad) bool { return len(l.along[i]) > 1 }) {
				return "an iteration reads some of the elements up to the next one's"
			}
		case x.high-x.low+1 != x.step:
			return "an iteration reads some of the elements up to the next one's"
		case len(a.boxes) > 1 || a.own || len(a.model.places) > 0:
			return "the elements up to the next iteration's are read under conditions of their own"
		}
	}
	return ""
}

// boxOf are the elements that a load reads, around a thread's own.
func (a *stagedArray) boxOf(l *stagedLoad) offsetBox {
	box := make(offsetBox, len(a.axes))
	for i := range a.axes {
		box[i] = span{int(l.offsets[i]), int(l.offsets[i])}
		for _, loop := range l.along[i] {
			if loop != a.cut {
				box[i].low += int(loop.first)
				box[i].high += int(loop.last)
			}
		}
	}
	return box
}

// holds reports whether another box lies inside.
func (b offsetBox) holds(o offsetBox) bool {
	for i := range b {
		if o[i].low < b[i].low || o[i].high > b[i].high {
			return false
		}
	}
	return true
}

// takes grows a box by another that is as large along all axes but one, or lies inside.
func (b offsetBox) takes(o offsetBox) bool {
	differs := -1
	for i := range b {
		if b[i] != o[i] {
			if differs >= 0 {
				differs = len(b)
			} else {
				differs = i
			}
		}
	}
	switch {
	case b.holds(o):
		return true
	case differs == len(b):
		return false
	}
	b[differs] = span{min(b[differs].low, o[differs].low), max(b[differs].high, o[differs].high)}
	return true
}

// uncopied says why elements can't be copied by the text of the model, "" where they can: threads beside the block
// are computed with in int, and the loop that is cut counts in int to a value that stays.
func (f *indexForms) uncopied(a *stagedArray) (why string) {
	if a.cut != nil {
		if why := f.uncut(a.cut); why != "" {
			return why
		}
	}
	for i, x := range a.axes {
		if x.dim < 0 || x.low == x.high {
			continue
		}
		before := int(a.model.offsets[i])
		for _, loop := range a.counters(x) {
			before += loop.usual()
		}
		if x.low >= before && !slices.ContainsFunc(a.guards, func(g guard) bool { return g.axis == i }) {
			continue // no thread before the block's first
		}
		// Threads that do not exist read there: their numbers are negative, or too large.
		signed := func(e *ir.Expr) bool { return f.signed(e, x.dim) }
		if !signed(a.model.subscript) {
			return "its subscript is not computed in int"
		}
		for _, g := range a.guards {
			if g.e != nil && !(signed(g.e)) {
				return "a condition is not computed in int"
			}
		}
	}
	return ""
}

// isInt reports whether an expression is made of numbers and variables of type int alone.
func (f *indexForms) isInt(e *ir.Expr) bool {
	return !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt:
			return t.Tok == "u" || t.Type.Base == "long"
		case ir.OpIdent:
			v := f.k.Variable(f.k.Func, t)
			return v == nil || v.Type.Base != "int" || v.Type.Ptr > 0
		}
		return t.Op != ir.OpUnary && t.Op != ir.OpBinary && !t.IsBuildChoice()
	})
}

// signed reports whether an expression has threadIdx of a dimension through variables of type int alone.
func (f *indexForms) signed(e *ir.Expr, dim int) bool { return f.signedIn(e, f.threads[dim], dim) }

// signedIn reports whether an expression has a symbol through variables of type int alone, which
// is that of threadIdx of a dimension, or with -1 of a counter of type int.
func (f *indexForms) signedIn(e *ir.Expr, s *polynomial.Symbol, dim int) bool {
	return !e.Any(func(t *ir.Expr) bool {
		if name, d := builtinOf(t); name == "threadIdx" && d == dim {
			return true
		}
		if t.Op != ir.OpIdent || t.Var == nil || !settled(t.Var) || !f.of(t).Has(isSymbol(s)) {
			return false
		}
		switch t.Var.Type.Base {
		case "int":
			return false
		case "long", "long long":
			return !f.signedIn(t.Var.Init, s, dim)
		}
		return true
	})
}
