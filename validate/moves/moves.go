// Package moves proves that what stands elsewhere in the new text commutes with what it passed.
package moves

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
)

// The moves that are known, each with what it takes:
//
//   - a value is computed ahead of the turn that uses it (temp): it is loaded from memory that no store in
//     between can change, whoever computes it would have computed it, and it is kept in its own type;
//   - a statement stands earlier (MovedStmt): nothing that it passed writes what it reads, or reads what it
//     writes; it may name the value that the thread stores to an element, for the element (alikeStored);
//   - a store waits (later): nobody uses its place before it is made, and it is made for what waits, in its order;
//   - a loop counts its iterations (alikeCounted): it makes as many;
//   - a barrier is gone (DroppedBarrier): from its place to the next barrier on every path, or from the one before it,
//     nothing is done that another thread could see. An acquire is a barrier of the v-TB, a release may be one.

// moves are those of one function.
type moves struct{ *kit.Alignment }

// Fit checks the conditions of all moves of one function.
func Fit(of *kit.Alignment) {
	al := moves{of}
	if len(al.CountedLoops) > 0 && al.Obj.Kind == "unmerged" && al.Obj.Block == [3]int{} {
		if shapes, known := content.ShapesOf(al.Texts, al.Kernel.Name); known && len(shapes) == 1 {
			al.Obj.Block, al.Kernel.Block = shapes[0], shapes[0] // how often a loop goes round
		}
	}
	for _, t := range al.Temps {
		al.tempFits(t)
	}
	for b, l := range al.Later {
		al.laterFits(b, l)
	}
	for b, a := range al.CountedLoops {
		al.countedFits(a, b)
	}
	for _, m := range al.Moved {
		al.movedFits(m)
	}
	for _, d := range al.Dropped {
		if al.backward(d.List, d.At) {
			continue
		}
		al.AfterStep = d.At > 0 && al.inside(d.List[d.At-1], al.Steps)
		if e := al.forward(kit.Spot{List: d.List, Nth: d.At}, d.In, map[*ir.Stmt]bool{}); e != nil {
			al.doubtMove(e.Range.Start, "a barrier of the original stood before this, which other threads may see")
		}
	}
	var used []string
	for _, m := range []struct {
		n    int
		kind string
	}{
		{len(al.Temps), "values computed elsewhere"}, {len(al.Later), "stores that wait"}, {len(al.CountedLoops), "loops that count"}, {len(al.Splits), "arrays in two parts"},
		{len(al.Moved), "declarations that stand earlier"}, {len(al.Dropped), "barriers that others make needless"},
	} {
		if m.n > 0 {
			used = append(used, m.kind)
		}
	}
	if len(used) > 0 && !al.Kernel.Doubtful(kit.Moves) {
		al.Kernel.Show(kit.Moves, strings.Join(used, ", "))
	}
}

func (al moves) doubtMove(at int, format string, args ...any) {
	al.Kernel.Doubt(kit.Moves, al.Texts.New.File, at, format, args...)
}
