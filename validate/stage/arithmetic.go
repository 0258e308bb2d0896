package stage

import (
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/linear"
)

// arithmetic computes a op b.
func (y *symbolic) arithmetic(op string, a, b known) (out known) {
	defer func() {
		if v := recover(); v != nil {
			if _, large := v.(linear.TooMuch); !large {
				panic(v)
			}
			out = y.fresh(kindNames[commonKind(a.kind, b.kind)])
		}
	}()
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
	case op == "<<" && fixed && n >= 0 && n < 31:
		out.s = linear.Sum(nil).Plus(p.s, 1<<n)
	case (op == "/" || op == "%") && fixed && n > 0, op == ">>" && fixed && n >= 0 && n < 31:
		if op == ">>" {
			n = 1 << n
		}
		s := y.seen(p)
		if !y.natural(s) {
			break
		}
		out.s = y.quotient(s, n)
		if op == "%" {
			out.s = s.Plus(out.s, -n)
		}
		return out
	case op == "&" && fixed && n >= 0:
		if m, ok := p.s.Constant(); ok && m >= 0 {
			out.s = linear.Number(m & n)
			return out
		}
		s, fresh := y.g.Of("&"+string('0'+byte(kind)), p.s, q.s)
		if fresh {
			y.g.Know(s, linear.Natural(s), linear.Natural(linear.Number(n).Plus(s, -1)))
		}
		out.s = s
		return out
	}
	if out.s == nil && op != "+" && op != "-" && op != "*" && op != "<<" || op == "<<" && !fixed {
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
