package stage

import (
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/linear"
)

// arithmetic computes a op b.
func (y *symbolic) arithmetic(op string, a, b known) (out known) {
	if !linear.Within(func() { out = computed(y, op, a, b) }) {
		return y.fresh(kindNames[commonKind(y.number(a).kind, y.number(b).kind)])
	}
	return out
}

func computed(y *symbolic, op string, a, b known) (out known) {
	if a.kind == anAddress || b.kind == anAddress {
		return y.offset(op, a, b)
	}
	a, b = y.number(a), y.number(b)
	if !a.kind.integer() || !b.kind.integer() {
		return y.atomOf(op, "", a, b)
	}
	kind := commonKind(a.kind, b.kind)
	if op == "<<" || op == ">>" {
		kind = a.kind
	}
	p, q := y.as(a, kind), y.as(b, kind)
	out = known{kind: kind}
	n, fixed := q.s.Constant()
	switch {
	case op == "+":
		out.s = p.s.Plus(q.s, 1)
	case op == "-":
		out.s = p.s.Plus(q.s, -1)
	case op == "*":
		out.s = y.g.Product(p.s, q.s)
	case op == "<<" && fixed && n >= 0 && n < 31 && (kind != int32s || n < 16): // a byte may be moved up to the sign
		out.s = linear.Sum(nil).Plus(p.s, 1<<n)
	case ((op == "/" || op == "%") && fixed && n > 0 || op == ">>" && fixed && n >= 0 && n < 31) && y.natural(y.seen(p)):
		if op == ">>" {
			n = 1 << n
		}
		s := y.seen(p)
		out.s = y.quotient(s, n)
		if op == "%" {
			out.s = s.Plus(out.s, -n)
		}
	case op == "&" && fixed && n >= 0:
		if m, ok := p.s.Constant(); ok && m >= 0 {
			out.s = linear.Number(m & n)
			break
		}
		s, fresh := y.g.Of("&"+string('0'+byte(kind)), p.s, q.s)
		if fresh {
			y.g.Know(s, linear.Natural(s), linear.Natural(linear.Number(n).Plus(s, -1)))
			y.g.Unsigned[y.g.Single(s)] = kind.unsigned()
		}
		out.s = s
	default:
		if m, ok := p.s.Constant(); ok && fixed {
			if v := content.Binary(op, content.Value{Kind: content.IsInt, N: m, Unsigned: kind.unsigned(), Wide: kind >= int64s}, content.Value{Kind: content.IsInt, N: n, Unsigned: kind.unsigned(), Wide: kind >= int64s}); v.Kind == content.IsInt {
				out.s = linear.Number(v.N)
				return out
			}
		}
		return y.atomOf(op, kindNames[kind], p, q)
	}
	return out
}

// quotient is s / n of what is not negative.
func (y *symbolic) quotient(s linear.Sum, n int64) linear.Sum {
	var whole, rest linear.Sum
	for _, p := range s {
		if p.Mono > 0 && p.N%n == 0 {
			whole = append(whole, linear.Part{Mono: p.Mono, N: p.N / n})
		} else {
			rest = append(rest, p)
		}
	}
	if m, ok := rest.Constant(); ok {
		return whole.Shifted(linear.Floor(m, n)) // the rest is a number
	}
	q, fresh := y.g.Of("/", rest, linear.Number(n))
	if fresh {
		left := rest.Plus(q, -n)
		y.g.Know(q, linear.Natural(left), linear.Natural(linear.Number(n-1).Plus(left, -1)))
	}
	return whole.Plus(q, 1)
}

// offset computes with an address.
func (y *symbolic) offset(op string, a, b known) known {
	if b.kind == anAddress && op == "+" {
		a, b = b, a
	}
	if b = y.number(b); a.kind == anAddress && b.kind.integer() && (op == "+" || op == "-") && len(a.at) == 0 && (a.base.Type.Ptr == 1 || len(a.base.Dims) == 1) {
		n := int64(1)
		if op == "-" {
			n = -1
		}
		s := b.s
		if b.kind == uint32s {
			s = y.seen(b)
		}
		a.s = a.s.Plus(s, n)
		return a
	}
	return y.atomOf(op, "", a, b)
}

// compared is a op b.
func (y *symbolic) compared(op string, a, b known) linear.Formula {
	a, b = y.number(a), y.number(b)
	if !a.kind.integer() || !b.kind.integer() {
		return linear.Formula{Op: linear.IsAtom, Atom: y.g.Single(y.atomOf(op, "int", a, b).s)}
	}
	kind := commonKind(a.kind, b.kind)
	p, q := y.as(a, kind), y.as(b, kind)
	d := q.s.Plus(p.s, -1)
	if n, ok := d.Constant(); ok && n == 0 {
		d = nil
	} else {
		d = y.seen(q).Plus(y.seen(p), -1)
	}
	switch op {
	case "<":
		return linear.Natural(d.Shifted(-1))
	case "<=":
		return linear.Natural(d)
	case ">":
		return linear.Natural(linear.Number(-1).Plus(d, -1))
	case ">=":
		return linear.Natural(linear.Sum(nil).Plus(d, -1))
	case "==":
		return linear.Zero(d)
	}
	return linear.Zero(d).Not()
}

