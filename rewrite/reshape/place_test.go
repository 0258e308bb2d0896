package reshape

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// state has what a thread sees: the built-ins by their text, and parameters.
type state struct {
	values map[string]uint64
	undef  bool // a signed number overflowed
}

// term is an expression as C++ has it, with its type.
type term struct {
	text string
	is   ir.Number
	eval func(*state) uint64
}

var (
	long   = ir.Number{Name: "long long", Bytes: 8}
	size   = ir.Number{Name: "size_t", Bytes: 8, Unsigned: true}
	types  = []ir.Number{ir.Int, ir.Uint, long, size}
	params = map[string]ir.Number{"u": ir.Uint, "i": ir.Int, "s": size, "l": long}
)

// wrap keeps the bits that a number of a type has, its sign extended.
func wrap(v uint64, is ir.Number) uint64 {
	switch {
	case is.Bytes == 8:
		return v
	case is.Unsigned:
		return uint64(uint32(v))
	}
	return uint64(int64(int32(v)))
}

func name(text string, is ir.Number) term {
	return term{text, is, func(s *state) uint64 { return wrap(s.values[text], is) }}
}

func cast(is ir.Number, a term) term {
	return term{"(" + is.Name + ")" + a.text, is, func(s *state) uint64 { return wrap(a.eval(s), is) }}
}

func binary(tok string, a, b term) term {
	is := ir.Usual(a.is, b.is)
	return term{"(" + a.text + " " + tok + " " + b.text + ")", is, func(s *state) uint64 {
		x, y := wrap(a.eval(s), is), wrap(b.eval(s), is)
		v := map[string]uint64{"+": x + y, "-": x - y, "*": x * y}[tok]
		if !is.Unsigned && is.Bytes == 4 && wrap(v, is) != v { // of 64 bits these numbers are too small to overflow
			s.undef = true
		}
		return wrap(v, is)
	}}
}

func mul24(unsigned bool, a, b term) term {
	text, is, low := "__mul24", ir.Int, func(v uint64) uint64 { return uint64(int64(v<<40) >> 40) }
	if unsigned {
		text, is, low = "__umul24", ir.Uint, func(v uint64) uint64 { return v & 0xffffff }
	}
	return term{text + "(" + a.text + ", " + b.text + ")", is, func(s *state) uint64 { return wrap(low(a.eval(s))*low(b.eval(s)), is) }}
}

// maker makes random expressions, and variables that hold some.
type maker struct {
	*rand.Rand
	decls []string
	vars  []term
}

func (m *maker) term(depth int) term {
	of := func(name string) term {
		axis := "xxxy"[m.IntN(4)]
		return m.maybe(nameOf(name, string(axis)))
	}
	same := func(names ...string) (out []any) {
		axis := string("xxxy"[m.IntN(4)])
		for _, n := range names {
			out = append(out, m.maybe(nameOf(n, axis)))
		}
		return out
	}
	if depth <= 0 {
		switch m.IntN(6) {
		case 0:
			return term{"3", ir.Int, func(*state) uint64 { return 3 }}
		case 1:
			p := []string{"u", "i", "s", "l"}[m.IntN(4)]
			return name(p, params[p])
		}
		return of([]string{"threadIdx", "blockIdx", "blockDim", "gridDim"}[m.IntN(4)])
	}
	switch m.IntN(13) {
	case 0, 1, 2: // a thread's number
		p := same("blockIdx", "blockDim", "threadIdx")
		return m.sum(m.product(p[0].(term), p[1].(term)), p[2].(term))
	case 3:
		p := same("gridDim", "blockDim")
		return m.product(p[0].(term), p[1].(term))
	case 4, 5: // rows of blocks
		p := same("gridDim", "blockIdx", "blockDim", "threadIdx")
		row := m.sum(m.product(m.term(depth-2), p[0].(term)), p[1].(term))
		return m.sum(m.product(m.maybe(row), p[2].(term)), p[3].(term))
	case 6:
		p := same("blockIdx", "blockDim", "threadIdx")
		return m.sum(m.maybe(m.sum(m.term(depth-2), m.product(p[0].(term), p[1].(term)))), p[2].(term))
	case 7:
		return m.maybe(m.term(depth - 1))
	case 8:
		return binary("-", m.term(depth-1), m.term(depth-1))
	case 9, 10:
		return m.sum(m.term(depth-1), m.term(depth-1))
	}
	return m.product(m.term(depth-1), m.term(depth-1))
}

