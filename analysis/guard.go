package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// findGuards finds the conditions around the rest of a kernel: an if with a
// barrier that some threads of a block pass by, after which nobody meets a
// barrier or uses shared memory. For those that pass by it is a return:
//
//	if (i < n) {                        if (i >= n) return;
//	    s[t] = a[i];                    s[t] = a[i];
//	    __syncthreads();        <->     __syncthreads();
//	    b[i] = s[63 - t];               b[i] = s[63 - t];
//	}
//
// Barriers of the whole launched block wait for the threads that have not left,
// in either form.
func (k *Kernel) findGuards() {
	k.guards = map[*ir.Stmt]bool{}
	k.guardsIn(k.Func.Body.List)
}

// guardsIn looks at the last statement of a list that holds a barrier or uses
// shared memory.
func (k *Kernel) guardsIn(list []*ir.Stmt) {
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		switch {
		case !k.needsOthers(s):
			continue
		case s.Macro:
		case s.Op == ir.StmtCompound:
			k.guardsIn(s.List)
		case s.Op == ir.StmtIf && !s.Preproc && !k.Touches(k.Func, s.Cond):
			then, other := k.needsOthers(s.Body), s.Else != nil && k.needsOthers(s.Else)
			if then == other {
				return // threads that pass by one branch meet barriers in the other, or none does
			}
			if k.Uniformity(k.Func, s.Cond) == ThreadVarying && k.BarrierIn(k.Func, s) {
				k.guards[s] = true
			}
			if then {
				k.guardsIn(statements(s.Body))
			} else {
				k.guardsIn(statements(s.Else))
			}
		}
		return
	}
}

// needsOthers reports whether a statement of the kernel holds a barrier or uses
// shared memory.
func (k *Kernel) needsOthers(s *ir.Stmt) bool {
	return k.BarrierIn(k.Func, s) || k.Accesses(k.Func, s)
}

// stay is the flow of the threads that do not pass by a guard, into the branch
// that the others don't take.
func (c *context) stay(guard, branch *ir.Stmt, in flow) flow {
	cond := c.x.eval(guard.Cond)
	yes, no := in.split(c.x.ev.n, cond)
	if branch == guard.Else {
		yes = no
	}
	if !cond.known {
		yes.must = noThreads
	}
	return yes
}
