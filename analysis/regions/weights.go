package regions

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// HoldReport tells why a region is not smaller.
type HoldReport struct {
	Kind     analysis.HoldKind `json:"kind"`
	Position diag.Position     `json:"position"`
	Arrays   []string          `json:"arrays"`             // what is live, or used where it must not be
	Function string            `json:"function,omitempty"` // the device function called, of kind call
	Text     string            `json:"text"`
}

// Names returns the names of shared variables.
func Names(shared []*analysis.Shared) []string {
	out := []string{}
	for _, s := range shared {
		out = append(out, s.Name)
	}
	return out
}

// Weights counts statements, a loop's body ten times and a call as what it calls.
type Weights struct {
	K       *analysis.Kernel
	Callees map[*ir.Func]float64
}

// Of is the weight of a statement with all that is inside it.
func (w Weights) Of(fn *ir.Func, s *ir.Stmt) float64 {
	total := 0.0
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel, ir.StmtEmpty:
	case ir.StmtDecl:
		for _, v := range s.Vars {
			if v.Init != nil {
				total = 1
			}
		}
	default:
		if !s.Preproc {
			total = 1
		}
	}
	s.Exprs(func(top *ir.Expr) {
		for e := range top.All() {
			for _, c := range w.K.Callees(fn, e) {
				total += w.callee(c)
			}
		}
	})
	for _, c := range s.Children() {
		if s.IsLoop() && c == s.Body {
			total += 10 * w.Of(fn, c)
			continue
		}
		total += w.Of(fn, c)
	}
	return total
}

func (w Weights) callee(fn *ir.Func) float64 {
	if n, ok := w.Callees[fn]; ok {
		return n
	}
	w.Callees[fn] = 0 // recursion adds nothing
	n := w.Of(fn, fn.Body)
	w.Callees[fn] = n
	return n
}