func nameOf(builtin, axis string) term { return name(builtin+"."+axis, ir.Uint) }

// maybe converts a term, or has a variable hold it, or neither.
func (m *maker) maybe(t term) term {
	switch is := types[m.IntN(len(types))]; m.IntN(5) {
	case 0:
		return cast(is, t)
	case 1:
		v := fmt.Sprintf("v%d", len(m.decls))
		m.decls = append(m.decls, fmt.Sprintf("const %s %s = %s;", is.Name, v, t.text))
		held := cast(is, t)
		held.text = v
		return held
	}
	return t
}

func (m *maker) sum(a, b term) term {
	if m.IntN(2) == 0 {
		a, b = b, a
	}
	return binary("+", a, b)
}

func (m *maker) product(a, b term) term {
	if m.IntN(2) == 0 {
		a, b = b, a
	}
	if n := m.IntN(12); n < 2 {
		return mul24(n == 0, a, b)
	}
	return binary("*", a, b)
}

// seen are the built-ins of a thread, by its number and the extent of the launch along each axis, in blocks of some extents.
func seen(at, extent, block [2]uint64) *state {
	s := &state{values: map[string]uint64{}}
	for i, axis := range []string{"x", "y"} {
		s.values["threadIdx."+axis], s.values["blockIdx."+axis] = at[i]%block[i], at[i]/block[i]
		s.values["blockDim."+axis], s.values["gridDim."+axis] = block[i], extent[i]/block[i]
	}
	return s
}

// What is accepted has the same value for a thread in blocks of any shape that divides the launch, whatever wraps around.
func TestWhatIsAcceptedIsTheSameInAllShapes(t *testing.T) {
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2))}
	accepted := 0
	for range 6000 {
		m.decls = nil
		e := m.term(1 + m.IntN(3))
		text := "__global__ void k(unsigned long long *o, unsigned u, int i, size_t s, long long l) {\n" + strings.Join(m.decls, "\n") + "\no[threadIdx.y * 0 + blockIdx.x * blockDim.x + threadIdx.x] = " + e.text + ";\n}\n" +
			"void run(unsigned long long *o) { k<<<9, 7>>>(o, 1, 2, 3, 4); }\n"
		shape := []string{"32", "32,8"}[m.IntN(2)]
		if shape == "32,8" {
			text = strings.Replace(text, "threadIdx.y * 0", "(blockIdx.y * blockDim.y + threadIdx.y)", 1)
		}
		f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
		require.NoError(t, err, text)
		k := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{}).Kernels()[0]
		_, reasons := Check(k, kit.Options{Variant: variant.Variant{Rewriter: variant.Reshape, Extents: shape}})
		for _, r := range reasons {
			require.Equal(t, kit.CodeIndex, r.Code, "%s\n%s", r.Text, text)
		}
		if len(reasons) > 0 {
			continue
		}
		if strings.Contains(e.text, "Idx") {
			accepted++
		}
		for range 40 {
			var at, extent, was, is [2]uint64
			for i := range at {
				most := []uint64{1 << 31, 1 << 22}[i]
				was[i], is[i] = []uint64{1, 2, 3, 32, 96, 1024}[m.IntN(6)], []uint64{1, 2, 5, 8, 64, 1024}[m.IntN(6)]
				extent[i] = was[i] * is[i] * (1 + m.Uint64N(min(most/(was[i]*is[i]), (1<<23-1)/max(was[i], is[i]))-1))
				if at[i] = m.Uint64N(extent[i]); m.IntN(3) == 0 {
					at[i] = extent[i] - 1 - m.Uint64N(min(extent[i], 3))
				}
			}
			if shape == "32" {
				is[1] = was[1]
			}
			a, b := seen(at, extent, was), seen(at, extent, is)
			for p := range params {
				a.values[p] = []uint64{0, 1, 5, 1 << 20, 1<<31 - 1, 1<<32 - 1, ^uint64(0), 1 << 33}[m.IntN(8)]
				b.values[p] = a.values[p]
			}
			x, y := e.eval(a), e.eval(b)
			if a.undef {
				continue
			}
			require.False(t, b.undef, "an overflow more: %v %v\n%s", a, b, text)
			require.Equal(t, x, y, "%v %v\n%s", a, b, text)
		}
	}
	require.Greater(t, accepted, 300)
}
