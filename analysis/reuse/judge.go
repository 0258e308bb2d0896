package reuse

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// judge lists what stands in the way of staging a class of loads.
func (s *search) judge(out *Candidate, c *class, n nest) {
	x := c.first()
	if !x.Sized {
		out.refuse(s.position(x), "the size of the array's elements is not known")
	}
	if x.Array.Var.Type.Volatile {
		out.refuse(s.position(x), "the array is volatile")
	}
	s.writes(out, x)
	s.control(out, c, n)
}

func (c *Candidate) refuse(pos diag.Position, text string) {
	c.Refused = addReason(c.Refused, pos, text)
}

func (c *Candidate) need(pos diag.Position, text string) {
	c.Needs = addReason(c.Needs, pos, text)
}

func addReason(to []Reason, pos diag.Position, text string) []Reason {
	r := Reason{pos, text}
	if slices.Contains(to, r) {
		return to
	}
	return append(to, r)
}

// writes looks at what the kernel writes: to the array itself, which forbids
// staging, or to others that may be the same memory.
func (s *search) writes(out *Candidate, x *affine.Access) {
	var others []affine.Array
	for _, w := range s.found.Accesses {
		if !w.Writes() || w.Array.Space == affine.SpaceShared {
			continue
		}
		switch {
		case w.Array == x.Array:
			out.refuse(s.position(w), "the kernel writes the array")
			return
		case distinctMemory(x.Array, w.Array) || slices.Contains(others, w.Array):
		default:
			others = append(others, w.Array)
		}
	}
	if len(others) > 0 {
		out.need(diag.Position{}, fmt.Sprintf("no alias of %s with what the kernel writes: %s", x.Array.Name(), names(others)))
	}
	for _, e := range s.found.Gaps {
		if e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind != intrinsic.Debug {
			out.need(diag.Position{}, "that "+e.Name+", which can't be followed, leaves the array alone")
		}
	}
}

// distinctMemory reports whether the declarations promise that two arrays are
// different memory for the kernel's life.
func distinctMemory(read, written affine.Array) bool {
	if written.Var == nil {
		return false
	}
	r, w := read.Var.Type, written.Var.Type
	if restrictPointer(read) || restrictPointer(written) {
		return true
	}
	// Two variables with dimensions of their own.
	return len(read.Var.Dims) > 0 && len(written.Var.Dims) > 0 && r.Ptr == 0 && w.Ptr == 0 && read.Var.Kind != ir.VarParam && written.Var.Kind != ir.VarParam
}

func restrictPointer(a affine.Array) bool {
	return a.Path == "" && a.Var.Type.Restrict && a.Var.Kind == ir.VarParam
}

// control looks at the control around the place where a barrier would have to
// stand: at the head of each tile of a loop, or before everything.
func (s *search) control(out *Candidate, c *class, n nest) {
	for _, x := range c.loads {
		for _, l := range staged(x, n) {
			if l.Level < analysis.ThreadVarying || l.Even {
				continue
			}
			pos := l.Func.File.Position(l.Stmt.Range.Start)
			if l.Counted {
				out.need(pos, "the same number of iterations for all threads of the block")
			} else {
				out.refuse(pos, "threads leave the loop at different iterations, so it can hold no barrier")
			}
		}
		for _, guard := range s.guards(x, n) {
			if n.tiled != nil {
				out.need(guard, "the condition moved into the loop, so that all threads meet at the barrier")
			} else {
				out.need(guard, "the array staged in front of the condition, where all threads meet")
			}
		}
	}
	for _, e := range s.k.Exits {
		if e.Control == analysis.ThreadVarying && e.Stmt.Range.Start < c.first().Top().Range.Start {
			out.need(s.k.File.Position(e.Stmt.Range.Start), "threads that leave kept for the barrier")
		}
	}
}

// staged returns the loops inside which the array is staged: the tiled one and
// those around it, or those that move the address.
func staged(x *affine.Access, n nest) []*affine.Loop {
	last := n.tiled
	if last == nil {
		return nil // before all loops
	}
	i := slices.Index(x.Loops, last)
	return x.Loops[:i+1]
}

// guards lists the conditions around a load that not all threads of a block
// decide alike, those inside the tiled loop aside.
func (s *search) guards(x *affine.Access, n nest) []diag.Position {
	var out []diag.Position
	look := func(fn *ir.Func, from *ir.Stmt) {
		for p := from.Parent; p != nil; p = p.Parent {
			if n.tiled != nil && p == n.tiled.Stmt {
				out = out[:0] // what was met so far is inside of the loop
			}
			if (p.Op == ir.StmtIf && !p.Preproc || p.Op == ir.StmtSwitch) && p.Cond != nil && s.k.Uniformity(fn, p.Cond) == analysis.ThreadVarying {
				out = append(out, fn.File.Position(p.Range.Start))
			}
		}
	}
	look(x.Func, x.Stmt)
	for i := len(x.Calls) - 1; i >= 0; i-- {
		fn := s.k.Func
		for _, f := range s.k.Functions {
			if f.Body != nil && x.Calls[i].Inside(f.Body) {
				fn = f
			}
		}
		look(fn, x.Calls[i])
	}
	return out
}

func (s *search) position(x *affine.Access) diag.Position {
	return x.Func.File.Position(x.Expr.Range.Start)
}
