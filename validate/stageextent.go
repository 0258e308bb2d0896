package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// holdsAtLeast returns how many elements an array of the kernel certainly has: each launch passes memory that its own
// function has from cudaMalloc by then, of a size that is known, and has not given back.
func (s *staging) holdsAtLeast(v *ir.Var) (least int64) {
	if n, known := s.least[v]; known {
		return n
	}
	defer func() { s.least[v] = least }()
	t, number := numberTypeOf(v.Type.Base)
	if v.Kind != ir.VarParam || v.Type.Ptr != 1 || len(v.Writes) > 0 || v.AddrTaken || !number || t.bits < 8 {
		return 0
	}
	nth, found, ok := 0, 0, true
	for i, p := range s.b.Params {
		if p == v {
			nth = i
		}
	}
	s.hosts(func(fn *ir.Func) {
		fn.Body.Walk(func(launch *ir.Stmt) bool {
			launch.Exprs(func(e *ir.Expr) {
				e.Walk(func(e *ir.Expr) bool {
					if e.Op == ir.OpLaunch && e.Name == s.k.Name {
						n := int64(0)
						if args := e.Kids[len(e.Launch.Config):]; len(args) == len(s.b.Params) {
							n = s.bytesAt(launch, args[nth], fn) / int64(t.bits/8)
						}
						if found == 0 || n < least {
							least = n
						}
						found++
					}
					return true
				})
			})
			ok = ok && launch.Op != ir.StmtGoto
			return true
		})
	})
	if shapes, known := s.c.shapes(s.k.Name); !known || !ok || len(shapes) != found {
		return 0
	}
	return least
}

// bytesAt returns how many bytes a pointer of the host is the beginning of where a launch passes it, 0 where that is not known.
func (s *staging) bytesAt(launch *ir.Stmt, e *ir.Expr, fn *ir.Func) (bytes int64) {
	v := e.Var
	if e.Op != ir.OpIdent || v == nil || v.Kind != ir.VarLocal || v.Type.Ptr != 1 || !s.allocated(v, fn) {
		return 0
	}
	var from *ir.Stmt
	freed := []*ir.Stmt{}
	fn.Body.Walk(func(st *ir.Stmt) bool {
		st.Exprs(func(e *ir.Expr) {
			maybe := e.Any(conditional)
			e.Walk(func(e *ir.Expr) bool {
				args := e.Args()
				switch {
				case e.Op == ir.OpCall && strings.HasPrefix(e.Name, "cudaMalloc") && len(args) > 1 && givesTo(args[0], v) && !maybe:
					from, bytes = st, s.bytes(args[1])
				case e.Op == ir.OpCall && e.Name == "cudaDeviceReset", e.Op == ir.OpCall && strings.HasPrefix(e.Name, "cudaFree") && len(args) > 0 && args[0].Root() != nil && args[0].Root().Var == v:
					freed = append(freed, st)
				}
				return true
			})
		})
		return true
	})
	if from == nil || from.Range.Start >= launch.Range.Start {
		return 0
	}
	for in, p := from, from.Parent; p != nil; in, p = p, p.Parent {
		if p.Op == ir.StmtDo && p.Any(func(t *ir.Stmt) bool { return (t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && t.JumpTarget() == p }) {
			return 0
		}
		if p.Op != ir.StmtCompound && p.Op != ir.StmtDo && !launch.Inside(in) {
			return 0 // it may not come by here before it launches
		}
	}
	for _, st := range freed {
		if st.Range.Start < launch.Range.Start {
			return 0
		}
		for p := launch.Parent; p != nil; p = p.Parent {
			if p.IsLoop() && st.Inside(p) && !from.Inside(p) {
				return 0
			}
		}
	}
	return bytes
}

// bytes evaluates a number of bytes, 0 where that is not known.
func (s *staging) bytes(e *ir.Expr) int64 {
	switch {
	case e.Op == ir.OpBinary && e.Tok == "*":
		return s.bytes(e.Kids[0]) * s.bytes(e.Kids[1])
	case e.Op == ir.OpSizeof:
		us := s.c.b.between(e.Range.Start, e.Range.End)
		at := indexOf(us, "sizeof")
		if at < 0 || mentions(us[at+1:], "sizeof") || closing(us, at+1) < 0 {
			return 0
		}
		t, _ := numberTypeOf(text(us[at+2 : closing(us, at+1)]))
		return int64(t.bits / 8)
	}
	n, _ := s.c.number(e)
	return int64(n)
}
