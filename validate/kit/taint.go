package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/units"
)

// Taint finds the variables that may hold an address in shared memory that v-TBs take turns with: shared arrays, but
// for those of which each has its own, and what is made of their addresses, through calls, too. Once tainted, always
// tainted: order does not matter.
func (st *KernelState) Taint(c *Comparison, k *Kernel) {
	st.Tainted, st.holds = map[*ir.Var]bool{}, false
	for _, fn := range st.Reach {
		own := func(v *ir.Var) {
			if cp := st.named(v.Name); v.Kind == ir.VarShared && !(cp != nil && cp.ByID && !st.Main.Obj.Apart()) || st.sharing[ClassName(v.Type.Base)] {
				st.Tainted[v] = true
			}
		}
		for _, v := range append(slices.Clone(fn.Vars), fn.Params...) {
			own(v)
		}
		Walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				own(e.Var) // at namespace scope, too
			}
			return true
		})
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *ir.Var) {
			if v != nil && !st.Tainted[v] && holdsAddress(v) {
				st.Tainted[v] = true
				changed = true
			}
		}
		for _, fn := range st.Reach {
			for _, v := range fn.Vars {
				if v.Init != nil && st.Address(v.Init, v.Type.Ref) {
					mark(v)
				}
			}
			Walk(fn.Body, func(e *ir.Expr) bool {
				switch e.Op {
				case ir.OpAssign:
					if target := e.Kids[0]; !isNumber(target) && st.Address(e.Kids[1], false) { // no address becomes a number but by a cast
						if target.Op == ir.OpIdent && target.Var != nil {
							mark(target.Var)
						} else if root := Base(target); root != nil && root.Var != nil && st.Tainted[root.Var] {
							changed = changed || !st.holds
							st.holds = true
						} else if e.Tok == "=" || c.defines {
							k.Doubt(Turns, fn.File, e.Range.Start, "an address in shared memory is kept where it is not followed")
						} // += adds a number, but for a class that says otherwise
					}
				case ir.OpCast:
					if len(e.Kids) == 1 && e.Type.Ptr == 0 && !e.Type.Ref && PlainValue(e.Type.Base) && st.Address(e.Kids[0], false) {
						k.Doubt(Turns, fn.File, e.Range.Start, "an address in shared memory becomes a number, which is not followed")
					}
				case ir.OpCall:
					args := e.Args()
					if strings.HasPrefix(e.Name, "__cvta_") && len(args) > 0 && st.Address(args[0], false) {
						k.Doubt(Turns, fn.File, e.Range.Start, "an address in shared memory becomes a number, which is not followed")
					}
					if given := 0; len(st.Calls[e]) == 0 && !st.holds {
						for _, arg := range args {
							if st.Address(arg, false) {
								given++
							}
						}
						if given > 1 { // one may be put where the other points to
							st.holds, changed = true, true
						}
					}
					for i, arg := range args {
						for _, g := range st.Calls[e] {
							if p := g.Param(i); p != nil && st.Address(arg, p.Type.Ref) {
								mark(p)
							}
						}
					}
				}
				return true
			})
		}
	}
}

// holdsAddress reports whether a variable's type can hold an address; where the type is not known it can.
func holdsAddress(v *ir.Var) bool {
	if v.Kind == ir.VarShared || v.Type.Ptr > 0 || v.Type.Ref {
		return true
	}
	return !PlainValue(v.Type.Base)
}

