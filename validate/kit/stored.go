package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/units"
)

// alikeStored compares a later statement of the original with one that stands earlier and names the value that the
// thread has stored to an element, where the original loads the element again:
//
//	own[t] = where; …  n = at[own[t]];    -->    n = at[where]; …  own[t] = where;
//
// passed are the statements of the original that it passes: the store is one of them. No other store in the kernel is
// to the array, and nothing has its address; so that between the two only a race could change the element.
func (al *Alignment) alikeStored(passed []*ir.Stmt, a, b *ir.Stmt) bool {
	if a.Op != ir.StmtDecl || b.Op != ir.StmtDecl || al.Old.View.Error != nil || a.Macro {
		return false
	}
	for _, p := range passed {
		set, cond := single(p)
		if set == nil || cond != nil || p.Op != ir.StmtExpr || p.Macro || set.Kids[1].Op != ir.OpIdent || !al.onlyStore(set, p.Range.Start, a.Range.End) {
			continue
		}
		from, to := al.Texts.Old.Between(set.Kids[0].Range.Start, set.Kids[0].Range.End), al.Texts.Old.Between(set.Kids[1].Range.Start, set.Kids[1].Range.End)
		var named []units.Unit
		for us := al.Header(al.Texts.Old, a); len(us) > 0; {
			if n := len(from); len(us) >= n && units.Same(us[:n], from) {
				named, us = append(named, to...), us[n:]
				continue
			}
			named, us = append(named, us[0]), us[1:]
		}
		if !units.Mentions(named, set.Kids[0].Root().Name) && units.Same(al.spell(al.Texts.Old, al.Old, named), al.spell(al.Texts.New, al.New, al.erase(al.Header(al.Texts.New, b)))) {
			return true
		}
	}
	return false
}

// onlyStore reports whether an assignment of the original is the only one to an array of numbers in shared memory,
// stores a variable of the same type to it, and names the same element and value up to an offset.
func (al *Alignment) onlyStore(set *ir.Expr, from, to int) bool {
	root, value := set.Kids[0].Root(), set.Kids[1].Var
	if set.Kids[0].Op != ir.OpIndex || root == nil || root.Var == nil || value == nil {
		return false
	}
	v := root.Var
	kept := PlainName(v.Type.Base)
	if !slices.Contains(al.Old.Vars, v) || v.Kind != ir.VarShared || v.Type.Ptr > 0 || v.Type.Volatile || v.AddrTaken || kept == "" || PlainName(value.Type.Base) != kept ||
		value.Kind != ir.VarLocal || value.Type.Ptr > 0 || value.Type.Ref || value.Type.Volatile || len(value.Dims) > 0 {
		return false
	}
	old := al.Original()
	elements, stays := 0, true
	named := func(e *ir.Expr) bool { return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var == v }) }
	Walk(al.Old.Body, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIdent:
			if e.Var == v {
				elements--
			}
		case ir.OpIndex:
			if r := Base(e); r != nil && r.Var == v && Addresses(e) == len(v.Dims) {
				elements++
			}
		case ir.OpAssign, ir.OpIncDec:
			stays = stays && (e == set || !named(e.Kids[0]))
		case ir.OpAddr, ir.OpCall:
			stays = stays && !named(e)
		}
		stays = stays && !(effect.IsOpaque(e.Op) && named(e))
		return stays
	})
	for _, w := range al.Old.Vars {
		stays = stays && !(w.Type.Ref && w.Init != nil && named(w.Init))
	}
	for e := range set.All() {
		if e.Op == ir.OpIdent && e.Var != v {
			stays = stays && !elsewhere(e) && (e.Var == nil || IsPrivate(e.Var) && !e.Var.AddrTaken && old.Changed(e.Var, from, to) < 0)
		}
		stays = stays && e.Op != ir.OpCall && e.Op != ir.OpIncDec
	}
	return stays && elements == 0
}
