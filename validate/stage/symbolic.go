package stage

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// symbolic runs a kernel in one thread with what is not known as atoms: parameters, the block's number, what is
// loaded. Numbers are those of mathematics: that no signed number overflows is the original's, and unsigned ones
// are looked at only where they are known not to be negative, or as an atom.
type symbolic struct {
	st    *staging
	g     *linear.Algebra
	block [3]int
	t     [3]int // the thread
	away  [3]int // its block, from the one that is looked at
	env   map[*ir.Var]known
	path  []linear.Formula // what is so here
	now   int              // counts statements: memory may change in between
	name  string           // of the thread

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

// known is the known part of a value.
type known struct {
	kind numberKind
	s    linear.Sum     // of numbers, the offset of addresses, an atom of anything else
	cond linear.Formula // of truths
	base *ir.Var        // of addresses: the array or the parameter
	at   []linear.Sum   // of a part of an array with several extents: the first subscripts
	fits bool           // an unsigned number that is an int, too
	lost bool           // of no number: what it is is not followed
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

// kindOf is the kind of a type: int of what is computed with as one, noNumber of what is none of integers.
func kindOf(base string) numberKind {
	switch t, ok := kit.NumberTypeOf(base); {
	case !ok || t.Float:
		return noNumber
	case t.Bits == 1:
		return aTruth
	case t.Bits == 64 && t.Unsigned:
		return uint64s
	case t.Bits == 64:
		return int64s
	case t.Bits == 32 && t.Unsigned:
		return uint32s
	}
	return int32s
}

// narrow returns a type of integers of less than 32 bits.
func narrow(base string) (kit.NumberType, bool) {
	t, ok := kit.NumberTypeOf(base)
	return t, ok && t.Integer() && t.Bits < 32
}

var kindNames = map[numberKind]string{int32s: "int", uint32s: "unsigned", int64s: "long", uint64s: "size_t"}

func integerOf(n int64) known { return known{kind: int32s, s: linear.Number(n)} }

// typed is an atom of a type.
func (y *symbolic) typed(base string, op string, args ...linear.Sum) known {
	s, fresh := y.g.Of(op, args...)
	kind := kindOf(base)
	if fresh {
		y.g.Wide[y.g.Single(s)] = kind >= int64s
	}
	if t, ok := narrow(base); ok && fresh {
		least, most := t.Limits()
		y.g.Know(s, linear.Natural(s.Shifted(-least)), linear.Natural(linear.Number(most).Plus(s, -1)))
	}
	switch {
	case kind == aTruth:
		return known{kind: aTruth, cond: linear.Formula{Op: linear.IsAtom, Atom: y.g.Single(s)}}
	case fresh && kind.unsigned():
		y.g.Know(s, linear.Natural(s))
		y.g.Unsigned[y.g.Single(s)] = true
	}
	return known{kind: kind, s: s}
}

// spelled is a value as sums, for the arguments of atoms.
func (y *symbolic) spelled(v known) []linear.Sum {
	switch v.kind {
	case aTruth:
		return []linear.Sum{y.number(v).s}
	case noNumber:
		if v.lost {
			return []linear.Sum{y.fresh("").s}
		}
	case anAddress:
		s, _ := y.g.Of("at " + y.st.nameOf(v.base))
		return append(append([]linear.Sum{s}, v.at...), v.s)
	}
	return []linear.Sum{v.s}
}

func (y *symbolic) atomOf(op string, base string, of ...known) known {
	var args []linear.Sum
	for _, v := range of {
		if v.lost && kindOf(base) == noNumber {
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
	return y.typed(base, "?"+units.Itoa(y.st.count))
}

// number turns a truth into a number.
func (y *symbolic) number(v known) known {
	if v.kind != aTruth {
		return v
	}
	switch v.cond.Op {
	case linear.IsTrue:
		return integerOf(1)
	case linear.IsFalse:
		return integerOf(0)
	}
	return known{kind: int32s, s: y.choice(v.cond, linear.Number(1), nil)}
}

// choice is c ? a : b as an atom.
func (y *symbolic) choice(c linear.Formula, a, b linear.Sum) linear.Sum {
	g := y.g
	args := append(y.spelledCondition(c), a, b)
	s, fresh := g.Of("?:", args...)
	if fresh {
		g.Know(s, linear.Either(linear.Both(c, linear.Zero(s.Plus(a, -1))), linear.Both(c.Not(), linear.Zero(s.Plus(b, -1)))))
		g.Ways[g.Single(s)] = linear.Way{C: c, A: a, B: b}
	}
	return s
}

func (y *symbolic) spelledCondition(c linear.Formula) []linear.Sum {
	out := []linear.Sum{linear.Number(int64(c.Op)), linear.Number(int64(c.Atom)), c.S, linear.Number(int64(len(c.Kids)))}
	for _, k := range c.Kids {
		out = append(out, y.spelledCondition(k)...)
	}
	return out
}

// truth is a value as a condition.
func (y *symbolic) truth(v known) linear.Formula {
	switch {
	case v.kind == aTruth:
		return v.cond
	case v.kind.integer():
		return linear.Zero(y.seen(v)).Not()
	}
	return linear.Formula{Op: linear.IsAtom, Atom: y.g.Single(y.atomOf("is", "int", v).s)}
}

// converted is a value in another type.
func (y *symbolic) converted(v known, base string) known {
	to := kindOf(base)
	if t, ok := narrow(base); ok {
		least, most := t.Limits()
		if n, isNumber := v.s.Constant(); isNumber && v.kind.integer() && n >= least && n <= most {
			return integerOf(n)
		}
		return y.atomOf("to "+base, base, v)
	}
	switch v = y.orNumber(v, to); {
	case to == noNumber:
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
		_, number := v.s.Constant()
		if !number && y.natural(v.s) {
			return known{kind: to, s: v.s, fits: true}
		}
		if !number {
			// It is the number itself, or so large that it has no sign.
			w := y.wrapped(v.s, to)
			if a := y.g.Single(w); !y.g.Signed[a] {
				y.g.Signed[a] = true
				y.g.Know(w, linear.Either(linear.Natural(w.Shifted(-1<<31)), linear.Zero(w.Plus(v.s, -1))))
			}
		}
	case v.kind.unsigned() && to == v.kind-1 && mayLackSign(y.g, v.s):
		// It is the number itself, or so large that it turns negative.
		of := v.s
		if to == int32s && !(y.fits(of, uint32s) && y.fits(of.Times(-1).Shifted(1<<31), uint32s)) {
			of = y.seen(v)
		}
		s, fresh := y.g.Of("signed", of)
		if fresh {
			y.g.Know(s, linear.Either(linear.Zero(s.Plus(of, -1)), linear.Natural(s.Times(-1).Shifted(-1))))
		}
		return known{kind: to, s: s}
	case narrow || to == int32s && v.kind == uint32s:
		switch n, ok := v.s.Constant(); {
		case ok && to == int32s:
			return known{kind: to, s: linear.Number(int64(int32(n)))}
		case ok:
			return known{kind: to, s: linear.Number(int64(uint32(n)))}
		case !narrow:
			return known{kind: to, s: v.s}
		}
		s, fresh := y.g.Of("low"+string('0'+byte(to)), v.s)
		y.g.Wide[y.g.Single(s)] = false
		if fresh && to == uint32s {
			y.g.Know(s, linear.Natural(s))
			y.g.Unsigned[y.g.Single(s)] = true
		}
		return known{kind: to, s: s}
	}
	return known{kind: to, s: v.s}
}

// mayLackSign reports whether an unsigned number is computed from one that may be 2^31 or more: one that is no built-in.
func mayLackSign(g *linear.Algebra, s linear.Sum) bool {
	for _, p := range s {
		for _, a := range g.Monos[p.Mono] {
			if op := g.Atoms[a].Op; g.Unsigned[a] && !strings.HasPrefix(op, "blockIdx") && !strings.HasPrefix(op, "threadIdx") && !strings.HasPrefix(op, "blockDim") && !strings.HasPrefix(op, "gridDim") {
				return true
			}
		}
	}
	return false
}

// commonKind is the type in which C++ computes with two integers.
func commonKind(a, b numberKind) numberKind { return max(a, b) }