// Address reports whether an expression's value may be an address in shared memory, or whether it is a
// place there where that is bound to a reference.
func (st *KernelState) Address(e *ir.Expr, reference bool) bool {
	switch e.Op {
	case ir.OpIdent:
		if e.Var != nil && e.Var.Type.Ref && e.Var.Type.Ptr == 0 && len(e.Var.Dims) == 0 && PlainValue(e.Var.Type.Base) && !reference {
			return false // what it refers to is a number
		}
		return e.Var != nil && st.Tainted[e.Var] && (reference || addressValue(e.Var))
	case ir.OpAddr:
		root := Base(e.Kids[0])
		return root == nil && st.names(e) || root != nil && root.Var != nil && st.Tainted[root.Var]
	case ir.OpIndex, ir.OpDeref, ir.OpMember:
		root := Base(e)
		if root == nil || root.Var == nil {
			return st.names(e)
		}
		return st.Tainted[root.Var] && (reference || !st.plainElement(e, root.Var))
	case ir.OpCast:
		if e.Type.Ptr == 0 && !PlainValue(e.Type.Base) && (st.sharing[ClassName(e.Type.Base)] || len(e.Kids) != 1) {
			return st.sharing[ClassName(e.Type.Base)] || slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return st.Address(kid, reference) })
		}
		return len(e.Kids) == 1 && (e.Type.Ptr > 0 || e.Type.Ref || !PlainValue(e.Type.Base) || e.Type.Base == "size_t" || e.Type.Base == "uintptr_t") && st.Address(e.Kids[0], reference)
	case ir.OpBinary, ir.OpCond, ir.OpComma, ir.OpInitList, ir.OpAssign, ir.OpIncDec:
		return slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return st.Address(kid, reference) })
	case ir.OpCall:
		gs := st.Calls[e]
		if len(gs) > 0 && !slices.ContainsFunc(gs, func(g *ir.Func) bool { return !returnsNumber(g) }) {
			return false
		}
		if st.sharing[ClassName(e.Name)] || st.ownShared(gs...) {
			return true
		}
		if obj := e.Object(); obj != nil && st.Address(obj, true) {
			return true
		}
		if _, member := e.IsMemberCall(); len(gs) == 0 && !member && !LeavesArguments(e) && !st.numbers(e.Name) && e.Qual != "smux" && e.Name != "this_thread_block" && e.Name != "tiled_partition" {
			return true // nothing is known of it
		}
		return slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return st.Address(arg, false) })
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof, ir.OpUnary:
		return false
	case ir.OpLambda:
		found := slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return st.Address(kid, false) })
		if e.Lambda != nil {
			for t := range e.Lambda.AllExprs() {
				found = found || t.Op == ir.OpIdent && t.Var != nil && st.Tainted[t.Var]
			}
		}
		return found
	}
	return st.names(e)
}

// names reports whether an expression names a variable that may hold an address in shared memory.
func (st *KernelState) names(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var != nil && st.Tainted[t.Var] })
}

// ReturnType is the type that a function returns as its text has it, "" where that can't be told.
func ReturnType(g *ir.Func) string {
	if g.View == nil || g.View.Declared == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(string(g.File.Src[g.View.Start:g.View.Declared.Start])), func(word string) bool {
		return slices.Contains([]string{"__device__", "__host__", "static", "inline", "__inline__", "__forceinline__", "const", "constexpr"}, word)
	}), " ")
}

// returnsNumber reports whether the word before a function's name says that it returns nothing or a number.
func returnsNumber(g *ir.Func) bool {
	words := strings.Fields(ReturnType(g))
	return len(words) > 0 && (PlainValue(words[len(words)-1]) || words[len(words)-1] == "void")
}

// plainElement reports whether an expression is a number in an array, and not an array in it, which decays.
func (st *KernelState) plainElement(e *ir.Expr, v *ir.Var) bool {
	depth := 0
	levels, v := st.levels(v)
	for ; e != nil && e.Op != ir.OpIdent; e = e.Kids[0] {
		switch e.Op {
		case ir.OpIndex, ir.OpDeref:
			depth++
		case ir.OpMember:
			if e.Arrow || !st.numbers(v.Type.Base) {
				return false
			}
		case ir.OpCast: // seen as numbers of another type
			return e.Type.Ptr == 1 && depth == 1 && st.numbers(e.Type.Base)
		default:
			return false
		}
	}
	if v.Type.IsAuto() || depth != levels {
		return false
	}
	return st.numbers(v.Type.Base) || !st.holds
}

// numbers reports whether a type is one of numbers only: a plain one, or a class that is defined once, of nothing but
// numbers.
func (st *KernelState) numbers(base string) bool {
	return PlainValue(base) || st.classes[base]
}

// ClassName is the name of a class without what it is qualified by and its template arguments.
func ClassName(base string) string {
	base, _, _ = strings.Cut(base, "<")
	return strings.TrimSpace(base[strings.LastIndex(base, ":")+1:])
}

// sharingClasses finds the classes of which a member function has shared memory of its own, or calls one that has:
// objects of them may be addresses in it.
func (c *Comparison) sharingClasses() map[string]bool {
	names, out := map[string]bool{}, map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, fns := range c.Devices {
			for _, fn := range fns {
				low := c.Lowered(fn)
				has := hasShared(low) || Some(low.Body, func(e *ir.Expr) bool { return e.Op == ir.OpCall && names[e.Name] })
				if has && (!names[name] || fn.Class != "" && !out[fn.Class]) {
					names[name], out[fn.Class], changed = true, true, true
				}
			}
		}
	}
	delete(out, "")
	return out
}

