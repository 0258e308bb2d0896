package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// The moves that are known, each with what it takes:
//
//   - a value is computed ahead of the turn that uses it (temp): it is loaded from memory that no store in
//     between can change, whoever computes it would have computed it, and it is kept in its own type;
//   - a statement stands earlier (movedStmt): nothing that it passed writes what it reads, or reads what it
//     writes; it may name the value that the thread stores to an element, for the element (alikeStored);
//   - a store waits (later): nobody uses its place before it is made, and it is made for what waits, in its order;
//   - a loop counts its iterations (alikeCounted): it makes as many;
//   - a barrier is gone (droppedBarrier): from its place to the next barrier on every path, or from the one before it,
//     nothing is done that another thread could see. An acquire is a barrier of the v-TB, a release may be one.

// moves are those of one function.
type moves struct{ *alignment }

// movesFit checks the conditions of all moves of one function.
func movesFit(of *alignment) {
	al := moves{of}
	if len(al.counted) > 0 && al.obj.kind == "unmerged" && al.obj.block == [3]int{} {
		if shapes, known := shapesOf(al.c, al.k.Name); known && len(slices.Compact(shapes)) == 1 {
			al.obj.block, al.k.Block = shapes[0], shapes[0] // how often a loop goes round
		}
	}
	for _, t := range al.temps {
		al.tempFits(t)
	}
	for b, l := range al.later {
		al.laterFits(b, l)
	}
	for b, a := range al.counted {
		al.countedFits(a, b)
	}
	for _, m := range al.moved {
		al.movedFits(m)
	}
	for _, d := range al.dropped {
		if al.backward(d.list, d.at) {
			continue
		}
		al.afterStep = d.at > 0 && al.inside(d.list[d.at-1], al.steps)
		if e := al.forward(spot{d.list, d.at}, d.in, map[*ir.Stmt]bool{}); e != nil {
			al.doubtMove(e.Range.Start, "a barrier of the original stood before this, which other threads may see")
		}
	}
	var used []string
	for _, m := range []struct {
		n    int
		kind string
	}{
		{len(al.temps), "values computed elsewhere"}, {len(al.later), "stores that wait"}, {len(al.counted), "loops that count"}, {len(al.splits), "arrays in two parts"},
		{len(al.moved), "declarations that stand earlier"}, {len(al.dropped), "barriers that others make needless"},
	} {
		if m.n > 0 {
			used = append(used, m.kind)
		}
	}
	if len(used) > 0 && !al.k.doubtful(Moves) {
		al.k.shown(Moves, strings.Join(used, ", "))
	}
}

func (al moves) doubtMove(at int, format string, args ...any) {
	al.k.doubt(Moves, al.c.b.file, at, format, args...)
}
