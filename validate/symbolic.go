package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// symbolic runs a kernel in one thread with what is not known as atoms: parameters, the block's number, what is
// loaded. Numbers are those of mathematics: that no signed number overflows is the original's, and unsigned ones
// are looked at only where they are known not to be negative, or as an atom.
type symbolic struct {
	st    *staging
	g     *algebra
	block [3]int
	t     [3]int // the thread
	away  [3]int // its block, from the one that is looked at
	env   map[*ir.Var]known
	path  []formula // what is so here
	now   int       // counts statements: memory may change in between
	name  string    // of the thread

	phase   int      // copies that were made
	floor   int      // those before this one are no longer known
	met     int      // barriers that were met
	blind   bool     // what is read is looked at elsewhere
	ahead   bool     // and what is copied
	quiet   bool     // what is evaluated is asked, not run
	trip    string   // in which iterations of loops that are run one by one
	copying *ir.Stmt // the copy that is run
	putting bool     // what is run stores what was put aside
}

// known is what is known of a value.
type known struct {
	kind numberKind
	s    sum     // of numbers, the offset of addresses, an atom of anything else
	cond formula // of truths
	base *ir.Var // of addresses: the array or the parameter
	at   []sum   // of a part of an array with several extents: the first subscripts
	fits bool    // an unsigned number that is an int, too
	lost bool    // of no number: what it is is not followed
}

type numberKind uint8

const (
	noNumber numberKind = iota
	aTruth
	anAddress
	int32s
	uint32s
	int64s
	uint64s
)

func (k numberKind) integer() bool  { return k >= int32s }
func (k numberKind) unsigned() bool { return k == uint32s || k == uint64s }

// numberKinds are the types of integers, and narrowTypes the ranges of those that are computed with as int.
var numberKinds = map[string]numberKind{
	"int": int32s, "int32_t": int32s, "signed": int32s, "signed int": int32s, "unsigned": uint32s, "unsigned int": uint32s, "uint": uint32s, "uint32_t": uint32s,
	"long": int64s, "long long": int64s, "int64_t": int64s, "ptrdiff_t": int64s, "long int": int64s, "long long int": int64s,
	"size_t": uint64s, "unsigned long": uint64s, "unsigned long long": uint64s, "uint64_t": uint64s, "std::size_t": uint64s, "bool": aTruth,
}

var kindNames = map[numberKind]string{int32s: "int", uint32s: "unsigned", int64s: "long", uint64s: "size_t"}

var narrowTypes = map[string][2]int64{
	"short": {-1 << 15, 1<<15 - 1}, "int16_t": {-1 << 15, 1<<15 - 1}, "unsigned short": {0, 1<<16 - 1}, "ushort": {0, 1<<16 - 1}, "uint16_t": {0, 1<<16 - 1},
	"unsigned char": {0, 255}, "uchar": {0, 255}, "uint8_t": {0, 255}, "signed char": {-128, 127}, "int8_t": {-128, 127}, "char": {-128, 127},
}

func integerOf(n int64) known { return known{kind: int32s, s: number64(n)} }

// typed is an atom of a type.
func (y *symbolic) typed(base string, op string, args ...sum) known {
	s, fresh := y.g.of(op, args...)
	kind := numberKinds[base]
	if r, ok := narrowTypes[base]; ok {
		kind = int32s
		if fresh {
			y.g.know(s, natural(s.shifted(-r[0])), natural(number64(r[1]).plus(s, -1)))
		}
	}
	switch {
	case kind == aTruth:
		return known{kind: aTruth, cond: formula{op: isAtom, atom: y.g.single(s)}}
	case fresh && kind.unsigned():
		y.g.know(s, natural(s))
		y.g.unsigned[y.g.single(s)] = true
	}
	return known{kind: kind, s: s}
}

