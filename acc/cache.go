package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Cached is an array that a cache directive in a nest of loops names: a kernel is to have what its thread blocks read
// of it in shared memory. Which elements that are is found anew; the section says nothing else.
type Cached struct {
	Array string
	Pos   diag.Position
}

// inside reports whether a directive without a statement stands in a node.
func (t *translation) inside(p *pragma, n *parser.Node) bool {
	at := t.written(p.start)
	return int(n.Start) <= at && at < int(n.End)
}

func (t *translation) cachedIn(nest *parser.Node) (out []Cached) {
	for _, p := range t.pragmas {
		for _, a := range p.Args {
			if p.Name == "cache" && t.inside(p, nest) && !slices.ContainsFunc(out, func(o Cached) bool { return o.Array == a.Name }) {
				out = append(out, Cached{a.Name, t.at(a.Pos)})
			}
		}
	}
	return out
}

func (t *translation) cache(p *pragma) {
	construct := slices.ContainsFunc(t.pragmas, func(q *pragma) bool { return q.Compute() && t.inside(p, q.stmt) })
	refuseIf(!construct && !(p.fn != nil && t.inRoutine(p)), t.at(p.Pos), CodeStatement, "cache stands outside of a compute construct", "put it into the body of a loop of a kernel")
	for _, a := range p.Args {
		v := t.named(p, a)
		switch {
		case v == nil:
			panic(refusal(t.at(a.Pos), CodeStatement, fmt.Sprintf("cache names %s, which is no variable here", a.Name), "name an array that the loop reads"))
		case v.isScalar():
			panic(refusal(t.at(a.Pos), CodeStatement, fmt.Sprintf("cache names %s, which is no array", a.Name), "name an array that the loop reads"))
		}
	}
	in := func(n Nest) bool {
		return slices.ContainsFunc(n.Cached, func(c Cached) bool { return c.Pos == t.at(p.Args[0].Pos) || c.Array == p.Args[0].Name })
	}
	if !slices.ContainsFunc(t.Nests, in) {
		t.say(t.at(p.Pos), CodeNoEffect, "cache has no effect here: no threads of a block share what runs here", "put it into a loop whose iterations are shared among threads")
	}
}

// An array that an iteration of a gang's loop has for itself, by private or by a declaration in the loop's body, is
// one for all of its workers and lanes (OpenACC 3.3, sections 2.9.10 and 2.6.1): it is in the shared memory of the
// iteration's thread block. What a loop for lanes declares, or names in private, each thread has.

// mostShared is the largest size of such arrays in bytes: each GPU gives a thread block 48 kB, and reductions need some.
const mostShared = 46 << 10

// share puts an array of the iteration into shared memory, and fails where a thread block can't have it.
func (s *parting) share(v *variable) {
	n, ok := s.c.u.bytesOf(v)
	for _, o := range s.k.shared {
		more, _ := s.c.u.bytesOf(o)
		n += more
	}
	s.failIf(!ok || n > mostShared, "the iteration's array "+v.name+" is not known to fit into shared memory")
	s.k.shared = append(s.k.shared, v)
}

// ofLanes reports whether loops for lanes name a variable in private. It fails where the iteration has another one beside it.
func (s *parting) ofLanes(v *variable) bool {
	by := lists.Filter(s.c.u.pragmas, func(p *pragma) bool {
		return forLanes(p) && within(p.stmt, s.k.body) && slices.Contains(s.c.u.variablesOf(p, "private"), v)
	})
	if len(by) == 0 {
		return false
	}
	for _, a := range s.c.u.accessesOf(s.k.body) {
		s.failIf(a.v == v && !slices.ContainsFunc(by, func(p *pragma) bool { return within(a.node, p.stmt) }), "the iteration has an array "+v.name+", and its lanes have others")
	}
	return true
}

func (u *unit) bytesOf(v *variable) (int64, bool) {
	n := int64(numberNamed(v.resolved).Bytes)
	ok := n > 0
	for _, d := range v.derived {
		c, constant := u.constant(d.size)
		ok = ok && constant && !d.pointer && c > 0 && c < mostShared
		n *= c
	}
	return n, ok
}