// least is min(a, b), or max.
func (y *symbolic) least(op string, a, b known) known {
	kind := commonKind(a.kind, b.kind)
	p, q := y.seen(y.as(a, kind)), y.seen(y.as(b, kind))
	d := q.Plus(p, -1)
	if op == "max" {
		p, q = q, p
	}
	if n, ok := d.Constant(); ok {
		if n >= 0 {
			return known{kind: kind, s: p}
		}
		return known{kind: kind, s: q}
	}
	s, fresh := y.g.Of(op, p, q)
	if fresh {
		y.g.Unsigned[y.g.Single(s)] = kind.unsigned()
		sign := int64(1)
		if op == "max" {
			sign = -1
		}
		y.g.Know(s, linear.Natural(linear.Sum(nil).Plus(p, sign).Plus(s, -sign)), linear.Natural(linear.Sum(nil).Plus(q, sign).Plus(s, -sign)),
			linear.Either(linear.Natural(linear.Sum(nil).Plus(s, sign).Plus(p, -sign)), linear.Natural(linear.Sum(nil).Plus(s, sign).Plus(q, -sign))))
		y.g.Ways[y.g.Single(s)] = linear.Way{C: linear.Natural(linear.Sum(nil).Plus(q, sign).Plus(p, -sign)), A: p, B: q}
	}
	return known{kind: kind, s: s}
}

// seen is an unsigned number as it is when its size matters: what was computed where that is not negative, and else
// an atom.
func (y *symbolic) seen(v known) linear.Sum {
	if n, ok := v.s.Constant(); ok && v.kind == uint32s {
		return linear.Number(int64(uint32(n)))
	}
	if !v.kind.unsigned() || v.fits || y.natural(v.s) && y.fits(v.s, v.kind) {
		return v.s
	}
	// n - k is n' - k, n' the unsigned n, where that is not negative.
	if parts := y.unsignedParts(v); parts != nil && y.natural(parts) {
		return parts
	}
	return y.wrapped(v.s, v.kind)
}

// fits reports whether a number that is not negative is known to have a place in the bits of a type: in 32, the number of a
// thread, two ints, one unsigned number, or no more than something that has; in 64, one number, or few of 32 bits.
func (y *symbolic) fits(s linear.Sum, kind numberKind) bool {
	small := false
	if kind == uint64s {
		bits := 0.0
		for _, p := range s {
			bits = max(bits, math.Log2(math.Abs(float64(p.N)))+32*float64(len(y.g.Monos[p.Mono])))
			if slices.ContainsFunc(y.g.Monos[p.Mono], y.g.MayBeWide) {
				bits = 64
			}
		}
		small = y.g.Single(s) >= 0 || bits+math.Log2(float64(max(1, len(s)))) < 64
	} else {
		most, block := int64(0), false
		for _, p := range s {
			if p.N < 0 {
				if p.Mono > 0 && !y.natural(linear.Sum{p}.Times(-1)) {
					most = 1 << 40
				}
				continue
			}
			a := -1
			if atoms := y.g.Monos[p.Mono]; len(atoms) == 1 {
				a = atoms[0]
			}
			switch {
			case p.Mono == 0:
				most += p.N
			case a >= 0 && strings.HasPrefix(y.g.Atoms[a].Op, "blockIdx") && p.N <= int64(y.block[0]*y.block[1]*y.block[2]):
				block = true
			case a >= 0 && y.g.Unsigned[a] && p.N == 1:
				most += 1<<32 - 1
			case a >= 0 && !y.g.Unsigned[a] && p.N <= 2:
				most += p.N * (1<<31 - 1)
			default:
				most = 1 << 40
			}
			most = min(most, 1<<40)
		}
		if block {
			most += 1 << 31
		}
		small = most < 1<<32 || y.g.Line(y.path, linear.Number(1<<32-1).Plus(s, -1))
	}
	found := small
	seen := map[int]bool{}
	for _, f := range y.path {
		y.g.AtomsIn(f, func(a int) {
			if !found && !seen[a] && (kind == uint64s || !y.g.MayBeWide(a)) {
				seen[a] = true
				one := y.g.Atom(a)
				found = y.g.Line(y.path, one.Plus(s, -1))
			}
		})
	}
	return found
}

// wrapped is an integer as an unsigned one, of which is known that it is not negative.
func (y *symbolic) wrapped(of linear.Sum, kind numberKind) linear.Sum {
	s, fresh := y.g.Of("wrapped"+string('0'+byte(kind)), of)
	if fresh {
		y.g.Know(s, linear.Natural(s))
		y.g.Unsigned[y.g.Single(s)] = true
		y.g.Wide[y.g.Single(s)] = kind == uint64s
	}
	return s
}

// unsignedParts is a difference with its first part as an unsigned number; nil for anything that may be larger than
// such a number.
func (y *symbolic) unsignedParts(v known) (out linear.Sum) {
	more := 0
	for _, p := range v.s {
		one := linear.Sum{p}
		if p.N > 0 {
			more++
			if a := y.g.Single(one); p.Mono > 0 && a < 0 {
				return nil
			} else if p.Mono > 0 && !y.natural(one) {
				one = y.wrapped(one, v.kind)
			}
		} else if !y.natural(one.Times(-1)) {
			return nil
		}
		out = out.Plus(one, 1)
	}
	if more != 1 {
		return nil
	}
	return out
}

// natural reports whether a number is known not to be negative.
func (y *symbolic) natural(s linear.Sum) bool {
	simple := true
	for _, p := range s {
		if p.N < 0 {
			simple = false
		}
		for _, a := range y.g.Monos[p.Mono] {
			if fs := y.g.Facts[a]; len(fs) == 0 || fs[0].Op != linear.IsNatural || len(fs[0].S) != 1 || fs[0].S[0].N != 1 {
				simple = false
			}
		}
	}
	return simple || y.g.Line(y.path, s) || y.g.OneOfTwo(s) >= 0 && y.g.Follows(y.path, linear.Natural(s))
}
