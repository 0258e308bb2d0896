package analysis

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// Limits of what is analysed. People write kernels of some thousand nodes and
// twenty levels; what generators write may be larger, but time grows with the
// depth times the size, and the stack with the depth.
const (
	maxNodes = 1_000_000 // statements and expressions of a kernel and all that it calls
	maxDepth = 500       // of statements in statements and expressions in expressions
)

// findSize gives up on kernels that are too large or too deep.
func (k *Kernel) findSize() {
	nodes := 0
	for _, fn := range k.Functions {
		m := measure{}
		m.stmt(fn.Body, 1)
		if nodes += m.nodes; nodes > maxNodes {
			k.giveUp(fn, k.View.Start, fmt.Sprintf("the kernel and the functions that it calls have more than %d statements and expressions", maxNodes))
			return
		}
		if m.deepest > maxDepth {
			k.giveUp(fn, m.at, fmt.Sprintf("statements or expressions are nested more than %d deep", maxDepth))
			return
		}
	}
}

// giveUp leaves the kernel alone because analysing it would take too long.
func (k *Kernel) giveUp(fn *ir.Func, at int, text string) {
	k.Hazards = nil // those of passes that were not finished say little
	k.abandonIn(fn, at, CodeGaveUp, text)
}

func (k *Kernel) abandonIn(fn *ir.Func, at int, code diag.Code, text string) {
	*k = Kernel{Prog: k.Prog, File: k.File, View: k.View, Name: k.Name, abandoned: true}
	k.prepare()
	k.refuse(fn.File, at, code, text)
	k.Func = &ir.Func{File: k.File, View: k.View, Body: &ir.Stmt{Op: ir.StmtCompound}}
	k.Functions = []*ir.Func{k.Func}
}

// Unread reports whether nothing is known of what the kernel does: it can't be
// parsed, or analysing it was given up.
func (k *Kernel) Unread() bool { return k.View.Error != nil || k.abandoned }

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
