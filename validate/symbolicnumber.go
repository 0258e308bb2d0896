package validate

// arithmetic computes a op b.
func (y *symbolic) arithmetic(op string, a, b known) (out known) {
	defer func() {
		if v := recover(); v != nil {
			if _, large := v.(tooMuch); !large {
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
	n, fixed := q.s.constant()
	switch {
	case op == "+":
		out.s = p.s.plus(q.s, 1)
	case op == "-":
		out.s = p.s.plus(q.s, -1)
	case op == "*":
		out.s = y.g.product(p.s, q.s)
	case op == "<<" && fixed && n >= 0 && n < 31:
		out.s = sum(nil).plus(p.s, 1<<n)
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
			out.s = s.plus(out.s, -n)
		}
		return out
	case op == "&" && fixed && n >= 0:
		if m, ok := p.s.constant(); ok && m >= 0 {
			out.s = number64(m & n)
			return out
		}
		s, fresh := y.g.of("&"+string('0'+byte(kind)), p.s, q.s)
		if fresh {
			y.g.know(s, natural(s), natural(number64(n).plus(s, -1)))
		}
		out.s = s
		return out
	}
	if out.s == nil && op != "+" && op != "-" && op != "*" && op != "<<" || op == "<<" && !fixed {
		if m, ok := p.s.constant(); ok && fixed {
			if v := binary(op, value{kind: isInt, n: m, unsigned: kind.unsigned(), wide: kind >= int64s}, value{kind: isInt, n: n, unsigned: kind.unsigned(), wide: kind >= int64s}); v.kind == isInt {
				out.s = number64(v.n)
				return out
			}
		}
		return y.atomOf(op, kindNames[kind], p, q)
	}
	return out
}

// quotient is s / n of what is not negative.
func (y *symbolic) quotient(s sum, n int64) sum {
	var whole, rest sum
	for _, p := range s {
		if p.mono > 0 && p.n%n == 0 {
			whole = append(whole, part{p.mono, p.n / n})
		} else {
			rest = append(rest, p)
		}
	}
	if m, ok := rest.constant(); ok {
		return whole.shifted(floor(m, n)) // the rest is a number
	}
	q, fresh := y.g.of("/", rest, number64(n))
	if fresh {
		left := rest.plus(q, -n)
		y.g.know(q, natural(left), natural(number64(n-1).plus(left, -1)))
	}
	return whole.plus(q, 1)
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
		a.s = a.s.plus(s, n)
		return a
	}
	return y.atomOf(op, "", a, b)
}

// compared is a op b.
func (y *symbolic) compared(op string, a, b known) formula {
	a, b = y.number(a), y.number(b)
	if !a.kind.integer() || !b.kind.integer() {
		return formula{op: isAtom, atom: y.g.single(y.atomOf(op, "int", a, b).s)}
	}
	kind := commonKind(a.kind, b.kind)
	p, q := y.as(a, kind), y.as(b, kind)
	d := q.s.plus(p.s, -1)
	if n, ok := d.constant(); ok && n == 0 {
		d = nil
	} else {
		d = y.seen(q).plus(y.seen(p), -1)
	}
	switch op {
	case "<":
		return natural(d.shifted(-1))
	case "<=":
		return natural(d)
	case ">":
		return natural(number64(-1).plus(d, -1))
	case ">=":
		return natural(sum(nil).plus(d, -1))
	case "==":
		return zero(d)
	}
	return zero(d).not()
}

// least is min(a, b), or max.
func (y *symbolic) least(op string, a, b known) known {
	kind := commonKind(a.kind, b.kind)
	p, q := y.seen(y.as(a, kind)), y.seen(y.as(b, kind))
	d := q.plus(p, -1)
	if op == "max" {
		p, q = q, p
	}
	if n, ok := d.constant(); ok {
		if n >= 0 {
			return known{kind: kind, s: p}
		}
		return known{kind: kind, s: q}
	}
	s, fresh := y.g.of(op, p, q)
	if fresh {
		y.g.unsigned[y.g.single(s)] = kind.unsigned()
		sign := int64(1)
		if op == "max" {
			sign = -1
		}
		y.g.know(s, natural(sum(nil).plus(p, sign).plus(s, -sign)), natural(sum(nil).plus(q, sign).plus(s, -sign)),
			either(natural(sum(nil).plus(s, sign).plus(p, -sign)), natural(sum(nil).plus(s, sign).plus(q, -sign))))
		y.g.ways[y.g.single(s)] = way{natural(sum(nil).plus(q, sign).plus(p, -sign)), p, q}
	}
	return known{kind: kind, s: s}
}
