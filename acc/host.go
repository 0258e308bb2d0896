package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// host makes of the C text outside of kernels what C++ takes.
func (t *translation) host() {
	for n := range t.tree.Root.All() {
		if text, ok := t.inC(n); ok && !t.dropped(n) && t.isExact(n) && !t.inCompute(n) {
			t.replace(n, text)
		}
		t.convert(n)
		t.castArgument(n)
	}
}

// inCompute reports whether a node is in the text that a compute construct replaces.
func (t *translation) inCompute(n *parser.Node) bool {
	return slices.ContainsFunc(t.pragmas, func(p *pragma) bool { return p.Compute() && within(n, p.stmt) })
}

// hostHas reports whether the host has the text of a node: it is in no compute construct, or in one that
// may run on the host.
func (t *translation) hostHas(n *parser.Node) bool {
	return !slices.ContainsFunc(t.pragmas, func(p *pragma) bool {
		return p.Compute() && within(n, p.stmt) && !p.Has("if") && !p.Has("self")
	})
}

var allocators = map[string]bool{"malloc": true, "calloc": true, "realloc": true, "aligned_alloc": true,
	"acc_malloc": true, "acc_copyin": true, "acc_create": true, "acc_deviceptr": true, "acc_hostptr": true,
	"acc_present_or_copyin": true, "acc_pcopyin": true, "acc_present_or_create": true, "acc_pcreate": true}

// abstract is the type of a pointer without a name.
func (v *variable) abstract() string {
	stars := ""
	rest := v.derived
	for len(rest) > 0 && rest[0].pointer {
		stars += "*"
		rest = rest[1:]
	}
	if len(rest) == 0 || v.flat {
		return v.base + " " + stars
	}
	tail := variable{derived: rest}
	return fmt.Sprintf("%s (%s)%s", v.base, stars, tail.extents(0))
}

// dropped reports whether a node is in a declaration that is taken out or written anew.
func (t *translation) dropped(n *parser.Node) bool {
	from, _ := t.rangeOf(n)
	return slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool { return e.Start <= from && from < e.End })
}