// spelled is a value as sums, for the arguments of atoms.
func (y *symbolic) spelled(v known) []sum {
	switch v.kind {
	case aTruth:
		return []sum{y.number(v).s}
	case noNumber:
		if v.lost {
			return []sum{y.fresh("").s}
		}
	case anAddress:
		s, _ := y.g.of("at " + y.st.nameOf(v.base))
		return append(append([]sum{s}, v.at...), v.s)
	}
	return []sum{v.s}
}

func (y *symbolic) atomOf(op string, base string, of ...known) known {
	var args []sum
	for _, v := range of {
		if v.lost && numberKinds[base] == noNumber && narrowTypes[base] == [2]int64{} {
			return known{lost: true}
		}
		args = append(args, y.spelled(v)...)
		op += string('0' + byte(v.kind))
	}
	return y.typed(base, op, args...)
}

// fresh is a value of which nothing is known, and which is like no other one.
func (y *symbolic) fresh(base string) known {
	y.st.count++
	return y.typed(base, "?"+itoa(y.st.count))
}

// number turns a truth into a number.
func (y *symbolic) number(v known) known {
	if v.kind != aTruth {
		return v
	}
	switch v.cond.op {
	case isTrue:
		return integerOf(1)
	case isFalse:
		return integerOf(0)
	}
	return known{kind: int32s, s: y.choice(v.cond, number64(1), nil)}
}

// choice is c ? a : b as an atom.
func (y *symbolic) choice(c formula, a, b sum) sum {
	g := y.g
	args := append(y.spelledCondition(c), a, b)
	s, fresh := g.of("?:", args...)
	if fresh {
		g.know(s, either(both(c, zero(s.plus(a, -1))), both(c.not(), zero(s.plus(b, -1)))))
		g.ways[g.single(s)] = way{c, a, b}
	}
	return s
}

func (y *symbolic) spelledCondition(c formula) []sum {
	out := []sum{number64(int64(c.op)), number64(int64(c.atom)), c.s, number64(int64(len(c.kids)))}
	for _, k := range c.kids {
		out = append(out, y.spelledCondition(k)...)
	}
	return out
}

// truth is a value as a condition.
func (y *symbolic) truth(v known) formula {
	switch {
	case v.kind == aTruth:
		return v.cond
	case v.kind.integer():
		return zero(y.seen(v)).not()
	}
	return formula{op: isAtom, atom: y.g.single(y.atomOf("is", "int", v).s)}
}

// seen is an unsigned number as it is when its size matters: what was computed where that is not negative, and else
// an atom.
func (y *symbolic) seen(v known) sum {
	if !v.kind.unsigned() || v.fits || y.natural(v.s) && (v.kind == uint64s || y.fits(v.s)) {
		return v.s
	}
	// n - k is n' - k, n' the unsigned n, where that is not negative.
	if parts := y.unsignedParts(v); parts != nil && y.natural(parts) {
		return parts
	}
	return y.wrapped(v.s, v.kind)
}

// fits reports whether a number that is not negative is known to have a place in 32 bits: the number of a thread, two
// ints, one unsigned number, or no more than something that has.
func (y *symbolic) fits(s sum) bool {
	most, block := int64(0), false
	for _, p := range s {
		if p.n < 0 {
			continue
		}
		a := -1
		if atoms := y.g.monos[p.mono]; len(atoms) == 1 {
			a = atoms[0]
		}
		switch {
		case p.mono == 0:
			most += p.n
		case a >= 0 && strings.HasPrefix(y.g.atoms[a].op, "blockIdx"):
			block = true
		case a >= 0 && y.g.unsigned[a] && p.n == 1:
			most += 1<<32 - 1
		case a >= 0 && p.n <= 2:
			most += p.n * (1<<31 - 1)
		default:
			most = 1 << 40
		}
		most = min(most, 1<<40)
	}
	if block {
		most += 1 << 31
	}
	if most < 1<<32 || y.g.line(y.path, number64(1<<32-1).plus(s, -1)) {
		return true
	}
	found := false
	seen := map[int]bool{}
	for _, f := range y.path {
		y.g.atomsIn(f, func(a int) {
			if !found && !seen[a] {
				seen[a] = true
				one := sum{{y.g.monoOf([]int{a}), 1}}
				found = y.g.line(y.path, one.plus(s, -1))
			}
		})
	}
	return found
}

