package turns

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
)

// builtinsFit checks that no code of a merged kernel asks the hardware for what only the v-TB object
// knows: blocks are stacked along z, so that threadIdx.x and .y and blockDim.x and .y keep their
// values, and everything else has a variable of the same name.
func (c merged) builtinsFit(k *kit.Kernel) {
	for _, fn := range k.State.Reach {
		f := fn.File
		kit.Walk(fn.Body, func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpMember && len(e.Kids) == 1 && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil:
				base := e.Kids[0].Name
				if (base == "threadIdx" || base == "blockDim") && (e.Name == "x" || e.Name == "y") {
					return false
				}
			case e.Op == ir.OpIdent && e.Var == nil:
				switch e.Name {
				case "blockIdx", "gridDim", "threadIdx", "blockDim":
					k.Doubt(kit.Builtins, f, e.Range.Start, "%s is that of the merged block here", e.Name)
				}
			case e.Op == ir.OpAsm:
				for _, word := range []string{"%tid", "%ntid", "%ctaid", "%nctaid", "%warpid", "%nwarpid", "bar.", "barrier.", "ld.volatile", "ld.relaxed", "ld.acquire"} {
					if strings.Contains(e.Name, word) {
						k.Doubt(kit.Builtins, f, e.Range.Start, "inline assembly names %s", word)
					}
				}
			case e.Op == ir.OpCall:
				c.callFits(k, fn, e)
			}
			return true
		})
	}
	if !k.Doubtful(kit.Builtins) {
		k.Show(kit.Builtins, "every use looked at")
	}
	if !k.Doubtful(kit.Progress) {
		k.Show(kit.Progress, "no loop waits for memory that others write")
	}
}

// lanesFit looks for what lanes of a warp do together. v-TBs share one where their blocks are not of whole warps.
func (c merged) lanesFit(k *kit.Kernel) {
	obj := k.State.Main.Obj
	for _, fn := range k.State.Reach {
		kit.Walk(fn.Body, func(e *ir.Expr) bool {
			of, member := e.IsMemberCall()
			if member && of.Var != nil && strings.HasPrefix(of.Var.Type.Base, "smux") {
				return true
			}
			if !(e.Op == ir.OpCall && (e.Intrinsic().IsJoint() || member && kit.IsTile(of) || strings.HasSuffix(e.Name, "_partition")) || e.Op == ir.OpAsm && lanesInAsm.MatchString(e.Name)) {
				return true
			}
			if obj.Lanes = true; kit.TurnKinds[obj.Kind].Block && obj.Threads()%32 != 0 {
				k.Doubt(kit.Uniform, fn.File, e.Range.Start, "lanes of a warp meet here, and blocks of %d threads are not whole warps", obj.Threads())
			}
			return true
		})
	}
}

var lanesInAsm = regexp.MustCompile(`%lane|shfl|vote|match|activemask|redux|mma|matrix|warp|elect`)

