package validate

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// equal reports whether an expression of the new text is one of the original with what smux put in its place:
// values that were computed ahead, the v-TB object that a call is given, the two parts of a split array. Trees are
// compared, so that what macros expand to and where parentheses stand does not matter. What a tree does not say in
// full (assembly, lambdas, members that are named in braces) is equal to nothing.
func (al *alignment) equal(a, b *ir.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	for _, stands := range [...]func(a, b *ir.Expr) (is, equal bool){al.useOfTemp, al.useOfSplit} {
		if is, equal := stands(a, b); is {
			return equal
		}
	}
	if b.Op == ir.OpDeref && b.Kids[0].Op == ir.OpIdent && al.k != nil && al.isScalar(b.Kids[0].Name) {
		b = b.Kids[0]
	}
	b = al.unwrapped(b)
	if a.Op != b.Op || a.Tok != b.Tok || a.Name != b.Name || a.Qual != b.Qual || a.Int != b.Int || a.Arrow != b.Arrow || a.Postfix != b.Postfix ||
		effect.IsOpaque(a.Op) || a.Type.String() != b.Type.String() || len(a.Kids) != len(b.Kids) || len(a.TArgs) != len(b.TArgs) {
		return false
	}
	switch a.Op {
	case ir.OpInitList:
		if al.c == nil || mentions(al.c.a.between(a.Range.Start, a.Range.End), "=") || mentions(al.c.b.between(b.Range.Start, b.Range.End), "=") {
			return false // members may be named
		}
	case ir.OpLiteral:
		return a.Name != ir.BuildChoice // one of several texts: not known to be the same one
	case ir.OpCast:
		if a.Type.Ptr > 0 || a.Type.Ref || !plainValue(a.Type.Base) {
			return false // how it is cast may matter
		}
	}
	for i := range a.Kids {
		if !al.equal(a.Kids[i], b.Kids[i]) {
			return false
		}
	}
	for i := range a.TArgs {
		if !al.equal(a.TArgs[i], b.TArgs[i]) {
			return false
		}
	}
	return true
}

// unwrapped takes the v-TB object out of a call: vtb.sync_count(p) is __syncthreads_count(p), and f(vtb, x) is f(x).
func (al *alignment) unwrapped(e *ir.Expr) *ir.Expr {
	if e.Op != ir.OpCall || al.obj == nil {
		return e
	}
	out := *e
	if member, own := al.obj.own(e); own && votes[member] && !al.obj.inBlockMode() {
		out.Name = "__syncthreads_" + member[len("sync_"):]
		out.Kids = append([]*ir.Expr{{Op: ir.OpIdent, Name: out.Name}}, e.Args()...)
	} else if args := e.Args(); len(args) > 0 && al.givesTurn(args[0]) {
		out.Kids = append([]*ir.Expr{e.Kids[0]}, args[1:]...)
	}
	return &out
}

// votes are the members of the v-TB object that are barriers with a vote.
var votes = map[string]bool{"sync_count": true, "sync_and": true, "sync_or": true}

// givesTurn reports whether an argument is what device functions are given to meet at barriers: the v-TB object, or
// whether it is the v-TB's turn.
func (al *alignment) givesTurn(e *ir.Expr) bool {
	if !al.obj.inBlockMode() {
		return e.Op == ir.OpIdent && e.Name == al.obj.name
	}
	us := al.c.b.between(e.Range.Start, e.Range.End)
	return is(us, al.obj.name+" . id = = "+al.obj.turn) || is(us, al.obj.name+" . id + 1 = = "+al.obj.step) || al.obj.mine != "" && is(us, al.obj.mine)
}

// smux reports whether a name of smux's stands in a statement's own expressions: else its units are the original's.
func (al *alignment) smux(s *ir.Stmt) (found bool) {
	s.Exprs(func(e *ir.Expr) {
		found = found || e.Any(func(x *ir.Expr) bool {
			return x.Op == ir.OpIdent && (al.temps[x.Name] != nil || al.splitOf(x.Name) != nil || al.obj != nil && (x.Name == al.obj.name || al.obj.mine != "" && x.Name == al.obj.mine))
		})
	})
	return found
}

// alikeTrees compares two statements without those inside them by what they compute. The text must be free of errors,
// which a tree may leave out.
func (al *alignment) alikeTrees(a, b *ir.Stmt) bool {
	if al.b.View.Error != nil || !al.smux(b) || a.Macro || b.Macro || a.Preproc || b.Preproc || len(a.Vars) != len(b.Vars) {
		return false
	}
	if !same(rolled(al.c.a.between(a.Outer.Start, a.Range.Start)), rolled(al.c.b.between(b.Outer.Start, b.Range.Start))) {
		return false // directives
	}
	switch a.Op {
	case ir.StmtDecl:
		ua, ub := al.c.a.between(a.Range.Start, a.Range.End), al.c.b.between(b.Range.Start, b.Range.End)
		i, j := indexOf(ua, "="), indexOf(ub, "=")
		if i < 0 || j < 0 {
			return false
		}
		if !same(ua[:i], ub[:j]) {
			return false
		}
		for i, v := range a.Vars {
			w := b.Vars[i]
			if v.Name != w.Name || v.Type.String() != w.Type.String() || len(v.Dims)+len(w.Dims) > 0 || v.Init == nil || !al.equal(v.Init, w.Init) {
				return false
			}
		}
		return true
	case ir.StmtExpr, ir.StmtIf, ir.StmtFor, ir.StmtWhile, ir.StmtDo, ir.StmtReturn:
		return al.equal(a.Expr, b.Expr) && al.equal(a.Cond, b.Cond) && al.equal(a.Post, b.Post)
	}
	return false
}
