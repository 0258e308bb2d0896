package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// The moves that are known, each with what it takes:
//
//   - a value is computed ahead of the turn that uses it (temp): it is loaded from memory that no store in
//     between can change, whoever computes it would have computed it, and it is kept in its own type;
//   - a statement stands earlier (movedStmt): nothing that it passed writes what it reads, or reads what it
//     writes;
//   - a store waits (later): nobody uses its place before it is made, and it is made for what waits, in its order;
//   - a loop counts its iterations (alikeCounted): it makes as many;
//   - a barrier is gone (droppedBarrier): from its place to the next barrier on every path, or from the one before it,
//     nothing is done that another thread could see. An acquire is a barrier of the v-TB, a release may be one.

// movesFit checks the conditions of all moves of one function.
func (al *alignment) movesFit() {
	for _, t := range al.temps {
		al.tempFits(t)
	}
	for b, l := range al.later {
		al.laterFits(b, l)
	}
	for b, a := range al.counted {
		al.countedFits(a, b)
	}
	for _, m := range al.moved {
		al.movedFits(m)
	}
	for _, d := range al.dropped {
		if al.backward(d.list, d.at) {
			continue
		}
		al.afterStep = d.at > 0 && al.inside(d.list[d.at-1], al.steps)
		if e := al.forward(spot{d.list, d.at}, d.in, map[*ir.Stmt]bool{}); e != nil {
			al.doubtMove(e.Range.Start, "a barrier of the original stood before this, which other threads may see")
		}
	}
	if len(al.temps)+len(al.counted)+len(al.moved)+len(al.dropped) > 0 && !al.k.doubtful(Moves) {
		al.k.shown(Moves, "each looked at")
	}
}

// meets reports whether all threads of a v-TB wait for each other at a statement.
func (al *alignment) meets(s *ir.Stmt) bool {
	switch al.roles[s] {
	case roleBarrier, roleAdded, roleTurnBegin, roleTurnEnd, roleAcquire:
		return true
	case roleRelease:
		return !al.obj.ring()
	}
	return false
}

// inside reports whether a statement is in one of some others.
func (al *alignment) inside(s *ir.Stmt, of []*ir.Stmt) bool {
	return slices.ContainsFunc(of, func(p *ir.Stmt) bool { return s.Inside(p) })
}

// ahead reports whether a statement is what a v-TB does ahead of its turn. Behind its last turn in steps there is a
// barrier before that: each v-TB but the last one has that of the next step, and the last one is ahead of its next turn
// in a step that is not the first one.
func (al *alignment) ahead(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		if al.roles[s] == roleLead {
			return true
		}
	}
	return false
}

// backward reports whether a barrier stands before a place in a list and nothing that other threads could see between.
func (al *alignment) backward(list []*ir.Stmt, at int) bool {
	for n := at - 1; n >= 0; n-- {
		if al.meets(list[n]) {
			return true
		}
		if al.visible(list[n]) != nil {
			return false
		}
	}
	return false
}

// forward returns the first thing that other threads could see on a way from a place to the next barrier or the end,
// nil if there is none.
func (al *alignment) forward(at spot, in *ir.Stmt, seen map[*ir.Stmt]bool) *ir.Expr {
	for n := at.nth; n < len(at.list); n++ {
		s := at.list[n]
		switch {
		case al.meets(s), s.Op == ir.StmtReturn && s.Expr == nil, al.afterStep && al.ahead(s):
			return nil
		case s.Op == ir.StmtBreak, s.Op == ir.StmtContinue, s.Op == ir.StmtGoto, s.Op == ir.StmtSwitch && s.Any(al.meets):
			return &ir.Expr{Range: s.Range} // not followed
		case s.Op == ir.StmtCompound && s.Any(al.meets):
			return al.forward(spot{al.flat(statements(s)), 0}, s, seen)
		case !s.Any(al.meets):
			if s.Any(func(t *ir.Stmt) bool { return leaves(t, s) }) {
				return &ir.Expr{Range: s.Range}
			}
			if e := al.visible(s); e != nil {
				return e
			}
			continue
		}
		var found *ir.Expr
		s.Exprs(func(e *ir.Expr) {
			if v := al.visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
				found = v
			}
		})
		for _, body := range []*ir.Stmt{s.Body, s.Else} {
			if found == nil && body != nil && !seen[body] {
				seen[body] = true
				found = al.forward(spot{al.flat(statements(body)), 0}, body, seen)
			}
		}
		if found != nil || s.Op == ir.StmtIf && s.Else != nil || s.Op == ir.StmtDo {
			return found
		}
	}
	// Behind the list: again from the beginning of a loop, and behind what it stands in.
	for s := in; s != nil; s = s.Parent {
		if s.IsLoop() && al.roles[s] == rolePlain && !seen[s.Body] {
			seen[s.Body] = true
			for _, e := range []*ir.Expr{s.Cond, s.Post} {
				if e != nil {
					if v := al.visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
						return v
					}
				}
			}
			if e := al.forward(spot{al.flat(statements(s.Body)), 0}, s.Body, seen); e != nil {
				return e
			}
		}
		if w, ok := al.where[s]; ok {
			return al.forward(spot{w.list, w.nth + 1}, s.Parent, seen)
		}
	}
	return nil
}

