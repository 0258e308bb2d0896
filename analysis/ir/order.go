package ir

// MayPrecede reports whether a thread may evaluate a before b, two expressions of a function, as far as the order of its
// statements tells: if unknown it may.
func (f *Func) MayPrecede(a, b *Expr) bool {
	var sa, sb *Stmt
	jumps := false
	for s := range f.Body.All() {
		jumps = jumps || s.Op == StmtGoto || s.Op == StmtLabel || s.Op == StmtUnknown
		s.Exprs(func(top *Expr) {
			for e := range top.All() {
				if e == a {
					sa = s
				}
				if e == b {
					sb = s
				}
			}
		})
	}
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
		for e := range top.All() {
			if e.Op == OpAssign && e.Kids[0] == a {
				assigned = e.Any(func(x *Expr) bool { return x == b })
			}
		}
	})
	return !assigned
}
