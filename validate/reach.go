package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// kernelState is what the passes find out about one kernel of the new text.
type kernelState struct {
	copies  map[string]*copySet
	aligned map[*parser.Function]*alignment // device functions that are given the object
	main    *alignment
	params  int                     // of the original
	extra   int                     // where the new kernel has one more
	bytes   string                  // the parameter that holds the bytes of a set of dynamic shared memory
	reach   []*ir.Func              // device functions that may be called, the kernel first
	tainted map[*ir.Var]bool        // variables that may hold the address of shared memory
	holds   bool                    // an element of shared memory may hold one
	sharing map[string]bool         // classes with shared memory of their own
	classes map[string]bool         // of nothing but numbers
	calls   map[*ir.Expr][]*ir.Func // what a call may be of; nil for one of no function in view
}

// reachFrom lists the device functions that a kernel may call.
func (c *comparison) reachFrom(k *Kernel, main *ir.Func) {
	st := k.state
	if c.sharing == nil {
		c.classes, c.sharing = c.numberClasses(), c.sharingClasses()
	}
	st.calls, st.classes, st.sharing = map[*ir.Expr][]*ir.Func{}, c.classes, c.sharing
	seen := map[*ir.Func]bool{main: true}
	st.reach = []*ir.Func{main}
	for i := 0; i < len(st.reach); i++ {
		walk(st.reach[i].Body, func(e *ir.Expr) bool {
			if e.Op != ir.OpCall {
				return true
			}
			name := called(e)
			ofObject := func(fn *parser.Function) bool { return st.main != nil && c.givenObject(fn, st.main.obj) }
			exact := slices.ContainsFunc(c.devices[name], ofObject)
			for _, fn := range c.devices[name] {
				g := c.lowered(fn)
				if exact && !ofObject(fn) && len(fn.Params) > 0 && strings.Contains(c.fileOf[fn].Text(fn.Params[0].Node), "smux::") {
					continue // it is given the object of another kernel
				}
				if _, exact := e.IsMemberCall(); exact && fn.Class == "" {
					continue
				}
				if n := len(e.Args()); n > len(fn.Params) && fn.ParamList != nil && !strings.Contains(c.fileOf[fn].Text(fn.ParamList), "...") {
					continue // it takes fewer: that of the original beside the one that is given the v-TB object
				}
				st.calls[e] = append(st.calls[e], g)
				if !seen[g] {
					seen[g] = true
					st.reach = append(st.reach, g)
				}
			}
			return true
		})
	}
}

// givenObject reports whether a function is given a reference to an object of a kernel's type.
func (c *comparison) givenObject(fn *parser.Function, o *object) bool {
	if len(fn.Params) == 0 {
		return false
	}
	var words []string
	text := []byte(c.fileOf[fn].Text(fn.Params[0].Node))
	for _, t := range parser.TokensBetween(text, 0, len(text)) {
		words = append(words, string(text[t.Start:t.End]))
	}
	return strings.HasPrefix(strings.Join(words, " "), "const "+strings.TrimPrefix(o.type_, "const ")+" &")
}

// walk calls f for every expression in a statement, those in lambdas included, but not for the names of
// what is called.
func walk(s *ir.Stmt, f func(*ir.Expr) bool) {
	var visit func(e *ir.Expr)
	all := func(s *ir.Stmt) {
		s.Walk(func(t *ir.Stmt) bool { t.Exprs(visit); return true })
	}
	visit = func(e *ir.Expr) {
		if e.Op == ir.OpLambda && e.Lambda != nil {
			all(e.Lambda)
		}
		if !f(e) {
			return
		}
		for _, kid := range operands(e) {
			visit(kid)
		}
		for _, kid := range e.TArgs {
			visit(kid)
		}
	}
	all(s)
}

// some reports whether there is an expression in a statement of which something is so.
func some(s *ir.Stmt, is func(*ir.Expr) bool) bool { return first(s, is) != nil }

// first returns the first expression in a statement of which something is so, nil without one.
func first(s *ir.Stmt, is func(*ir.Expr) bool) (found *ir.Expr) {
	walk(s, func(e *ir.Expr) bool {
		if found == nil && is(e) {
			found = e
		}
		return found == nil
	})
	return found
}

// reachable returns some functions and all that they may call.
func (st *kernelState) reachable(fns []*ir.Func) []*ir.Func {
	out := slices.Clone(fns)
	for i := 0; i < len(out); i++ {
		walk(out[i].Body, func(e *ir.Expr) bool {
			for _, g := range st.calls[e] {
				if !slices.Contains(out, g) {
					out = append(out, g)
				}
			}
			return true
		})
	}
	return out
}

// called is the name of what a call is of, of a member too.
func called(e *ir.Expr) string {
	if e.Name == "" && len(e.Kids) > 0 {
		return e.Kids[0].Name
	}
	return e.Name
}

// hasBarrier reports whether functions of the new text meet a barrier of a whole block or v-TB.
func (st *kernelState) hasBarrier(fns ...*ir.Func) bool {
	return slices.ContainsFunc(st.reachable(fns), func(g *ir.Func) bool { return some(g.Body, isBarrierCall) })
}

// meetsBarrier reports whether a call is one, or of a function that meets one.
func (st *kernelState) meetsBarrier(e *ir.Expr) bool {
	return isBarrierCall(e) || st.hasBarrier(st.calls[e]...)
}

// isBarrierCall reports whether an expression calls a barrier of the block or of a v-TB, or a vote with one.
func isBarrierCall(e *ir.Expr) bool {
	name := called(e)
	return e.Op == ir.OpCall && (strings.HasPrefix(name, "__syncthreads") || strings.HasPrefix(name, "__barrier_sync") || name == "sync" ||
		strings.HasPrefix(name, "sync_") || name == "acquire" || name == "release" || name == "arrive_and_wait")
}