func (al *alignment) doubtMove(at int, format string, args ...any) {
	al.k.doubt(Moves, al.c.b.file, at, format, args...)
}

// visible returns something in a statement that another thread could see, or that sees what others do.
func (al *alignment) visible(s *ir.Stmt) (found *ir.Expr) {
	if al.roles[s] == roleErased || al.roles[s] == roleRelease || al.roles[s] == roleFinish {
		return nil
	}
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIndex, ir.OpDeref:
			if al.pointee(e, map[*ir.Var]bool{}) > readOnly {
				found = e
			}
		case ir.OpIdent:
			if elsewhere(e) || e.Var != nil && (e.Var.Kind == ir.VarShared || e.Var.Kind == ir.VarGlobal && !e.Var.Type.Const || e.Var.Type.Ref) {
				found = e
			}
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			found = e
		case ir.OpCall:
			if !al.pureCall(e) {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// isPrivate reports whether a variable is a thread's own array or number.
func isPrivate(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && v.Type.Ptr == 0 && !v.Type.Ref
}

// pureCall reports whether a call does nothing but compute: of what is known, or of functions in view that
// touch nothing but their own variables and what they are passed, which must be the thread's own.
func (al *alignment) pureCall(e *ir.Expr) bool {
	for _, arg := range e.Args() {
		if root := arg.Root(); root != nil && root.Var != nil && !isPrivate(root.Var) && root.Var.Kind != ir.VarConstant && (root.Var.Type.Ptr > 0 || root.Var.Kind == ir.VarShared) {
			return false
		}
	}
	gs := al.k.state.calls[e]
	if len(gs) == 0 {
		return leavesArguments(e.Name) && !strings.HasPrefix(e.Name, "atomic") && e.Name != "printf" && e.Name != "assert" && e.Name != "__ldg" ||
			e.Name == "sinf" || e.Name == "cosf" || e.Name == "sincosf" || e.Name == "__sincosf"
	}
	return al.k.state.closed(gs, map[*ir.Func]bool{})
}

// closed reports whether functions touch nothing but their own variables and their parameters.
func (st *kernelState) closed(gs []*ir.Func, seen map[*ir.Func]bool) bool {
	for _, g := range gs {
		if seen[g] {
			continue
		}
		seen[g] = true
		ok := len(g.Problems) == 0
		walk(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpIdent:
				ok = ok && !elsewhere(e) && (e.Var == nil || e.Var.Kind != ir.VarShared && (e.Var.Kind != ir.VarGlobal || e.Var.Type.Const))
			case ir.OpAsm, ir.OpLambda, ir.OpNew:
				ok = false
			case ir.OpCall:
				if inner := st.calls[e]; len(inner) > 0 {
					ok = ok && st.closed(inner, seen)
				} else {
					ok = ok && leavesArguments(e.Name) && !strings.HasPrefix(e.Name, "atomic")
				}
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return true
}

// pointee returns what memory the pointer or array is in that an expression is an element of: anyMemory where that
// is not known.
func (al *alignment) pointee(e *ir.Expr, seen map[*ir.Var]bool) memory {
	root := e.Root()
	if root == nil || root.Var == nil {
		return anyMemory
	}
	v := root.Var
	switch {
	case v.Kind == ir.VarConstant, v.Kind == ir.VarGlobal && v.Type.Const && v.Type.Ptr == 0:
		return readOnly
	case v.Kind == ir.VarGlobal && len(v.Dims) > 0 && v.Type.Ptr == 0 && !v.Type.Volatile:
		return globalRead
	case v.Kind == ir.VarShared, al.k.state.copies[v.Name] != nil:
		return sharedRead
	case isPrivate(v):
		return noMemory
	case al.c.device[al.b] || v.Type.Ref || v.Type.Ptr == 0 || v.Kind != ir.VarParam && v.Kind != ir.VarLocal:
		return anyMemory
	}
	if seen[v] {
		return readOnly
	}
	seen[v] = true
	worst := readOnly
	if v.Kind == ir.VarParam && !(v.Type.PtrConst && v.Type.Restrict && v.Type.Ptr == 1) {
		worst = globalRead
	}
	if v.AddrTaken || v.Kind == ir.VarLocal && v.Init == nil && len(v.Writes) == 0 {
		return anyMemory
	}
	if v.Init != nil {
		worst = max(worst, al.pointee(v.Init, seen))
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" {
			worst = max(worst, al.pointee(w.Kids[1], seen))
		}
	}
	if worst == sharedRead && v.Kind == ir.VarParam {
		return anyMemory
	}
	return worst
}

// loads returns what an expression loads from; anyMemory where it does more than that.
func (al *alignment) loads(e *ir.Expr) memory {
	worst := noMemory
	walk(&ir.Stmt{Op: ir.StmtExpr, Expr: e}, func(t *ir.Expr) bool {
		m := noMemory
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			m = al.pointee(t, map[*ir.Var]bool{})
		case ir.OpMember:
			if t.Arrow {
				m = al.pointee(t, map[*ir.Var]bool{})
			}
		case ir.OpIdent:
			switch v := t.Var; {
			case elsewhere(t), v != nil && (v.Type.Ref || v.Type.Volatile || v.Kind == ir.VarGlobal && !v.Type.Const && len(v.Dims) == 0):
				m = anyMemory
			case v != nil && v.Kind == ir.VarShared && len(v.Dims) == 0:
				m = sharedRead
			}
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed, ir.OpInitList:
			m = anyMemory
		case ir.OpCall:
			if t.Name == "__ldg" && al.pointee(t.Args()[0], map[*ir.Var]bool{}) <= globalRead {
				worst = max(worst, readOnly, al.loads(t.Args()[0]))
				return false
			}
			if !al.pureCall(t) {
				m = anyMemory
			}
		}
		worst = max(worst, m)
		return true
	})
	return worst
}

// storesApart reports whether a statement stores to nothing but shared arrays and the thread's own variables, or to
// nothing but global memory and these, and returns a place where it may do else.
func (al *alignment) storesApart(s *ir.Stmt, fromShared bool) (found *ir.Expr) {
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			target := e.Kids[0]
			m := al.pointee(target, map[*ir.Var]bool{})
			own := m == noMemory || target.Op == ir.OpIdent && target.Var != nil && (target.Var.Kind == ir.VarLocal || target.Var.Kind == ir.VarParam) && !target.Var.Type.Ref
			if apart := own || m == sharedRead; fromShared && (m >= sharedRead && !own) || !fromShared && !apart {
				found = e
			}
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			found = e
		case ir.OpCall:
			if _, own := al.obj.own(e); !own && !al.pureCall(e) && e.Name != "__ldg" {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// own reports which member of the v-TB object a call is of.
func (o *object) own(e *ir.Expr) (string, bool) {
	if obj, ok := e.IsMemberCall(); ok && o != nil && obj.Op == ir.OpIdent && obj.Name == o.name {
		return e.Kids[0].Name, true
	}
	return "", false
}

// typeOf returns the type of an expression of numbers as text, "" where it is not known.
func (al *alignment) typeOf(e *ir.Expr) string {
	switch e.Op {
	case ir.OpInt:
		switch {
		case e.Type.Base != "":
			return ""
		case e.Tok == "u":
			return "unsigned int"
		}
		return "int"
	case ir.OpLiteral:
		if word := strings.ToLower(e.Name); word != "" && (word[0] >= '0' && word[0] <= '9' || word[0] == '.') && !strings.HasPrefix(word, "0x") {
			switch {
			case strings.HasSuffix(word, "f"):
				return "float"
			case strings.ContainsAny(word, ".e") && !strings.HasSuffix(word, "l"):
				return "double"
			}
		}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref:
		// As many subscripts as the root has extents and stars.
		depth := 0
		for ; e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpBinary && depth > 0; e = e.Kids[0] {
			if e.Op != ir.OpBinary {
				depth++
			} else if e.Tok != "+" || e.Kids[0].Root() != e.Root() {
				return ""
			}
		}
		v := e.Var
		if e.Op != ir.OpIdent || v == nil {
			if m, ok := map[string]string{"threadIdx": "uint3", "blockIdx": "uint3", "blockDim": "dim3", "gridDim": "dim3"}[e.Name]; ok && depth == 0 && e.Op == ir.OpIdent {
				return m
			}
			return ""
		}
		levels := v.Type.Ptr + len(v.Dims)
		if cp := al.k.state.copies[v.Name]; cp != nil && cp.whole != nil {
			levels = len(cp.whole.Dims)
			if v = cp.whole; cp.bytes == "" {
				levels--
			}
		}
		if depth == levels && !v.Type.IsAuto() {
			return plainName(v.Type.Base)
		}
	case ir.OpCast:
		if e.Type.Ptr == 0 && !e.Type.Ref {
			return plainName(e.Type.Base)
		}
	case ir.OpUnary:
		if e.Tok != "!" {
			return promoted(al.typeOf(e.Kids[0]), "int")
		}
	case ir.OpBinary:
		switch e.Tok {
		case "+", "-", "*", "/", "%", "&", "|", "^":
			return promoted(al.typeOf(e.Kids[0]), al.typeOf(e.Kids[1]))
		case "<<", ">>":
			return promoted(al.typeOf(e.Kids[0]), "int")
		}
	case ir.OpCond:
		a, b := al.typeOf(e.Kids[1]), al.typeOf(e.Kids[2])
		if a == b {
			return a
		}
		return promoted(a, b)
	case ir.OpCall:
		if args := e.Args(); e.Name == "__ldg" && len(args) == 1 {
			return al.typeOf(&ir.Expr{Op: ir.OpDeref, Kids: args})
		}
		if len(al.k.state.calls[e]) == 0 {
			return resultTypes[e.Name]
		}
	case ir.OpMember:
		base := al.typeOf(e.Kids[0])
		if len(e.Name) == 1 && strings.Contains("xyzw", e.Name) && !e.Arrow {
			if base == "dim3" {
				return "unsigned int"
			}
			for vector, scalar := range map[string]string{"float": "float", "double": "double", "int": "int", "short": "short", "uint": "unsigned int"} {
				if strings.HasPrefix(base, vector) && len(base) == len(vector)+1 {
					return scalar
				}
			}
		}
	}
	return ""
}

// resultTypes are the types of what functions return that are known whatever they are given.
var resultTypes = map[string]string{
	"sqrtf": "float", "rsqrtf": "float", "expf": "float", "__expf": "float", "logf": "float", "sinf": "float", "cosf": "float", "fabsf": "float",
	"fminf": "float", "fmaxf": "float", "fmaf": "float", "tanhf": "float", "floorf": "float", "ceilf": "float", "powf": "float",
	"make_float2": "float2", "make_float3": "float3", "make_float4": "float4", "make_int2": "int2", "make_int4": "int4", "make_uint2": "uint2", "make_uint4": "uint4",
}

// promoted is the type in which C++ computes with two numbers, "" where that is not known.
func promoted(a, b string) string {
	ranks := []string{"double", "float", "size_t", "unsigned int", "int"}
	for _, t := range []*string{&a, &b} {
		switch *t {
		case "short", "unsigned short", "char", "signed char", "unsigned char", "bool":
			*t = "int"
		}
	}
	i, j := slices.Index(ranks, a), slices.Index(ranks, b)
	if i < 0 || j < 0 {
		return ""
	}
	return ranks[min(i, j)]
}
