package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// protect copies in what a clause only copies out, unless the region writes all of it first: the rest would come back undefined.
func (t *translation) protect(r *region, stmt *parser.Node) {
	for _, i := range r.items {
		if !i.out || i.in || i.zero || i.present || t.writesAll(stmt, i) {
			continue
		}
		i.in = true
		t.say(t.at(r.pragma.Pos), CodeCopiedIn, fmt.Sprintf("%s is copied to the device, too: can't prove that the region writes all of it before it reads", i.v.name),
			fmt.Sprintf("write copy(%s) if its values count", i.v.name))
	}
}

// writesAll reports whether a region begins to use an item by writing all of it, in loops that run over all of its dimensions.
func (t *translation) writesAll(stmt *parser.Node, i *item) bool {
	all := lists.Filter(t.accessesOf(stmt), func(a access) bool { return a.v == i.v })
	if i.v.isScalar() || i.lower != "" || len(all) == 0 {
		return false
	}
	a := all[0]
	readFirst := func(o access) bool { return within(o.node, a.node.Parent) && o.node != a.node } // on the right side
	loops, always := newForms(t.unit, nil).loopsAround(a.node, stmt)
	if a.read || !a.write || a.whole || a.member || a.node.Parent.Kind != parser.KindAssignmentExpression || slices.ContainsFunc(all, readFirst) ||
		!always || len(a.subs) != len(i.v.derived) || len(loops) != len(a.subs) {
		return false
	}
	for k, s := range a.subs {
		at := slices.IndexFunc(loops, func(l *loop) bool { return s != nil && t.variableOf(s) == l.counter })
		if at < 0 {
			return false
		}
		l := loops[at]
		loops = slices.Delete(loops, at, at+1)
		length := cmp.Or(i.first, i.length)
		switch {
		case k > 0 && i.row != "":
			length = i.row
		case k > 0:
			length = i.v.derived[k].text()
		}
		first, known := t.constant(l.lower)
		c, ok := t.constant(l.upper)
		d, also := parseConstant(length)
		if !known || first != 0 || l.step != 1 || l.inclusive || !sameText(t.spelled(l.upper), length) && !(ok && also && c == d) {
			return false
		}
	}
	return true
}

// sameText reports whether two expressions are written alike, but for blanks and what stands around them.
func sameText(a, b string) bool {
	squeeze := func(s string) string { return strings.Trim(strings.Join(strings.Fields(s), ""), "()") }
	return squeeze(a) == squeeze(b)
}

// stale looks for what host and device have different of a variable in a data region, where no update stands.
func (t *translation) stale(r *region, stmt *parser.Node) {
	for _, i := range r.items {
		if i.v.isScalar() || i.pointer {
			continue
		}
		var host, device [2]*access // that read, that write
		for _, a := range lists.Filter(t.accessesOf(stmt), func(a access) bool { return a.v == i.v && !a.whole }) {
			side := &host
			if t.inCompute(a.node) {
				side = &device
			}
			for k, does := range []bool{a.read, a.write} {
				if does && side[k] == nil {
					side[k] = &a
				}
			}
		}
		if host[1] != nil && device[0] != nil && !t.updates(stmt, i.v, "device") {
			t.say(t.place(host[1].node), CodeStale, fmt.Sprintf("the host writes %s, of which the device has a copy since the data region began: kernels read the copy", i.v.name),
				fmt.Sprintf("put \"#pragma acc update device(%s)\" after it, or write it before the region", i.v.name))
		}
		if host[0] != nil && device[1] != nil && !t.updates(stmt, i.v, "host") {
			t.say(t.place(host[0].node), CodeStale, fmt.Sprintf("the host reads %s, whose copy on the device kernels write: what they write comes back at the end of the data region", i.v.name),
				fmt.Sprintf("put \"#pragma acc update self(%s)\" before it, or read it after the region", i.v.name))
		}
	}
}

func (t *translation) updates(stmt *parser.Node, v *variable, clause string) bool {
	return slices.ContainsFunc(t.pragmas, func(p *pragma) bool {
		return p.Name == "update" && t.inside(p, stmt) && slices.Contains(t.variablesOf(p, clause), v)
	})
}
