package hazards

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Limits of what is analysed. People write kernels of some thousand nodes and twenty levels; what generators write
// may be larger, but time grows with the depth times the size, and the stack with the depth.
const (
	maxNodes = 1_000_000 // statements and expressions of a kernel and all that it calls
	maxDepth = 500       // of statements in statements and expressions in expressions
)

// FindSize gives up on kernels that are too large or too deep.
func FindSize(k *analysis.Kernel) {
	nodes := 0
	for _, fn := range k.Functions {
		m := measure{}
		m.stmt(fn.Body, 1)
		if nodes += m.nodes; nodes > maxNodes {
			k.GiveUp(fn, k.View.Start, fmt.Sprintf("the kernel and the functions that it calls have more than %d statements and expressions", maxNodes))
			return
		}
		if m.deepest > maxDepth {
			k.GiveUp(fn, m.at, fmt.Sprintf("statements or expressions are nested more than %d deep", maxDepth))
			return
		}
	}
}

// measure counts nodes, and finds where they are deepest.
type measure struct {
	nodes, deepest, at int
}

func (m *measure) count(r ir.Range, depth int) {
	m.nodes++
	if depth > m.deepest {
		m.deepest, m.at = depth, r.Start
	}
}

func (m *measure) stmt(s *ir.Stmt, depth int) {
	m.count(s.Range, depth)
	s.Exprs(func(e *ir.Expr) { m.expr(e, depth+1) })
	for _, kid := range s.Children() {
		if s.Op == ir.StmtIf && kid == s.Else && kid.Op == ir.StmtIf {
			m.stmt(kid, depth) // else if is one more of a row
			continue
		}
		m.stmt(kid, depth+1)
	}
}

func (m *measure) expr(e *ir.Expr, depth int) {
	m.count(e.Range, depth)
	for _, kid := range e.Kids {
		m.expr(kid, depth+1)
	}
}
