package alone

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/translate"
)

// notReached returns the branches of functions that no run has reached, by translate.Branch's ID; functions are those of which names is true.
func notReached(prog *parser.Program, reached map[uint32]int64, names func(function string) bool) map[uint32]bool {
	out := map[uint32]bool{}
	for _, f := range prog.All() {
		for _, b := range translate.Branches(f) {
			if reached[b.ID] == 0 && names(b.Function) {
				out[b.ID] = true
			}
		}
	}
	return out
}

// branchAt returns the ID of the innermost branch around a place, 0 for none.
func branchAt(prog *parser.Program, at diag.Position) (id uint32) {
	for _, f := range prog.All() {
		if f.Name != at.File {
			continue
		}
		offset := f.Offset(at)
		for _, b := range translate.Branches(f) {
			if b.Start <= offset && offset < b.End {
				id = b.ID
			}
		}
	}
	return id
}
