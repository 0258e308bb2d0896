package ir

// MayPrecede reports whether a thread may evaluate a before b, two expressions of a function, as far as the order of its
// statements tells: if unknown it may.
func (f *Func) MayPrecede(a, b *Expr) bool {
	var sa, sb *Stmt
	jumps := false
	f.Body.Walk(func(s *Stmt) bool {
		jumps = jumps || s.Op == StmtGoto || s.Op == StmtLabel || s.Op == StmtUnknown
		s.Exprs(func(top *Expr) {
			top.Walk(func(e *Expr) bool {
				if e == a {
					sa = s
				}
				if e == b {
					sb = s
				}
				return true
			})
		})
		return true
	})
	if jumps || sa == nil || sb == nil {
		return true
	}
	for loop := sa; loop != nil; loop = loop.Parent {
		if loop.IsLoop() && (sb == loop || sb.Inside(loop)) {
			return true // in an iteration before
		}
	}
	if sa != sb {
		return sa.Range.Start <= sb.Range.Start
	}
	assigned := false // after all that the assignment reads
	sa.Exprs(func(top *Expr) {
		top.Walk(func(e *Expr) bool {
			if e.Op == OpAssign && e.Kids[0] == a {
				assigned = e.Any(func(x *Expr) bool { return x == b })
			}
			return true
		})
	})
	return !assigned
}
