package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Cached is an array that a cache directive in a nest of loops names: a kernel is to have what its
// thread blocks read of it in shared memory. Which elements that are is found anew; the section says
// nothing else.
type Cached struct {
	Array string
	Pos   diag.Position
}

// inside reports whether a directive without a statement stands in a node.
func (t *translation) inside(p *pragma, n *parser.Node) bool {
	at := t.written(p.start)
	return int(n.Start) <= at && at < int(n.End)
}

// cachedIn are the arrays that cache directives in a nest name.
func (t *translation) cachedIn(nest *parser.Node) (out []Cached) {
	for _, p := range t.pragmas {
		if p.Name != "cache" || !t.inside(p, nest) {
			continue
		}
		for _, a := range p.Args {
			c := Cached{a.Name, t.at(a.Pos)}
			if !slices.ContainsFunc(out, func(o Cached) bool { return o.Array == c.Array }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// cache checks a cache directive, after the construct that it stands in.
func (t *translation) cache(p *pragma) error {
	construct := slices.ContainsFunc(t.pragmas, func(q *pragma) bool { return q.Compute() && t.inside(p, q.stmt) })
	if !construct && !(p.fn != nil && t.inRoutine(p)) {
		return refusal(t.at(p.Pos), CodeStatement, "cache stands outside of a compute construct", "put it into the body of a loop of a kernel")
	}
	for _, a := range p.Args {
		v := t.named(p, a)
		switch {
		case v == nil:
			return refusal(t.at(a.Pos), CodeStatement, fmt.Sprintf("cache names %s, which is no variable here", a.Name), "name an array that the loop reads")
		case v.isScalar():
			return refusal(t.at(a.Pos), CodeStatement, fmt.Sprintf("cache names %s, which is no array", a.Name), "name an array that the loop reads")
		}
	}
	in := func(n Nest) bool {
		return slices.ContainsFunc(n.Cached, func(c Cached) bool { return c.Pos == t.at(p.Args[0].Pos) || c.Array == p.Args[0].Name })
	}
	if !slices.ContainsFunc(t.nests, in) {
		t.say(t.at(p.Pos), CodeNoEffect, "cache has no effect here: no threads of a block share what runs here", "put it into a loop whose iterations are shared among threads")
	}
	return nil
}
