package acc

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// C has arrays whose rows are as long as a variable says: double (*a)[m], and parameters such as double a[n][m]. C++
// has none. Such a variable becomes a pointer to its elements, and a[i][j] is written as a[(ptrdiff_t)i * m + j]: C
// computes the place of an element in that type, too. Everything that is looked at sees the subscripts as they are;
// they are rewritten as text is written.

// readRows finds these variables. Those that can't be written otherwise stay, and are refused.
func (t *translation) readRows() {
	for _, v := range t.vars {
		if len(v.derived) < 2 || v.src != t.source || v.path != "" || v.isStatic {
			continue
		}
		long := slices.ContainsFunc(v.derived[1:], func(d derivation) bool { return !d.pointer && d.size != nil && t.varies(d.size) })
		whole := !slices.ContainsFunc(v.derived[1:], func(d derivation) bool { return d.pointer || d.size == nil })
		v.flat = long && whole && (v.derived[0].pointer || v.param || v.derived[0].size != nil)
	}
	for again := true; again; { // a variable that stays may be handed to another one
		again = false
		for _, v := range t.vars {
			if v.flat && !t.canBeFlat(v) {
				v.flat, again = false, true
			}
		}
	}
	t.hasRows = slices.ContainsFunc(t.vars, func(v *variable) bool { return v.flat })
}

// sizesOf are the lengths of a variable's rows, from the outermost dimension but one.
func (v *variable) sizesOf() []*parser.Node {
	return lists.Map(v.derived[1:], func(d derivation) *parser.Node { return d.size })
}

