package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// KernelState holds what the passes find out about one kernel of the new text.
type KernelState struct {
	Copies  map[string]*CopySet
	Aligned map[*parser.Function]*Alignment // device functions that are given the object
	Main    *Alignment
	Params  int                     // of the original
	Extra   int                     // where the new kernel has one more
	Bytes   string                  // the parameter that holds the bytes of a set of dynamic shared memory
	Reach   []*ir.Func              // device functions that may be called, the kernel first
	Tainted map[*ir.Var]bool        // variables that may hold the address of shared memory
	holds   bool                    // an element of shared memory may hold one
	sharing map[string]bool         // classes with shared memory of their own
	classes map[string]bool         // of nothing but numbers
	Calls   map[*ir.Expr][]*ir.Func // what a call may be of; nil for one of no function in view
}

// ReachFrom lists the device functions that a kernel may call.
func (c *Comparison) ReachFrom(k *Kernel, main *ir.Func) {
	st := k.State
	if c.sharing == nil {
		c.Classes, c.sharing = c.numberClasses(), c.sharingClasses()
	}
	st.Calls, st.classes, st.sharing = map[*ir.Expr][]*ir.Func{}, c.Classes, c.sharing
	seen := map[*ir.Func]bool{main: true}
	st.Reach = []*ir.Func{main}
	for i := 0; i < len(st.Reach); i++ {
		Walk(st.Reach[i].Body, func(e *ir.Expr) bool {
			if e.Op != ir.OpCall {
				return true
			}
			name := Called(e)
			ofObject := func(fn *parser.Function) bool { return st.Main != nil && c.givenObject(fn, st.Main.Obj) }
			exact := slices.ContainsFunc(c.Devices[name], ofObject)
			for _, fn := range c.Devices[name] {
				g := c.Lowered(fn)
				if exact && !ofObject(fn) && len(fn.Params) > 0 && strings.Contains(c.FileOf[fn].Text(fn.Params[0].Node), "smux::") {
					continue // it is given the object of another kernel
				}
				if _, exact := e.IsMemberCall(); exact && fn.Class == "" {
					continue
				}
				if n := len(e.Args()); n > len(fn.Params) && fn.ParamList != nil && !strings.Contains(c.FileOf[fn].Text(fn.ParamList), "...") {
					continue // it takes fewer: that of the original beside the one that is given the v-TB object
				}
				st.Calls[e] = append(st.Calls[e], g)
				if !seen[g] {
					seen[g] = true
					st.Reach = append(st.Reach, g)
				}
			}
			return true
		})
	}
}

// givenObject reports whether a function is given a reference to an object of a kernel's type.
func (c *Comparison) givenObject(fn *parser.Function, o *Object) bool {
	if len(fn.Params) == 0 {
		return false
	}
	var words []string
	text := []byte(c.FileOf[fn].Text(fn.Params[0].Node))
	words = lists.Map(parser.TokensBetween(text, 0, len(text)), func(t parser.Token) string { return string(text[t.Start:t.End]) })
	return strings.HasPrefix(strings.Join(words, " "), "const "+strings.TrimPrefix(o.Type, "const ")+" &")
}

// Walk calls f for every expression in a statement, those in lambdas included, but not for the names of
// what is called.
func Walk(s *ir.Stmt, f func(*ir.Expr) bool) {
	var visit func(e *ir.Expr)
	all := func(s *ir.Stmt) {
		for t := range s.All() {
			t.Exprs(visit)
		}
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

// Some reports whether there is an expression in a statement of which something is so.
func Some(s *ir.Stmt, is func(*ir.Expr) bool) bool { return first(s, is) != nil }

// first returns the first expression in a statement of which something is so, nil without one.
func first(s *ir.Stmt, is func(*ir.Expr) bool) (found *ir.Expr) {
	Walk(s, func(e *ir.Expr) bool {
		if found == nil && is(e) {
			found = e
		}
		return found == nil
	})
	return found
}

// reachable returns some functions and all that they may call.
func (st *KernelState) reachable(fns []*ir.Func) []*ir.Func {
	out := slices.Clone(fns)
	for i := 0; i < len(out); i++ {
		Walk(out[i].Body, func(e *ir.Expr) bool {
			for _, g := range st.Calls[e] {
				if !slices.Contains(out, g) {
					out = append(out, g)
				}
			}
			return true
		})
	}
	return out
}

// Called is the name of what a call is of, of a member too.
func Called(e *ir.Expr) string {
	if e.Name == "" && len(e.Kids) > 0 {
		return e.Kids[0].Name
	}
	return e.Name
}

// HasBarrier reports whether functions of the new text meet a barrier of a whole block or v-TB.
func (st *KernelState) HasBarrier(fns ...*ir.Func) bool {
	return slices.ContainsFunc(st.reachable(fns), func(g *ir.Func) bool { return Some(g.Body, IsBarrierCall) })
}

// MeetsBarrier reports whether a call is one, or of a function that meets one.
func (st *KernelState) MeetsBarrier(e *ir.Expr) bool {
	return IsBarrierCall(e) || st.HasBarrier(st.Calls[e]...)
}

// IsBarrierCall reports whether an expression calls a barrier of the block or of a v-TB, or a vote with one.
func IsBarrierCall(e *ir.Expr) bool {
	name := Called(e)
	return e.Op == ir.OpCall && (strings.HasPrefix(name, "__syncthreads") || strings.HasPrefix(name, "__barrier_sync") || name == "sync" ||
		strings.HasPrefix(name, "sync_") || name == "acquire" || name == "release" || name == "arrive_and_wait")
}

// OfGrid holds calls of cooperative groups that tell more than what a thread block has of its own, or which lanes run together.
var OfGrid = map[string]bool{"group_index": true, "block_index": true, "block_rank": true, "this_grid": true, "this_multi_grid": true, "this_cluster": true, "coalesced_threads": true}

// Joint reports whether an operation is for threads of a block or a warp together, but a barrier of all, or tells one's place.
func (st *KernelState) Joint(e *ir.Expr) bool {
	_, member := e.IsMemberCall()
	return e.Op == ir.OpAsm || e.Op == ir.OpIdent && e.Var == nil && e.Name == "warpSize" ||
		e.Op == ir.OpCall && len(st.Calls[e]) == 0 && (e.Intrinsic().IsJoint() || member && Called(e) != "sync")
}