// callFits refuses calls whose meaning depends on the launched block, and waits for other blocks.
func (c merged) callFits(k *kit.Kernel, fn *ir.Func, e *ir.Expr) {
	name := kit.Called(e)
	at := e.Range.Start
	if e.Implicit && strings.HasPrefix(e.Type.Base, "smux::") {
		return // a persistent v-TB object as the one that it is made of
	}
	for _, arg := range e.Args() {
		if arg.Op == ir.OpIdent && arg.Var != nil && strings.HasPrefix(arg.Var.Type.Base, "smux") && len(k.State.Calls[e]) == 0 && e.Qual != "smux" {
			k.Doubt(kit.Builtins, fn.File, at, "%s is given the v-TB object, and is not in view", name)
		}
	}
	if obj, member := e.IsMemberCall(); member && kit.GroupMembers[name] != "" && !kit.IsTile(obj) {
		k.Doubt(kit.Builtins, fn.File, at, "%s may speak of the launched block", name)
		return
	}
	if asksBlock(fn, e) && len(k.State.Calls[e]) == 0 {
		k.Doubt(kit.Builtins, fn.File, at, "%s may speak of the launched block", name)
	}
	switch name {
	case "__syncthreads_count", "__syncthreads_and", "__syncthreads_or":
		k.Doubt(kit.Builtins, fn.File, at, "%s asks all threads of the launched block", name)
	case "this_grid", "this_multi_grid", "this_cluster", "coalesced_threads", "grid_dim", "thread_index", "group_index", "group_dim", "num_threads", "dim_threads":
		k.Doubt(kit.Builtins, fn.File, at, "%s speaks of the launched block", name)
	case "__barrier_sync", "__barrier_sync_count", "__nv_bar_sync", "__named_barrier_sync", "arrive_and_wait", "bar_sync":
		if args := e.Args(); name == "__barrier_sync" && len(args) == 1 && args[0].Op == ir.OpInt && k.State.Main.Obj.InBlockMode() {
			return // all threads of the block come by, as by __syncthreads, which has a number of its own
		}
		k.Doubt(kit.Numbers, fn.File, at, "%s may take a barrier that turns use", name)
	case "__pipeline_memcpy_async", "memcpy_async":
		k.Doubt(kit.Turns, fn.File, at, "%s writes after the call, maybe after the turn", name)
	}
	if strings.Contains(e.Qual, "cub") {
		k.Doubt(kit.Builtins, fn.File, at, "%s meets at barriers of the launched block", e.Qual)
	}
	if scope := c.NewNames.Effects(fn.File); !onDevice(fn) {
		return // reached by its name alone
	} else if scope.Elsewhere(fn, e) ||
		len(k.State.Calls[e]) == 0 && !c.isJudgedApart(fn, e) && !e.Intrinsic().Known() && scope.Step(fn, e).Flags&effect.Unknown != 0 {
		k.Doubt(kit.Builtins, fn.File, at, "%s is not in view: it may speak of the launched block", name)
	}
}

// asksBlock reports whether a call asks the thread block as a group, or a tile of it how many tiles the block has and which of them it is.
func asksBlock(fn *ir.Func, e *ir.Expr) bool {
	groups := kit.Groups(fn)
	name := kit.Called(e)
	if obj, member := e.IsMemberCall(); member {
		return name == "meta_group_rank" || name == "meta_group_size" || kit.IsBlock(obj, groups) && !slices.Contains([]string{"sync", "is_valid", "get_type"}, name)
	}
	if (strings.Contains(e.Qual, "thread_block") || strings.Contains(e.Qual, "details")) && !strings.Contains(e.Qual, "tile") {
		return true
	}
	args := e.Args()
	return len(args) > 0 && !kit.IsTile(args[0]) && !slices.Contains([]string{"sync", "tiled_partition", "binary_partition", "labeled_partition"}, name) &&
		(kit.IsBlock(args[0], groups) || e.Qual == "cg" || e.Qual == "cooperative_groups" || slices.Contains([]string{"thread_rank", "group_size", "wait", "wait_prior"}, name))
}

// onDevice reports whether a function may run on the device: one that says so, or a constexpr.
func onDevice(fn *ir.Func) bool {
	v := fn.View
	return v.IsDevice() || v.IsKernel() || v.Body == nil || strings.Contains(string(fn.File.Src[v.Start:v.Body.Start]), "constexpr")
}

// isJudgedApart reports whether a call is of the runtime's or the compiler's, of a cooperative group, or makes an object of a
// class in view that has no such constructor: that of its members run.
func (c merged) isJudgedApart(fn *ir.Func, e *ir.Expr) bool {
	if _, _, isType := ir.PartsOf(e.Name); isType || e.Implicit {
		return true // a cast, or what effects tell
	}
	if obj, member := e.IsMemberCall(); member {
		r := obj.Root()
		return kit.IsTile(obj) || obj.Op == ir.OpCall && obj.Name == "this_thread_block" || r != nil && r.Var != nil && (strings.HasPrefix(r.Var.Type.Base, "smux") || kit.Groups(fn)[r.Name])
	}
	return slices.Contains([]string{"smux", "cg", "cooperative_groups"}, e.Qual) || strings.HasPrefix(e.Name, "__builtin_") || slices.ContainsFunc(c.NewNames.Prog.All(), func(f *parser.File) bool {
		return slices.ContainsFunc(f.Classes, func(of *parser.Class) bool { return of.Name == e.Name })
	})
}

