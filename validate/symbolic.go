package validate

import (
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
