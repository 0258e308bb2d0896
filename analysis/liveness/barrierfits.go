package liveness

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// BarrierFits reports whether a barrier of the thread block can stand right before a statement of the kernel: all
// threads of the block come there, equally often, and none has left the kernel.
func BarrierFits(k *analysis.Kernel, s *ir.Stmt) bool {
	list := s.Parent
	if list == nil || list.Op != ir.StmtCompound {
		return false
	}
	for p := s; p != nil; p = p.Parent {
		if p.Macro {
			return false
		}
	}
	if uniformity.ControlUniformity(k, k.Func, list, nil) > analysis.BlockUniform {
		return false
	}
	return !slices.ContainsFunc(k.Exits, func(e analysis.Exit) bool {
		return e.Control > analysis.BlockUniform && (e.Stmt.Range.Start < s.Range.Start || inOneLoop(e.Stmt, s))
	})
}

// inOneLoop reports whether some loop holds both statements.
func inOneLoop(a, b *ir.Stmt) bool {
	for p := a; p != nil; p = p.Parent {
		if p.IsLoop() && b.Inside(p) {
			return true
		}
	}
	return false
}