// Waits refuses loops that wait for another thread, in a kernel whose thread blocks do the work of several.
func Waits(of *kit.Comparison, k *kit.Kernel) {
	if (merged{of}).waits(k); !k.Doubtful(kit.Progress) {
		k.Show(kit.Progress, "no loop waits for memory that others write")
	}
}

// waits refuses loops that wait for memory which another thread writes: blocks that take turns run one
// after the other where they ran side by side.
func (c merged) waits(k *kit.Kernel) {
	for _, fn := range k.State.Reach {
		for s := range fn.Body.All() {
			if s.IsLoop() && !s.IsFold() && s != k.State.Main.Groups && c.mayWait(k, fn, s) { // over groups of v-TBs the runtime goes on
				k.Doubt(kit.Progress, fn.File, s.Range.Start, "this loop may wait for another thread")
			}
			s.Exprs(func(e *ir.Expr) {
				if c.NewNames.Effects(fn.File).Again(fn, e) {
					k.Doubt(kit.Progress, fn.File, e.Range.Start, "this call of the function in itself may wait for another thread")
				}
			})
		}
	}
}

// mayWait reports whether what decides if a loop goes on may be what another thread writes meanwhile: a condition, or
// what is assigned to a variable in it, is volatile, atomic or not known, or a round changes nothing but by what it loads.
// An atomicCAS with what was loaded before only tries again. Of an endless loop all that it does counts.
func (c merged) mayWait(k *kit.Kernel, fn *ir.Func, loop *ir.Stmt) bool {
	scope, found := c.NewNames.Effects(fn.File), false
	seen := map[*ir.Func]bool{}
	var seesIn func(fn *ir.Func) func(e *ir.Expr) bool
	seesIn = func(fn *ir.Func) func(e *ir.Expr) bool {
		return func(e *ir.Expr) bool {
			if gs := k.State.Calls[e]; len(gs) > 0 {
				return slices.ContainsFunc(gs, func(g *ir.Func) bool {
					entered := seen[g]
					seen[g] = true
					return !entered && g.Body.AnyExpr(seesIn(g))
				})
			}
			does := c.NewNames.Effects(fn.File).Step(fn, e).Flags
			return does&effect.Volatile != 0 || does&effect.Unknown != 0 && e.Op != ir.OpIdent // constants out of view
		}
	}
	sees := func(e *ir.Expr) bool {
		clear(seen)
		return e.Any(seesIn(fn))
	}
	endless := loop.Cond == nil || loop.Cond.Op == ir.OpInt && loop.Cond.Int != 0
	decides := map[*ir.Var]bool{}
	end := func(e *ir.Expr) {
		found = found || sees(e)
		for t := range e.All() {
			decides[t.Var] = t.Var != nil && (k.State.Main.Obj == nil || t.Name != k.State.Main.Obj.Name)
		}
	}
	if loop.Cond != nil {
		end(loop.Cond)
	}
	for s := range loop.Body.All() {
		if kit.Leaves(s, loop.Body) && s.Op != ir.StmtContinue {
			for p := s.Parent; p != loop; p = p.Parent {
				if p.Cond != nil {
					end(p.Cond)
				}
			}
		}
	}
	loop.Walk(func(s *ir.Stmt) bool {
		for _, v := range s.Vars {
			found = found || v.Init != nil && decides[v] && sees(v.Init)
		}
		s.Exprs(func(top *ir.Expr) {
			found = found || endless && scope.Expr(fn, top).Flags&effect.Volatile != 0
			for e := range top.All() {
				switch sets := slices.ContainsFunc(scope.Step(fn, e).Writes, func(v *ir.Var) bool { return decides[v] }); {
				case !sets, e.Op == ir.OpCall && len(k.State.Calls[e]) == 0:
				case e.Op == ir.OpAssign:
					cas := e.Kids[1].Args()
					found = found || sees(e.Kids[1]) && !(e.Kids[1].Calls("atomicCAS") && len(cas) == 3 && cas[1].Op != ir.OpInt)
				default:
					found = found || sees(e)
				}
			}
		})
		return !found
	})
	return found || scope.Idles(fn, loop, func(e *ir.Expr) bool {
		r := e.Root()
		return r != nil && r.Var != nil && r.Var.Kind == ir.VarShared && !(k.State.Main.Obj != nil && k.State.Main.Obj.OfThreads)
	})
}
