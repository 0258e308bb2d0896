package cost

import "cmp"

// lanes are numbers of the threads of a block, of which a value differs by the same number for all: a value plus a
// constant has the same lanes. Equal sums and multiples of lanes are one, so that what is known of an access holds
// for all that differ from it by a constant.
type lanes struct {
	of        []int64
	low, high int64
	made      map[combination]*lanes
}

// combination is a sum of lanes with others, or their product with a number.
type combination struct {
	tok string
	b   *lanes
	by  int64
}

func newLanes(of []int64) *lanes {
	l := &lanes{of: of}
	if len(of) > 0 {
		l.low, l.high = of[0], of[0]
	}
	for _, n := range of {
		l.low, l.high = min(l.low, n), max(l.high, n)
	}
	return l
}

// laid makes of what a value is in each thread the number and the lanes that spell it.
func laid(of []int64) (s int64, v *lanes) {
	if v = newLanes(of); v.low == v.high {
		return v.low, nil
	}
	return 0, v
}

// combined is the lanes of a sum or difference with b, or of a product with a number.
func (l *lanes) combined(tok string, b *lanes, by int64) *lanes {
	key := combination{tok, b, by}
	if out, ok := l.made[key]; ok {
		return out
	}
	of := make([]int64, len(l.of))
	for i, n := range l.of {
		switch tok {
		case "+":
			of[i] = n + b.of[i]
		case "-":
			of[i] = n - b.of[i]
		default:
			of[i] = n * by
		}
	}
	out := newLanes(of)
	if l.made == nil {
		l.made = map[combination]*lanes{}
	}
	l.made[key] = out
	return out
}

// numbers takes over what is known of another's number.
func (a *value) numbers(b value) {
	a.s, a.v, a.known, a.exact, a.next, a.apart = b.s, b.v, b.known, b.exact, b.next, b.apart
}

// selected takes a in the threads where c is not 0, else b.
func selected(n int, c, a, b value) value {
	of := make([]int64, n)
	for i := range of {
		if of[i] = b.at(i); c.at(i) != 0 {
			of[i] = a.at(i)
		}
	}
	out := value{known: true, exact: a.exact && b.exact, next: a.next, apart: a.apart || b.apart || a.next != b.next}
	out.s, out.v = laid(of)
	return out
}

// numeric computes the numbers of a binary operation. An offset that is not known survives only what is linear.
func numeric(tok string, a, b value) value {
	if !a.known || !b.known {
		return value{}
	}
	out := value{known: true, exact: a.exact && b.exact, apart: a.apart || b.apart}
	switch {
	case a.v == nil && b.v == nil:
		out.s, out.known = apply(tok, a.s, b.s)
	case tok == "+" || tok == "-":
		out.s, _ = apply(tok, a.s, b.s)
		switch {
		case b.v == nil:
			out.v = a.v
		case a.v == nil && tok == "+":
			out.v = b.v
		case a.v == nil:
			out.v = b.v.combined("*", nil, -1)
		default:
			out.v = a.v.combined(tok, b.v, 0)
		}
	case tok == "*" && b.v == nil:
		out.s, out.v = a.s*b.s, a.v.combined("*", nil, b.s)
	case tok == "*" && a.v == nil:
		out.s, out.v = a.s*b.s, b.v.combined("*", nil, a.s)
	case tok == "<<" && b.v == nil && b.s >= 0 && b.s < 63:
		out.s, out.v = a.s<<b.s, a.v.combined("*", nil, 1<<b.s)
	default:
		return everyLane(tok, a, b)
	}
	if out.v != nil && out.v.low == out.v.high {
		out.s, out.v = out.s+out.v.low, nil
	}
	for d := range out.next {
		switch tok {
		case "+":
			out.next[d] = a.next[d] + b.next[d]
		case "-":
			out.next[d] = a.next[d] - b.next[d]
		default:
			// Both may differ; where lanes are multiplied with what differs, they do so too.
			then, ok := apply(tok, a.s+a.next[d], b.s+b.next[d])
			out.next[d] = then - out.s
			out.apart = out.apart || !ok || a.v != nil && b.next[d] != 0 || b.v != nil && a.next[d] != 0
		}
	}
	return out
}

// everyLane computes an operation thread by thread, where it has to.
func everyLane(tok string, a, b value) value {
	out := value{known: true, exact: a.exact && b.exact, apart: a.apart || b.apart}
	if s, ok := alike(tok, a, b); ok {
		out.s = s
		for d := range out.next {
			a, b := a, b
			a.s, b.s = a.s+a.next[d], b.s+b.next[d]
			then, ok := alike(tok, a, b)
			out.next[d] = then - s
			out.apart = out.apart || !ok
		}
		return out
	}
	like := cmp.Or(a.v, b.v)
	of := make([]int64, len(like.of))
	for i := range of {
		r, ok := apply(tok, a.at(i), b.at(i))
		if !ok {
			return value{}
		}
		of[i] = r
		for d := 0; d < len(out.next) && !out.apart; d++ {
			if a.next[d] == 0 && b.next[d] == 0 {
				continue
			}
			then, ok := apply(tok, a.at(i)+a.next[d], b.at(i)+b.next[d])
			if i == 0 {
				out.next[d] = then - r
			}
			out.apart = !ok || out.next[d] != then-r
		}
	}
	out.s, out.v = laid(of)
	return out
}

// alike returns the result of an order for all threads' numbers, where both ends of the lanes say the same.
func alike(tok string, a, b value) (s int64, ok bool) {
	if !comparison(tok) || tok == "==" || tok == "!=" {
		return 0, false
	}
	x, y := a.ends(), b.ends()
	s, _ = apply(tok, x[0], y[1])
	other, _ := apply(tok, x[1], y[0])
	return s, s == other
}

// ends are the smallest and the largest number of all threads.
func (a value) ends() [2]int64 {
	if a.v == nil {
		return [2]int64{a.s, a.s}
	}
	return [2]int64{a.s + a.v.low, a.s + a.v.high}
}
