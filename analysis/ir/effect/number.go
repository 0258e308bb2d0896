package effect

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// literalInt is the type of an integer as a literal.
func literalInt(e *ir.Expr) Type {
	t := Type{Kind: Number, Base: "int"}
	switch {
	case e.Type.Base != "" && e.Tok == "u":
		t.Base = "unsigned long"
	case e.Type.Base != "":
		t.Base = "long"
	case e.Tok == "u":
		t.Base = "unsigned int"
	}
	return t
}

// literal is the type of any other literal; of numbers with a suffix of the program's own it is not told which.
func literal(text string) Type {
	text = strings.ToLower(text)
	switch {
	case strings.HasSuffix(text, `"`):
		return Type{Kind: Number, Base: "char", Levels: 1}
	case strings.HasSuffix(text, "'"):
		return Type{Kind: Number, Base: "char"}
	case text == "true" || text == "false":
		return Type{Kind: Number, Base: "bool"}
	case text == "" || text[0] != '.' && (text[0] < '0' || text[0] > '9') || strings.ContainsAny(text, "_lx"):
		return Type{Kind: Number}
	case strings.HasSuffix(text, "f"):
		return Type{Kind: Number, Base: "float"}
	}
	return Type{Kind: Number, Base: "double"}
}

// usual is the type of an operation of the language on two operands.
func usual(a, b Type) Type {
	a, b = a.decayed(), b.decayed()
	switch {
	case a.Levels > 0 || a == b && a.Kind != Number:
		return a
	case b.Levels > 0:
		return b
	case a.Kind == Vector || a.Kind == Library:
		if b.IsBuiltin() {
			return a
		}
	case b.Kind == Vector || b.Kind == Library:
		if a.IsBuiltin() {
			return b
		}
	case a.Kind == Number && b.Kind == Number:
		m, known := ir.NumberOf(a.Base)
		n, also := ir.NumberOf(b.Base)
		if !known || !also {
			return Type{Kind: Number} // which one is not told
		}
		return Type{Kind: Number, Base: ir.Usual(m, n).Name}
	}
	return Type{}
}
