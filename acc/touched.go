package acc

import "github.com/smux-cuda/smux/parser"

// touched are the arrays that a phase reads and writes.
type touched struct {
	reads, writes map[*variable]bool
	// anything is set if it reads or writes through a pointer of its own, whatever that is to.
	anything bool
}

// meets reports whether one of two phases writes what the other one touches.
func (a *phase) meets(b *phase) bool {
	if a.by == one && b.by == one {
		return false // the same thread
	}
	if a.touch.nothing() || b.touch.nothing() {
		return false
	}
	if written := len(a.touch.writes) > 0 || len(b.touch.writes) > 0; written && (a.touch.anything || b.touch.anything) {
		return true
	}
	for v := range a.touch.writes {
		if b.touch.reads[v] || b.touch.writes[v] {
			return true
		}
	}
	for v := range b.touch.writes {
		if a.touch.reads[v] {
			return true
		}
	}
	return false
}

func (t *touched) nothing() bool { return len(t.reads) == 0 && len(t.writes) == 0 }

// touchOf are the arrays that a statement reads and writes, those that it declares left out.
func (s *parting) touchOf(n *parser.Node) touched {
	t := touched{reads: map[*variable]bool{}, writes: map[*variable]bool{}}
	u := s.c.u
	points := n.Kind == parser.KindDeclaration && !hasCall(n) // an address in it is of a pointer's first value
	for _, a := range u.accessesOf(n) {
		v := a.v
		if v.isScalar() && !a.whole || v.isArray() && u.localTo(v, n) || a.whole && points {
			continue
		}
		t.anything = t.anything || a.whole || u.localTo(v, s.k.body) && !v.isArray()
		if a.write {
			t.writes[v] = true
		}
		if a.read {
			t.reads[v] = true
		}
	}
	return t
}

// add adds what another phase touches.
func (t *touched) add(o touched) {
	for v := range o.reads {
		t.reads[v] = true
	}
	for v := range o.writes {
		t.writes[v] = true
	}
	t.anything = t.anything || o.anything
}