// wrapped is an integer as an unsigned one, of which is known that it is not negative.
func (y *symbolic) wrapped(of sum, kind numberKind) sum {
	s, fresh := y.g.of("wrapped"+string('0'+byte(kind)), of)
	if fresh {
		y.g.know(s, natural(s))
		y.g.unsigned[y.g.single(s)] = true
	}
	return s
}

// unsignedParts is a difference with its first part as an unsigned number; nil for anything that may be larger than
// such a number.
func (y *symbolic) unsignedParts(v known) (out sum) {
	more := 0
	for _, p := range v.s {
		one := sum{p}
		if p.n > 0 {
			more++
			if a := y.g.single(one); p.mono > 0 && a < 0 {
				return nil
			} else if p.mono > 0 && !y.natural(one) {
				one = y.wrapped(one, v.kind)
			}
		} else if !y.natural(one.times(-1)) {
			return nil
		}
		out = out.plus(one, 1)
	}
	if more != 1 {
		return nil
	}
	return out
}

// natural reports whether a number is known not to be negative.
func (y *symbolic) natural(s sum) bool {
	simple := true
	for _, p := range s {
		if p.n < 0 {
			simple = false
		}
		for _, a := range y.g.monos[p.mono] {
			if fs := y.g.facts[a]; len(fs) == 0 || fs[0].op != isNatural || len(fs[0].s) != 1 || fs[0].s[0].n != 1 {
				simple = false
			}
		}
	}
	return simple || y.g.line(y.path, s) || y.g.oneOfTwo(s) >= 0 && y.g.follows(y.path, natural(s))
}

// converted is a value in another type.
func (y *symbolic) converted(v known, base string) known {
	to, ok := numberKinds[base]
	if _, narrow := narrowTypes[base]; narrow {
		if n, isNumber := v.s.constant(); isNumber && v.kind.integer() && n >= narrowTypes[base][0] && n <= narrowTypes[base][1] {
			return integerOf(n)
		}
		return y.atomOf("to "+base, base, v)
	}
	switch v = y.orNumber(v, to); {
	case !ok:
		return y.atomOf("to "+base, base, v)
	case to == aTruth:
		return known{kind: aTruth, cond: y.truth(v)}
	case !v.kind.integer():
		return y.atomOf("to "+base, base, v)
	}
	return y.as(v, to)
}

func (y *symbolic) orNumber(v known, to numberKind) known {
	if to == aTruth {
		return v
	}
	return y.number(v)
}

// as is an integer in another type of integers.
func (y *symbolic) as(v known, to numberKind) known {
	wide, narrow := to >= int64s && v.kind < int64s, to < int64s && v.kind >= int64s
	switch {
	case wide && v.kind == uint32s:
		return known{kind: to, s: y.seen(v)}
	case to == uint32s && v.kind == int32s:
		_, number := v.s.constant()
		if !number && y.natural(v.s) {
			return known{kind: to, s: v.s, fits: true}
		}
		if !number {
			// It is the number itself, or so large that it has no sign.
			w := y.wrapped(v.s, to)
			if a := y.g.single(w); !y.g.signed[a] {
				y.g.signed[a] = true
				y.g.know(w, either(natural(w.shifted(-1<<31)), zero(w.plus(v.s, -1))))
			}
		}
	case narrow:
		if n, ok := v.s.constant(); ok && n >= 0 && n < 1<<31 {
			return known{kind: to, s: v.s}
		}
		s, fresh := y.g.of("low"+string('0'+byte(to)), v.s)
		if fresh && to == uint32s {
			y.g.know(s, natural(s))
		}
		return known{kind: to, s: s}
	}
	return known{kind: to, s: v.s}
}

// common is the type in which C++ computes with two integers.
func commonKind(a, b numberKind) numberKind { return max(a, b) }

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
