package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// temp is a value that the new text computes elsewhere than where the original does: a variable that is set once, or
// an array with one element for each iteration of a loop.
//
//	const float v = E;                                                 … x = v;
//	float v;  …  if (c) v = E;                                         … if (c) x = v;
//	float v[32];  …  for (int r = 0; r < 32; ++r) v[r] = E;            … for (int r = 0; r < 32; ++r) x[r] = v[r];
//	float v[4];  …  for (int r = 0; r < 4; ++r) v[r] = E;              … for (int r = 0; r < 32; ++r) x[r] = r < 4 ? v[r] : E;
type temp struct {
	name  string
	decl  *ir.Stmt
	v     *ir.Var
	def   *ir.Stmt   // sets it, with its condition or loop; nil before it was met
	list  []*ir.Stmt // in which def stands, and the index there
	nth   int
	loop  *ir.Stmt // def, where that is a loop
	inner *ir.Expr // a condition in it, nil without
	index *ir.Expr // the element that an iteration sets
	expr  *ir.Expr // E
	uses  []*ir.Expr
	guard map[*ir.Expr]*ir.Expr // of a use in "c ? v[r] : E": the whole
}

// temp recognises a statement that declares or sets a value computed elsewhere.
func (al *alignment) temp(list []*ir.Stmt, j int) bool {
	s := list[j]
	if s.Op == ir.StmtDecl && len(s.Vars) == 1 && al.isTemp(s.Vars[0].Name) && al.temps[s.Vars[0].Name] == nil {
		v := s.Vars[0]
		t := &temp{name: v.Name, decl: s, v: v, guard: map[*ir.Expr]*ir.Expr{}}
		head := v.Name
		switch {
		case v.Init != nil && len(v.Dims) == 0 && !v.Type.Ref:
			t.def, t.list, t.nth, t.expr, head = s, list, j, v.Init, head+" ="
		case v.Init != nil || len(v.Dims) > 1:
			return false
		case len(v.Dims) == 1:
			head += " ["
		default:
			head += " ;"
		}
		// Nothing but a type stands before the name.
		if v.Init != nil {
			head = "const " + v.Type.Base + " " + head
		} else {
			head = v.Type.Base + " " + head
		}
		if !strings.HasPrefix(text(al.c.unitsOf(s)), head) {
			return false
		}
		al.temps[t.name] = t
		al.roles[s] = roleTemp
		return true
	}
	set, inner := s, (*ir.Expr)(nil)
	if s.Op == ir.StmtFor || s.Op == ir.StmtIf && s.Else == nil && !s.Preproc {
		if in := only(s.Body); in != nil {
			set = in
			if s.Op == ir.StmtFor && in.Op == ir.StmtIf && in.Else == nil && !in.Preproc && only(in.Body) != nil {
				set, inner = only(in.Body), in.Cond
			}
		}
	}
	if set.Op != ir.StmtExpr || set.Expr.Op != ir.OpAssign || set.Expr.Tok != "=" {
		return false
	}
	root := set.Expr.Kids[0].Root()
	if root == nil || al.temps[root.Name] == nil || al.temps[root.Name].v != root.Var || al.temps[root.Name].def != nil {
		return false
	}
	t, target := al.temps[root.Name], set.Expr.Kids[0]
	switch {
	case s.Op == ir.StmtFor && set != s && len(t.v.Dims) == 1 && target.Op == ir.OpIndex && target.Kids[0] == root:
		t.loop, t.index, t.inner = s, target.Kids[1], inner
	case s.Op != ir.StmtFor && target == root && len(t.v.Dims) == 0:
	default:
		return false
	}
	t.def, t.list, t.nth, t.expr = s, list, j, set.Expr.Kids[1]
	al.roles[s] = roleTemp
	return true
}

// isTemp reports whether a name is one of those that smux gives to what it computes elsewhere, and means nothing in
// the original.
func (al *alignment) isTemp(name string) bool {
	if len(name) > 6 && name[:6] == "smux_v" && name[6] >= '0' && name[6] <= '9' || isResult(name) {
		return true
	}
	array := strings.TrimRight(name, "0123456789")
	array = strings.TrimSuffix(strings.TrimSuffix(array, "_value"), "_waits")
	return al.splits[array] != nil && !mentions(al.c.a.units, name)
}

// useOfTemp compares an expression of the original with the use of a value that was computed elsewhere.
func (al *alignment) useOfTemp(a, b *ir.Expr) (is, equal bool) {
	if b.Op == ir.OpCond {
		if t := al.tempOf(b.Kids[1]); t != nil && t.loop != nil {
			t.guard[b.Kids[1]] = b
			return true, al.equal(a, b.Kids[1]) && al.equal(a, b.Kids[2])
		}
	}
	t := al.tempOf(b)
	if t == nil {
		return false, false
	}
	if t.def == nil || t.loop != nil && !(&alignment{}).equal(t.index, b.Kids[1]) {
		return true, false
	}
	if !slices.Contains(t.uses, b) {
		t.uses = append(t.uses, b)
	}
	return true, al.equal(a, t.expr)
}

// tempOf returns the value that an expression is a use of, nil for any other.
func (al *alignment) tempOf(b *ir.Expr) *temp {
	root := b
	if b.Op == ir.OpIndex {
		root = b.Kids[0]
	}
	if root.Op != ir.OpIdent {
		return nil
	}
	if t := al.temps[root.Name]; t != nil && t.v == root.Var && (b.Op == ir.OpIndex) == (len(t.v.Dims) > 0) {
		return t
	}
	return nil
}
