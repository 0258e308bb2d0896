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

func ContainsReturn(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtReturn || t.Op == ir.StmtGoto
	})
}

// Shape is the block shape of one launch; x == 0 means unknown.
type Shape struct{ X, Y, Z int }

func (s Shape) Known() bool { return s.X > 0 }

func (s Shape) Threads() int { return s.X * s.Y * s.Z }

func IsTypeParam(fn *ir.Func, name string) bool {
	return slices.ContainsFunc(fn.TParams, func(tp *ir.Var) bool { return tp.Name == name && tp.Kind == ir.VarTemplateType })
}

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
