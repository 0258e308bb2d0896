package motion

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// splitBranches looks at an if whose branches do nothing but define shared elements. The condition is evaluated once
// for the loads and once for the stores, so it must be steady.
func splitBranches(k *analysis.Kernel, s *ir.Stmt) (out []Split, on bool) {
	if !splittable(k, s) {
		return nil, false
	}
	for i, branch := range []*ir.Stmt{s.Body, s.Else} {
		if branch == nil {
			continue
		}
		if branch.Macro {
			return out, false
		}
		for _, t := range analysis.Statements(branch) {
			sp, ok := split(k, t)
			if !ok {
				return out, false
			}
			if sp.Load != nil {
				sp.Cond, sp.Negated = s.Cond, i == 1
				out = append(out, sp)
			}
		}
	}
	return out, true
}

// splittable reports whether an if can be written twice: its head is nothing but a steady condition.
func splittable(k *analysis.Kernel, s *ir.Stmt) bool {
	if s.Macro || s.Preproc || s.Init != nil || s.Cond == nil || s.Range.Start > s.Cond.Range.Start {
		return false
	}
	head := strings.Trim(string(k.File.Src[s.Range.Start:s.Cond.Range.Start]), " \t(")
	return head == "if" && isSteady(k, s.Cond)
}

// isSteady reports whether an expression has the same value before some stores to shared memory and after them,
// whatever other threads do meanwhile: it reads nothing but registers and constants.
func isSteady(k *analysis.Kernel, e *ir.Expr) bool {
	does := k.Effect(k.Func, e)
	return movable(k, e) && !loadsGlobal(e) && does.Steady() && !slices.ContainsFunc(does.Reads, func(v *ir.Var) bool { return v.AddrTaken })
}

// splitDeclaration looks at the declaration of one local value between the definitions. It can move before them if
// none of them means another variable by its name.
func splitDeclaration(k *analysis.Kernel, s *ir.Stmt) (Split, bool) {
	sp, ok := declares(k, s)
	if !ok || !movable(k, sp.Load) {
		return Split{}, false
	}
	return sp, true
}

// declares looks at the declaration of one local value that has the scope of a list of
// statements: none before it there has its name.
func declares(k *analysis.Kernel, s *ir.Stmt) (Split, bool) {
	if s.Macro || len(s.Vars) != 1 {
		return Split{}, false
	}
	v := s.Vars[0]
	if v.Kind != ir.VarLocal || v.Static || v.Extern || v.Macro || v.Init == nil || v.Init.Macro || v.Type.Ref || v.Type.Volatile || len(v.Dims) > 0 {
		return Split{}, false
	}
	if v.Type.Ptr == 0 && !plain(k, v.Type.Base) || s.Outer != s.Range {
		return Split{}, false
	}
	if s.Parent == nil || s.Parent.Op != ir.StmtCompound {
		return Split{}, false
	}
	for _, before := range s.Parent.List {
		if before == s {
			break
		}
		if names(k, before, v.Name) {
			return Split{}, false
		}
	}
	return Split{Stmt: s, Load: v.Init, Decl: v, Type: v.Type.Base}, true
}

// names reports whether a statement has the word in its text, in whatever sense, or may have it by way of a macro.
func names(k *analysis.Kernel, s *ir.Stmt, word string) bool {
	return slices.Contains(parser.Words(string(k.File.Src[s.Range.Start:s.Range.End])), word) || s.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == word })
}
