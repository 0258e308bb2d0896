package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// taint finds the variables that may hold an address in shared memory that v-TBs take turns with: shared arrays, but
// for those of which each has its own, and what is made of their addresses, through calls, too. Once tainted, always
// tainted: order does not matter.
func (st *kernelState) taint(c *comparison, k *Kernel) {
	st.tainted, st.holds = map[*ir.Var]bool{}, false
	for _, fn := range st.reach {
		own := func(v *ir.Var) {
			if cp := st.named(v.Name); v.Kind == ir.VarShared && !(cp != nil && cp.byID && !st.main.obj.apart()) || st.sharing[className(v.Type.Base)] {
				st.tainted[v] = true
			}
		}
		for _, v := range append(slices.Clone(fn.Vars), fn.Params...) {
			own(v)
		}
		walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				own(e.Var) // at namespace scope, too
			}
			return true
		})
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *ir.Var) {
			if v != nil && !st.tainted[v] && holdsAddress(v) {
				st.tainted[v] = true
				changed = true
			}
		}
		for _, fn := range st.reach {
			for _, v := range fn.Vars {
				if v.Init != nil && st.address(v.Init, v.Type.Ref) {
					mark(v)
				}
			}
			walk(fn.Body, func(e *ir.Expr) bool {
				switch e.Op {
				case ir.OpAssign:
					if target := e.Kids[0]; !isNumber(target) && st.address(e.Kids[1], false) { // no address becomes a number but by a cast
						if target.Op == ir.OpIdent && target.Var != nil {
							mark(target.Var)
						} else if root := base(target); root != nil && root.Var != nil && st.tainted[root.Var] {
							changed = changed || !st.holds
							st.holds = true
						} else if e.Tok == "=" || c.defines {
							k.doubt(Turns, fn.File, e.Range.Start, "an address in shared memory is kept where it is not followed")
						} // += adds a number, but for a class that says otherwise
					}
				case ir.OpCast:
					if len(e.Kids) == 1 && e.Type.Ptr == 0 && !e.Type.Ref && plainValue(e.Type.Base) && st.address(e.Kids[0], false) {
						k.doubt(Turns, fn.File, e.Range.Start, "an address in shared memory becomes a number, which is not followed")
					}
				case ir.OpCall:
					args := e.Args()
					if strings.HasPrefix(e.Name, "__cvta_") && len(args) > 0 && st.address(args[0], false) {
						k.doubt(Turns, fn.File, e.Range.Start, "an address in shared memory becomes a number, which is not followed")
					}
					if given := 0; len(st.calls[e]) == 0 && !st.holds {
						for _, arg := range args {
							if st.address(arg, false) {
								given++
							}
						}
						if given > 1 { // one may be put where the other points to
							st.holds, changed = true, true
						}
					}
					for i, arg := range args {
						for _, g := range st.calls[e] {
							if p := g.Param(i); p != nil && st.address(arg, p.Type.Ref) {
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
	return !plainValue(v.Type.Base)
}

// address reports whether an expression's value may be an address in shared memory, or whether it is a
// place there where that is bound to a reference.
func (st *kernelState) address(e *ir.Expr, reference bool) bool {
	switch e.Op {
	case ir.OpIdent:
		if e.Var != nil && e.Var.Type.Ref && e.Var.Type.Ptr == 0 && len(e.Var.Dims) == 0 && plainValue(e.Var.Type.Base) && !reference {
			return false // what it refers to is a number
		}
		return e.Var != nil && st.tainted[e.Var] && (reference || addressValue(e.Var))
	case ir.OpAddr:
		root := base(e.Kids[0])
		return root == nil && st.names(e) || root != nil && root.Var != nil && st.tainted[root.Var]
	case ir.OpIndex, ir.OpDeref, ir.OpMember:
		root := base(e)
		if root == nil || root.Var == nil {
			return st.names(e)
		}
		return st.tainted[root.Var] && (reference || !st.plainElement(e, root.Var))
	case ir.OpCast:
		if e.Type.Ptr == 0 && !plainValue(e.Type.Base) && (st.sharing[className(e.Type.Base)] || len(e.Kids) != 1) {
			return st.sharing[className(e.Type.Base)] || slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return st.address(kid, reference) })
		}
		return len(e.Kids) == 1 && (e.Type.Ptr > 0 || e.Type.Ref || !plainValue(e.Type.Base) || e.Type.Base == "size_t" || e.Type.Base == "uintptr_t") && st.address(e.Kids[0], reference)
	case ir.OpBinary, ir.OpCond, ir.OpComma, ir.OpInitList, ir.OpAssign, ir.OpIncDec:
		for _, kid := range e.Kids {
			if st.address(kid, reference) {
				return true
			}
		}
		return false
	case ir.OpCall:
		gs := st.calls[e]
		if len(gs) > 0 && !slices.ContainsFunc(gs, func(g *ir.Func) bool { return !returnsNumber(g) }) {
			return false
		}
		if st.sharing[className(e.Name)] || st.ownShared(gs...) {
			return true
		}
		if obj, member := e.IsMemberCall(); member && st.address(obj, true) {
			return true
		}
		if _, member := e.IsMemberCall(); len(gs) == 0 && !member && !leavesArguments(e) && !st.numbers(e.Name) && e.Qual != "smux" && e.Name != "this_thread_block" && e.Name != "tiled_partition" {
			return true // nothing is known of it
		}
		return slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return st.address(arg, false) })
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof, ir.OpUnary:
		return false
	case ir.OpLambda:
		found := slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return st.address(kid, false) })
		if e.Lambda != nil {
			e.Lambda.WalkExprs(func(t *ir.Expr) bool {
				found = found || t.Op == ir.OpIdent && t.Var != nil && st.tainted[t.Var]
				return true
			})
		}
		return found
	}
	return st.names(e)
}

