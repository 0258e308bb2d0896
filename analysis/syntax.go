package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
)

// EndsByItself reports whether nothing but its head ends a loop or an iteration of it.
func EndsByItself(loop *ir.Stmt) bool {
	return !loop.Body.Any(func(t *ir.Stmt) bool {
		return (t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && t.JumpTarget() == loop
	})
}

// ContainsReturn reports whether a return or a goto stands in a statement.
func ContainsReturn(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtReturn || t.Op == ir.StmtGoto
	})
}

// IsTypeParam reports whether a name is a type parameter of a function template.
func IsTypeParam(fn *ir.Func, name string) bool {
	return slices.ContainsFunc(fn.TParams, func(tp *ir.Var) bool { return tp.Name == name && tp.Kind == ir.VarTemplateType })
}

// LastName returns a name without the namespaces and classes before it.
func LastName(base string) string {
	if i := strings.LastIndex(base, "::"); i >= 0 {
		return base[i+2:]
	}
	return base
}

// Statements returns the statements of a body, braces or not.
func Statements(s *ir.Stmt) []*ir.Stmt {
	if s.Op == ir.StmtCompound && !s.Macro {
		return s.List
	}
	return []*ir.Stmt{s}
}

// IsArithmetic reports whether a type is a number by name.
func IsArithmetic(base string) bool {
	return values.IsInteger(base) || base == "float" || base == "double"
}

// IsVector reports whether a type is one of CUDA's vectors, such as float4.
func IsVector(base string) bool { return BytesOf(base) > 0 && !values.IsInteger(base) }

// MaxTypeDepth bounds the typedefs and macros that are followed.
const MaxTypeDepth = 8
