package affine

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// choose joins the values of the two arms of a condition. Where the arms
// differ at a boundary only, the inner threads' value stands for both.
func (a *activation) choose(cond *ir.Expr, x, y value, name string) value {
	if x.equal(y) {
		return x
	}
	if x.isPtr && y.isPtr {
		if x.array == y.array && x.elem == y.elem {
			out := x
			out.form = a.choose(cond, number(x.form), number(y.form), name).form
			return out
		}
		return value{}
	}
	if x.known && y.known && undecided(cond) {
		// #ifdef SIZE … #else: the default, which is a number, speaks for all.
		if _, ok := x.form.Constant(); ok {
			return x
		}
		if _, ok := y.form.Constant(); ok {
			return y
		}
	}
	if x.known && y.known {
		xu, yu := x.form.Uniform(), y.form.Uniform()
		equality := cond != nil && cond.Op == ir.OpBinary && (cond.Tok == "==" || cond.Tok == "!=")
		switch {
		case xu && !yu:
			return clamped(y)
		case yu && !xu:
			return clamped(x)
		case equality && (cond.Tok == "=="):
			return clamped(y)
		case equality:
			return clamped(x)
		}
	}
	return a.join(x, y, cond, name)
}

// undecided reports whether a condition stands for an #if that depends on the
// command line.
func undecided(cond *ir.Expr) bool {
	return cond != nil && cond.Op == ir.OpLiteral && cond.IsBuildChoice()
}

func clamped(v value) value {
	v.form.Clamped = true
	return v
}

// join is a value of which it is not known which of two it is.
func (a *activation) join(x, y value, under *ir.Expr, name string) value {
	if x.equal(y) {
		return x
	}
	if !x.known || !y.known || x.isPtr || y.isPtr {
		return value{}
	}
	l := max(x.form.Level(), y.form.Level())
	if under != nil {
		l = max(l, a.k.Uniformity(a.fn, under))
	}
	return number(a.data(name, l, x.form, y.form))
}

// data makes a value of its own that depends on others, in the loops around.
func (a *activation) data(name string, l analysis.Uniformity, of ...Form) Form {
	a.serial++
	x := Axis{Kind: AxisData, Name: unique(name, a.serial), Level: l, Max: -1}
	x.Loops = slices.Clone(a.loops)
	for _, f := range of {
		l = max(l, f.Level())
	}
	x.Level = l
	return along(a.axis(x))
}