// numberClasses finds the classes of nothing but numbers, and other names of numbers.
func (c *Comparison) numberClasses() map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	for _, f := range c.NewNames.Prog.All() {
		s := c.SourceOf(f)
		for i, u := range s.Units {
			c.defines = c.defines || strings.Contains(u.Text, "operator")
			if b, _, ok := units.Match(s.Units[i:], "using $ = $ ;"); ok && PlainValue(b[1]) {
				out[b[0]] = true
			}
			for n := 1; n <= 3; n++ { // words of the type
				if b, _, ok := units.Match(s.Units[i:], "typedef"+strings.Repeat(" $", n+1)+" ;"); ok && PlainValue(strings.Join(b[:n], " ")) {
					out[b[n]] = true
				}
			}
		}
		for _, class := range f.Classes {
			if class.Body == nil {
				continue
			}
			us := s.Between(int(class.Body.Start), int(class.Body.End))
			plain := !seen[class.Name] && class.Name != "" && len(us) > 2
			first := true
			for _, u := range us[1:max(1, len(us)-1)] {
				switch {
				case first:
					plain, first = plain && PlainValue(u.Text), false
				case u.Text == ";":
					first = true
				default:
					plain = plain && (u.Text == "," || u.Text == "[" || units.IsWord(u.Text) || units.Number(u.Text) > 0)
				}
			}
			out[class.Name], seen[class.Name] = plain, true
		}
	}
	return out
}

// addressValue reports whether a variable's value is an address: not that of a single shared number.
func addressValue(v *ir.Var) bool {
	return v.Kind != ir.VarShared || len(v.Dims) > 0 || v.Type.Ptr > 0 || !PlainValue(v.Type.Base)
}

// Touches returns the first place in an expression that reads or writes shared memory, or may. Making an address
// touches nothing; a call that is given one does, and so does one whose function has shared memory of its own.
func (st *KernelState) Touches(e *ir.Expr) *ir.Expr {
	var found *ir.Expr
	var visit func(e *ir.Expr)
	visit = func(e *ir.Expr) {
		if e == nil || found != nil {
			return
		}
		switch e.Op {
		case ir.OpIdent:
			if e.Var != nil && st.Tainted[e.Var] && (!addressValue(e.Var) || e.Var.Type.Ref) {
				found = e
			}
			return
		case ir.OpAddr:
			if e.Kids[0].Op == ir.OpIdent {
				return
			}
			if e.Kids[0].Op == ir.OpIndex {
				for _, kid := range e.Kids[0].Kids {
					visit(kid)
				}
				return
			}
		case ir.OpIndex, ir.OpDeref, ir.OpMember:
			if root := Base(e); root != nil && root.Var != nil && st.Tainted[root.Var] || root == nil && st.names(e) {
				found = e
				return
			}
		case ir.OpSizeof:
			return
		case ir.OpLambda:
			if st.Address(e, true) {
				found = e
				return
			}
		case ir.OpCall:
			for _, arg := range e.Args() {
				if st.Address(arg, true) {
					found = e
					return
				}
			}
			if obj := e.Object(); obj != nil && st.Address(obj, true) {
				found = e
				return
			}
			if st.ownShared(st.Calls[e]...) {
				found = e
				return
			}
		}
		if effect.IsOpaque(e.Op) && st.names(e) {
			found = e
			return
		}
		for _, kid := range e.Kids {
			visit(kid)
		}
		for _, kid := range e.TArgs {
			visit(kid)
		}
	}
	visit(e)
	return found
}

// ownShared reports whether some device functions, or those that they call, have shared memory that was not passed to them.
func (st *KernelState) ownShared(fns ...*ir.Func) bool {
	return slices.ContainsFunc(st.reachable(fns), hasShared)
}

// hasShared reports whether a function declares shared memory, or names some that it did not declare.
func hasShared(g *ir.Func) bool {
	return slices.ContainsFunc(g.Vars, func(v *ir.Var) bool { return v.Kind == ir.VarShared }) || Some(g.Body, namesShared)
}

// namesShared reports whether an expression names a variable in shared memory.
func namesShared(e *ir.Expr) bool {
	return e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarShared
}