// names reports whether an expression names a variable that may hold an address in shared memory.
func (st *kernelState) names(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var != nil && st.tainted[t.Var] })
}

// returnType is the type that a function returns as its text has it, "" where that can't be told.
func returnType(g *ir.Func) string {
	if g.View == nil || g.View.Declared == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(string(g.File.Src[g.View.Start:g.View.Declared.Start])), func(word string) bool {
		return slices.Contains([]string{"__device__", "__host__", "static", "inline", "__inline__", "__forceinline__", "const", "constexpr"}, word)
	}), " ")
}

// returnsNumber reports whether the word before a function's name says that it returns nothing or a number.
func returnsNumber(g *ir.Func) bool {
	words := strings.Fields(returnType(g))
	return len(words) > 0 && (plainValue(words[len(words)-1]) || words[len(words)-1] == "void")
}

// plainElement reports whether an expression is a number in an array, and not an array in it, which decays.
func (st *kernelState) plainElement(e *ir.Expr, v *ir.Var) bool {
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
func (st *kernelState) numbers(base string) bool {
	return plainValue(base) || st.classes[base]
}

// className is the name of a class without what it is qualified by and its template arguments.
func className(base string) string {
	base, _, _ = strings.Cut(base, "<")
	return strings.TrimSpace(base[strings.LastIndex(base, ":")+1:])
}

// sharingClasses finds the classes of which a member function has shared memory of its own, or calls one that has:
// objects of them may be addresses in it.
func (c *comparison) sharingClasses() map[string]bool {
	names, out := map[string]bool{}, map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, fns := range c.devices {
			for _, fn := range fns {
				low := c.lowered(fn)
				has := hasShared(low) || some(low.Body, func(e *ir.Expr) bool { return e.Op == ir.OpCall && names[e.Name] })
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
func (c *comparison) numberClasses() map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	for _, f := range c.namesB.prog.All() {
		s := newSource(f)
		for i, u := range s.units {
			c.defines = c.defines || strings.Contains(u.text, "operator")
			if b, _, ok := match(s.units[i:], "typedef $ $ ;"); ok && plainValue(b[0]) {
				out[b[1]] = true
			} else if b, _, ok := match(s.units[i:], "typedef $ $ $ ;"); ok && plainValue(b[0]+" "+b[1]) {
				out[b[2]] = true
			} else if b, _, ok := match(s.units[i:], "typedef $ $ $ $ ;"); ok && plainValue(b[0]+" "+b[1]+" "+b[2]) {
				out[b[3]] = true
			}
		}
		for _, class := range f.Classes {
			if class.Body == nil {
				continue
			}
			us := s.between(int(class.Body.Start), int(class.Body.End))
			plain := !seen[class.Name] && class.Name != "" && len(us) > 2
			first := true
			for _, u := range us[1:max(1, len(us)-1)] {
				switch {
				case first:
					plain, first = plain && plainValue(u.text), false
				case u.text == ";":
					first = true
				default:
					plain = plain && (u.text == "," || u.text == "[" || isWord(u.text) || number(u.text) > 0)
				}
			}
			out[class.Name], seen[class.Name] = plain, true
		}
	}
	return out
}

// addressValue reports whether a variable's value is an address: not that of a single shared number.
func addressValue(v *ir.Var) bool {
	return v.Kind != ir.VarShared || len(v.Dims) > 0 || v.Type.Ptr > 0 || !plainValue(v.Type.Base)
}

// touches returns the first place in an expression that reads or writes shared memory, or may. Making an
// address touches nothing; a call that is given one does, and so does one whose function has shared
// memory of its own.
func (st *kernelState) touches(e *ir.Expr) *ir.Expr {
	var found *ir.Expr
	var visit func(e *ir.Expr)
	visit = func(e *ir.Expr) {
		if e == nil || found != nil {
			return
		}
		switch e.Op {
		case ir.OpIdent:
			if e.Var != nil && st.tainted[e.Var] && (!addressValue(e.Var) || e.Var.Type.Ref) {
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
			if root := base(e); root != nil && root.Var != nil && st.tainted[root.Var] || root == nil && st.names(e) {
				found = e
				return
			}
		case ir.OpSizeof:
			return
		case ir.OpLambda:
			if st.address(e, true) {
				found = e
				return
			}
		case ir.OpCall:
			for _, arg := range e.Args() {
				if st.address(arg, true) {
					found = e
					return
				}
			}
			if obj, member := e.IsMemberCall(); member && st.address(obj, true) {
				found = e
				return
			}
			if st.ownShared(st.calls[e]...) {
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
func (st *kernelState) ownShared(fns ...*ir.Func) bool {
	return slices.ContainsFunc(st.reachable(fns), hasShared)
}

// hasShared reports whether a function declares shared memory, or names some that it did not declare.
func hasShared(g *ir.Func) bool {
	return slices.ContainsFunc(g.Vars, func(v *ir.Var) bool { return v.Kind == ir.VarShared }) || some(g.Body, namesShared)
}

// namesShared reports whether an expression names a variable in shared memory.
func namesShared(e *ir.Expr) bool {
	return e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarShared
}
