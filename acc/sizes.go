package acc

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Arrays whose length only the run tells. Those with rows of such a length are written otherwise
// (rows.go).

// checkSize refuses arrays whose size only the run tells, but for those of the host that have one
// dimension.
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
	return slices.ContainsFunc(t.tree.Functions, func(f *parser.Function) bool { return f.Body != nil && t.device[f.Name] && within(n, f.Body) })
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

// sizeof returns sizeof of a whole array as the kernel writes it, where the array is a pointer; "" where
// the text can stay as it is.
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
			size, ok = u.listed(v)
		}
		switch {
		case ok:
			text += fmt.Sprintf("[%d]", size)
		case d.size != nil && !d.pointer:
			text += "[" + d.in.text(d.size) + "]"
		case d.pointer:
			text += "*"
		default:
			e.failed = cmp.Or(e.failed, refusal(u.place(n), CodeUnsupported, "sizeof of "+v.name+" in a kernel, an array whose length stands nowhere", "write its length into its declaration"))
		}
	}
	return text + ")", true
}

// listed counts the elements of an array by its first value.
func (u *unit) listed(v *variable) (n int64, ok bool) {
	list := v.declarator.Child(parser.FieldValue)
	if list == nil || list.Kind != parser.KindInitializerList {
		return 0, false
	}
	for c := list.FirstNamed(); c != nil; c = c.NextNamed() {
		if c.Kind == parser.KindInitializerPair {
			return 0, false
		}
		n++
	}
	// Of rows without braces of their own several make one.
	return n, len(v.derived) == 1 || list.FirstNamed() != nil && list.FirstNamed().Kind == parser.KindInitializerList
}
