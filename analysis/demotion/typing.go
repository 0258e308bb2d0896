package demotion

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// plainNumber is the type of numbers of which nobody asks how large they are.
var plainNumber = valueType{kind: number, bytes: 4}

// expr is the kind of an expression of fn, of a vector also which one.
func (x *finder) expr(fn *ir.Func, e *ir.Expr) valueType {
	switch t := x.k.TypeOf(fn, e); {
	case t.Levels > 0:
		return valueType{kind: pointer}
	case t.Kind == effect.Number:
		return plainNumber
	case t.Kind == effect.Vector:
		v, _ := builtin(t.Base)
		return v
	}
	return valueType{}
}
