package kit

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/units"
)

// Equal reports whether an expression of the new text is one of the original with what smux put in its place:
// values that were computed ahead, the v-TB object that a call is given, the two parts of a split array. Trees are
// compared, so that what macros expand to and where parentheses stand does not matter. What a tree does not say in
// full (assembly, lambdas, members that are named in braces) is equal to nothing.
func (al *Alignment) Equal(a, b *ir.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	for _, stands := range [...]func(a, b *ir.Expr) (is, equal bool){al.useOfTemp, al.useOfSplit} {
		if is, equal := stands(a, b); is {
			return equal
		}
	}
	if b.Op == ir.OpDeref && b.Kids[0].Op == ir.OpIdent && al.Kernel != nil && al.isScalar(b.Kids[0].Name) {
		b = b.Kids[0]
	}
	b = al.unwrapped(b)
	if a.Op != b.Op || a.Tok != b.Tok || a.Name != b.Name || a.Qual != b.Qual || a.Int != b.Int || a.Arrow != b.Arrow || a.Postfix != b.Postfix ||
		effect.IsOpaque(a.Op) || a.Type.String() != b.Type.String() || len(a.Kids) != len(b.Kids) || len(a.TArgs) != len(b.TArgs) {
		return false
	}
	switch a.Op {
	case ir.OpInitList:
		if al.Texts == nil || units.Mentions(al.Texts.Old.Between(a.Range.Start, a.Range.End), "=") || units.Mentions(al.Texts.New.Between(b.Range.Start, b.Range.End), "=") {
			return false // members may be named
		}
	case ir.OpLiteral:
		return a.Name != ir.BuildChoice // one of several texts: not known to be the same one
	case ir.OpCast:
		if a.Type.Ptr > 0 || a.Type.Ref || !PlainValue(a.Type.Base) {
			return false // how it is cast may matter
		}
	}
	for i := range a.Kids {
		if !al.Equal(a.Kids[i], b.Kids[i]) {
			return false
		}
	}
	for i := range a.TArgs {
		if !al.Equal(a.TArgs[i], b.TArgs[i]) {
			return false
		}
	}
	return true
}

// unwrapped takes the v-TB object out of a call: vtb.sync_count(p) is __syncthreads_count(p), and f(vtb, x) is f(x).
func (al *Alignment) unwrapped(e *ir.Expr) *ir.Expr {
	if e.Op != ir.OpCall || al.Obj == nil {
		return e
	}
	out := *e
	if member, own := al.Obj.Own(e); own && votes[member] && !al.Obj.InBlockMode() {
		out.Name = "__syncthreads_" + member[len("sync_"):]
		out.Kids = append([]*ir.Expr{{Op: ir.OpIdent, Name: out.Name}}, e.Args()...)
	} else if args := e.Args(); len(args) > 0 && al.GivesTurn(args[0]) {
		out.Kids = append([]*ir.Expr{e.Kids[0]}, args[1:]...)
	}
	return &out
}

// votes are the members of the v-TB object that are barriers with a vote.
var votes = map[string]bool{"sync_count": true, "sync_and": true, "sync_or": true}

// GivesTurn reports whether an argument lets a device function meet at barriers: the v-TB object, or
// whether it is the v-TB's turn.
func (al *Alignment) GivesTurn(e *ir.Expr) bool {
	if !al.Obj.InBlockMode() {
		return e.Op == ir.OpIdent && e.Name == al.Obj.Name
	}
	us := al.Texts.New.Between(e.Range.Start, e.Range.End)
	return units.Is(us, al.Obj.Name+" . id = = "+al.Obj.Turn) || units.Is(us, al.Obj.Name+" . id + 1 = = "+al.Obj.Step) || al.Obj.Mine != "" && units.Is(us, al.Obj.Mine)
}

// smux reports whether a name of smux's stands in a statement's own expressions: else its units are the original's.
func (al *Alignment) smux(s *ir.Stmt) (found bool) {
	s.Exprs(func(e *ir.Expr) {
		found = found || e.Any(func(x *ir.Expr) bool {
			return x.Op == ir.OpIdent && (al.Temps[x.Name] != nil || al.splitOf(x.Name) != nil || al.Obj != nil && (x.Name == al.Obj.Name || al.Obj.Mine != "" && x.Name == al.Obj.Mine))
		})
	})
	return found
}

// alikeTrees compares two statements without those inside them by what they compute. The text must be free of errors,
// which a tree may leave out.
func (al *Alignment) alikeTrees(a, b *ir.Stmt) bool {
	if al.New.View.Error != nil || !al.smux(b) || a.Macro || b.Macro || a.Preproc || b.Preproc || len(a.Vars) != len(b.Vars) {
		return false
	}
	if !units.Same(units.Rolled(al.Texts.Old.Between(a.Outer.Start, a.Range.Start)), units.Rolled(al.Texts.New.Between(b.Outer.Start, b.Range.Start))) {
		return false // directives
	}
	switch a.Op {
	case ir.StmtDecl:
		ua, ub := al.Texts.Old.Between(a.Range.Start, a.Range.End), al.Texts.New.Between(b.Range.Start, b.Range.End)
		i, j := units.IndexOf(ua, "="), units.IndexOf(ub, "=")
		if i < 0 || j < 0 {
			return false
		}
		if !units.Same(ua[:i], ub[:j]) {
			return false
		}
		for i, v := range a.Vars {
			w := b.Vars[i]
			if v.Name != w.Name || v.Type.String() != w.Type.String() || len(v.Dims)+len(w.Dims) > 0 || v.Init == nil || !al.Equal(v.Init, w.Init) {
				return false
			}
		}
		return true
	case ir.StmtExpr, ir.StmtIf, ir.StmtFor, ir.StmtWhile, ir.StmtDo, ir.StmtReturn:
		return al.Equal(a.Expr, b.Expr) && al.Equal(a.Cond, b.Cond) && al.Equal(a.Post, b.Post)
	}
	return false
}