// measures are the variables that the lengths of rows name.
func (u *unit) measures(v *variable) (out []*variable) {
	if !v.flat {
		return nil
	}
	for _, size := range v.sizesOf() {
		for n := range size.All() {
			if m := u.plainVariable(n); m != nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// canBeFlat reports whether the lengths of rows stay and mean the same at each use, which can be written otherwise.
func (t *translation) canBeFlat(v *variable) bool {
	f := v.decl.Ancestor(parser.KindFunctionDefinition)
	if f == nil || v.isArray() && (t.inCompute(v.decl) || t.device != nil && t.inDevice(v.decl)) {
		return false
	}
	body := f.Child(parser.FieldBody)
	for _, size := range v.sizesOf() {
		if hasCall(size) || slices.ContainsFunc(t.accessesOf(size), func(a access) bool { return a.write || !a.v.isScalar() }) {
			return false
		}
	}
	moves := func(m *variable) bool { return t.movesIn(body, m, int(v.decl.End)) }
	return !slices.ContainsFunc(t.measures(v), moves) && !lists.Any(t.usesIn(f, v), func(n *parser.Node) bool {
		return !t.rowUse(n, v) || slices.ContainsFunc(t.measures(v), func(m *variable) bool { return t.lookup(m.name, int(n.Start)) != m })
	})
}

// chain is the expression that an identifier and the subscripts after it make.
func chain(id *parser.Node) (top *parser.Node, subs []*parser.Node) {
	top = id
	for p := top.Parent; p != nil && p.Kind == parser.KindSubscriptExpression && p.First == top; p = top.Parent {
		list := p.Child(parser.FieldIndices)
		if list == nil || list.FirstNamed() == nil {
			break
		}
		subs, top = append(subs, list.FirstNamed()), p
	}
	return top, subs
}

// rowUse reports whether a use of a variable can be written with a pointer to elements.
func (t *translation) rowUse(id *parser.Node, v *variable) bool {
	top, subs := chain(id)
	left := len(v.derived) - len(subs) // dimensions
	if left == 0 {
		return true
	}
	n, p := top, top.Parent
	for p.Kind == parser.KindParenthesizedExpression {
		n, p = p, p.Parent
	}
	switch p.Kind {
	case parser.KindArgumentList, parser.KindReturnStatement, parser.KindCastExpression, parser.KindConditionClause, parser.KindUnaryExpression:
		return true
	case parser.KindSizeofExpression:
		return n == top || n.Parent == p
	case parser.KindPointerExpression:
		if t.text(p.First) == "&" {
			return len(subs) > 0 && p.Parent.Kind == parser.KindArgumentList
		}
		inSizeof := p.Parent.Kind == parser.KindSizeofExpression || p.Parent.Kind == parser.KindParenthesizedExpression && p.Parent.Parent.Kind == parser.KindSizeofExpression
		return left == 1 || inSizeof
	case parser.KindBinaryExpression:
		op := t.op(p)
		return op == "==" || op == "!=" || op == "&&" || op == "||" || left == 1
	case parser.KindInitDeclarator, parser.KindAssignmentExpression:
		if n.Field == parser.FieldLeft {
			return left == len(v.derived) && t.op(p) == "="
		}
		to := t.target(n)
		return to != nil && (to.isVoidPointer() || to.flat && left == len(to.derived) || left == 1 && len(to.derived) == 1)
	}
	return false
}

// prototypeRows writes declarations of functions in the same way. In a header it refuses them.
func (t *translation) prototypeRows() {
	for _, s := range t.sources() {
		for _, f := range s.tree.Functions {
			for _, p := range f.Params {
				v := variable{src: s, param: true}
				declarator := p.Node.Child(parser.FieldDeclarator)
				names := func(w string) bool {
					return slices.ContainsFunc(f.Params, func(p parser.Param) bool { return p.Name == w })
				}
				measured := func(d derivation) bool { return slices.ContainsFunc(parser.Names(s.text(d.size)), names) } // by another parameter
				if v.walk(s, declarator); f.Body != nil || v.name == "" || !slices.ContainsFunc(v.derived[min(1, len(v.derived)):], measured) {
					continue
				}
				refuseIf(s != t.source, s.at(int(p.Node.Start)), CodeCPlusPlus,
					fmt.Sprintf("rows of %s whose length only the run tells, in a file that is included: C++ does not take it", v.name), "declare it as a pointer to the elements there, and where it is defined")
				t.replace(declarator, "*"+v.name)
			}
		}
	}
}

// checkSize refuses arrays whose size only the run tells, but for those of the host with one dimension.
func (t *translation) checkSize(v *variable, refuse func(n *parser.Node, text, help string)) {
	if v.src != t.source || v.path != "" || v.flat {
		return
	}
	if v.param {
		from, to := t.rangeOf(v.decl)
		if m := staticSize.FindIndex(t.file.Src[from:to]); m != nil {
			t.edits.Replace(from+m[0], from+m[1], "[]") // as many elements there are, at least
			return
		}
	}
	for i, d := range v.derived {
		if d.pointer || d.size == nil || !t.varies(d.size) {
			continue
		}
		const help = "have nothing else change the length, use it with all subscripts, or use a pointer to the elements: a[i * n + j]"
		switch {
		case v.param && i == 0 && len(v.derived) == 1:
			if from, to := t.rangeOf(d.size); t.isExact(d.size) {
				t.edits.Replace(from, to, "") // what stands there has no meaning
			}
		case i > 0 || v.param:
			refuse(v.decl, fmt.Sprintf("rows of %s whose length only the run tells", v.name), help)
			return
		case t.inCompute(v.decl) || t.device != nil && t.inDevice(v.decl):
			refuse(v.decl, fmt.Sprintf("%s, an array of a kernel whose length only the run tells", v.name), "give it a constant length, as large as is needed at most")
			return
		}
	}
}

var staticSize = regexp.MustCompile(`\[\s*static\b[^\]]*\]`)

// inDevice reports whether a node is in a function that runs on the device.
func (t *translation) inDevice(n *parser.Node) bool {
	return slices.ContainsFunc(t.onDevice(), func(f *parser.Function) bool { return within(n, f.Body) })
}

// varies reports whether the size of an array depends on the value of a variable.
func (t *translation) varies(size *parser.Node) bool {
	found := false
	size.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindSizeofExpression {
			return false
		}
		v := t.plainVariable(n)
		if v == nil {
			return !found
		}
		fixed := v.isConst && v.isInteger() && v.src == t.source && v.declarator != nil && v.declarator.Kind == parser.KindInitDeclarator
		found = found || !fixed || hasCall(v.declarator) || t.varies(v.declarator.Child(parser.FieldValue))
		return !found
	})
	return found
}

// sizeof is sizeof of a whole array as the kernel writes it, where the array is a pointer; false for others.
func (e *emitter) sizeof(n *parser.Node) (string, bool) {
	u := e.translation
	of := n.FirstNamed()
	for of != nil && of.NextNamed() == nil && (of.Kind == parser.KindParenthesizedExpression || of.Kind == parser.KindTypeDescriptor) {
		of = of.FirstNamed()
	}
	if of == nil || of.Kind != parser.KindIdentifier && of.Kind != parser.KindTypeIdentifier {
		return "", false
	}
	v := u.lookup(u.text(of), int(of.Start))
	if v == nil || !v.isArray() || v.flat || u.localTo(v, e.construct.stmt) {
		return "", false
	}
	text := "sizeof(" + v.base
	for i, d := range v.derived {
		size, ok := u.constant(d.size)
		if d.size == nil && i == 0 {
			size, ok = v.listed()
		}
		switch {
		case ok:
			text += fmt.Sprintf("[%d]", size)
		case d.size != nil && !d.pointer:
			text += "[" + d.in.text(d.size) + "]"
		case d.pointer:
			text += "*"
		default:
			panic(refusal(u.place(n), CodeUnsupported, "sizeof of "+v.name+" in a kernel, an array whose length stands nowhere", "write its length into its declaration"))
		}
	}
	return text + ")", true
}

// listed counts the elements of an array by its first value.
func (v *variable) listed() (n int64, ok bool) {
	list := v.declarator.Child(parser.FieldValue)
	if list == nil || list.Kind != parser.KindInitializerList {
		return 0, false
	}
	all := parts(list)
	named := slices.ContainsFunc(all, func(c *parser.Node) bool { return c.Kind == parser.KindInitializerPair })
	// Of rows without braces of their own several make one.
	return int64(len(all)), !named && (len(v.derived) == 1 || len(all) > 0 && all[0].Kind == parser.KindInitializerList)
}
