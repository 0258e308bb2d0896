package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/units"
)

// Temp is a value that the new text computes elsewhere than where the original does: a variable that is set once, or
// an array with one element for each iteration of a loop.
//
//	const float v = E;                                                 … x = v;
//	float v;  …  if (c) v = E;                                         … if (c) x = v;
//	float v[32];  …  for (int r = 0; r < 32; ++r) v[r] = E;            … for (int r = 0; r < 32; ++r) x[r] = v[r];
//	float v[4];  …  for (int r = 0; r < 4; ++r) v[r] = E;              … for (int r = 0; r < 32; ++r) x[r] = r < 4 ? v[r] : E;
type Temp struct {
	Name  string
	Decl  *ir.Stmt
	Var   *ir.Var
	Def   *ir.Stmt   // sets it, with its condition or loop; nil before it was met
	List  []*ir.Stmt // in which def stands, and the index there
	Nth   int
	Loop  *ir.Stmt // def, where that is a loop
	Inner *ir.Expr // a condition in it, nil without
	Index *ir.Expr // the element that an iteration sets
	Expr  *ir.Expr // E
	Uses  []*ir.Expr
	Guard map[*ir.Expr]*ir.Expr // of a use in "c ? v[r] : E": the whole
}

// temp recognises a statement that declares or sets a value computed elsewhere.
func (al *Alignment) temp(list []*ir.Stmt, j int) bool {
	s := list[j]
	if s.Op == ir.StmtDecl && len(s.Vars) == 1 && al.isTemp(s.Vars[0].Name) && al.Temps[s.Vars[0].Name] == nil {
		v := s.Vars[0]
		t := &Temp{Name: v.Name, Decl: s, Var: v, Guard: map[*ir.Expr]*ir.Expr{}}
		head := v.Name
		switch {
		case v.Init != nil && len(v.Dims) == 0 && !v.Type.Ref:
			t.Def, t.List, t.Nth, t.Expr, head = s, list, j, v.Init, head+" ="
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
		if !strings.HasPrefix(units.Text(al.Texts.UnitsOf(s)), head) {
			return false
		}
		al.Temps[t.Name] = t
		al.Roles[s] = roleTemp
		return true
	}
	set, inner := s, (*ir.Expr)(nil)
	if s.Op == ir.StmtFor || s.Op == ir.StmtIf && s.Else == nil && !s.Preproc {
		if in := Only(s.Body); in != nil {
			set = in
			if s.Op == ir.StmtFor && in.Op == ir.StmtIf && in.Else == nil && !in.Preproc && Only(in.Body) != nil {
				set, inner = Only(in.Body), in.Cond
			}
		}
	}
	if set.Op != ir.StmtExpr || set.Expr.Op != ir.OpAssign || set.Expr.Tok != "=" {
		return false
	}
	root := set.Expr.Kids[0].Root()
	if root == nil || al.Temps[root.Name] == nil || al.Temps[root.Name].Var != root.Var || al.Temps[root.Name].Def != nil {
		return false
	}
	t, target := al.Temps[root.Name], set.Expr.Kids[0]
	switch {
	case s.Op == ir.StmtFor && set != s && len(t.Var.Dims) == 1 && target.Op == ir.OpIndex && target.Kids[0] == root:
		t.Loop, t.Index, t.Inner = s, target.Kids[1], inner
	case s.Op != ir.StmtFor && target == root && len(t.Var.Dims) == 0:
	default:
		return false
	}
	t.Def, t.List, t.Nth, t.Expr = s, list, j, set.Expr.Kids[1]
	al.Roles[s] = roleTemp
	return true
}

// isTemp reports whether a name is one of those that smux gives to what it computes elsewhere, and means nothing in
// the original.
func (al *Alignment) isTemp(name string) bool {
	if isNumbered(name, "smux_v") || IsResult(name) {
		return true
	}
	array := strings.TrimRight(name, "0123456789")
	array = strings.TrimSuffix(strings.TrimSuffix(array, "_value"), "_waits")
	return al.Splits[array] != nil && !units.Mentions(al.Texts.Old.Units, name)
}

// useOfTemp compares an expression of the original with the use of a value that was computed elsewhere.
func (al *Alignment) useOfTemp(a, b *ir.Expr) (is, equal bool) {
	if b.Op == ir.OpCond {
		if t := al.tempOf(b.Kids[1]); t != nil && t.Loop != nil {
			t.Guard[b.Kids[1]] = b
			return true, al.Equal(a, b.Kids[1]) && al.Equal(a, b.Kids[2])
		}
	}
	t := al.tempOf(b)
	if t == nil {
		return false, false
	}
	if t.Def == nil || t.Loop != nil && !(&Alignment{}).Equal(t.Index, b.Kids[1]) {
		return true, false
	}
	if !slices.Contains(t.Uses, b) {
		t.Uses = append(t.Uses, b)
	}
	return true, al.Equal(a, t.Expr)
}

// tempOf returns the value that an expression is a use of, nil for any other.
func (al *Alignment) tempOf(b *ir.Expr) *Temp {
	root := b
	if b.Op == ir.OpIndex {
		root = b.Kids[0]
	}
	if root.Op != ir.OpIdent {
		return nil
	}
	if t := al.Temps[root.Name]; t != nil && t.Var == root.Var && (b.Op == ir.OpIndex) == (len(t.Var.Dims) > 0) {
		return t
	}
	return nil
}
