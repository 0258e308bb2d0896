package acc

import (
	"fmt"
	"regexp"

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
		from, to := t.original(int(v.decl.Start), int(v.decl.End))
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
			if from, to := t.original(int(d.size.Start), int(d.size.End)); t.exact(int(d.size.Start), int(d.size.End)) {
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
	for _, f := range t.tree.Functions {
		if f.Body != nil && t.device[f.Name] && within(n, f.Body) {
			return true
		}
	}
	return false
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
