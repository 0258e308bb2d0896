package kit

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/units"
)

// parted is a shared array whose first rows each v-TB has for itself, and whose others they take turns with:
//
//	__shared__ float smux_x_private[2][16][64];    auto x_private = smux_x_private[vtb.id];
//	__shared__ float x_public[ROWS - 16][64];
//	(i < 16 ? x_private[i][t] : x_public[i - 16][t])    // x[i][t]
type parted struct {
	Array           string // x
	rows            int64  // P
	private, public string
	head, rest      string // units before and after the name and the first extent
	whole           bool   // the declaration of the public rows was met
}

// splitOf returns the split array that a name is a part of.
func (al *Alignment) splitOf(name string) *parted {
	for _, sp := range al.Splits {
		if name == sp.private || name == sp.public {
			return sp
		}
	}
	return nil
}

// private recognises the declaration of the rows that each v-TB has for itself.
func (al *Alignment) private(s *ir.Stmt) bool {
	if s.Op != ir.StmtDecl || len(s.Vars) != 1 || s.Vars[0].Kind != ir.VarShared {
		return false
	}
	v := s.Vars[0]
	cp := al.Kernel.State.named(v.Name)
	array, ok := strings.CutSuffix(strings.TrimPrefix(v.Name, CopyPrefix), "_private")
	if cp == nil || !ok || !cp.ByID || cp.Array != array+"_private" || al.Splits[array] != nil {
		return false
	}
	us := al.Texts.UnitsOf(s)
	i := units.IndexOf(us, v.Name)
	b, rest, ok := units.Match(us[i+1:], "[ $ ] [ $ ]")
	if !ok || units.Number(b[0]) != al.Obj.Merged || units.Number(b[1]) <= 0 {
		return false
	}
	cp.sets = al.Obj.Merged
	al.Splits[array] = &parted{Array: array, rows: int64(units.Number(b[1])), private: cp.Array, public: array + "_public", head: units.Text(us[:i]), rest: units.Text(rest)}
	al.Roles[s] = RoleErased
	return true
}

// alikeSplit compares the declaration of an array with that of its public rows.
func (al *Alignment) alikeSplit(a, b *ir.Stmt) bool {
	if a.Op != ir.StmtDecl || b.Op != ir.StmtDecl || len(a.Vars) != 1 || len(b.Vars) != 1 || a.Vars[0].Kind != ir.VarShared || len(a.Vars[0].Dims) == 0 || len(b.Vars[0].Dims) == 0 {
		return false
	}
	sp := al.Splits[a.Vars[0].Name]
	if sp == nil || sp.public != b.Vars[0].Name {
		return false
	}
	for _, us := range [][]units.Unit{al.Texts.Old.Between(a.Range.Start, a.Range.End), al.Texts.UnitsOf(b)} {
		i := units.IndexOf(us, sp.Array)
		if i < 0 {
			i = units.IndexOf(us, sp.public)
		}
		end := units.Closing(us, i+1)
		if end < 0 || units.Text(us[:i]) != sp.head || units.Text(us[end+1:]) != sp.rest {
			return false
		}
	}
	all, known := al.Texts.Constant(al, a.Vars[0].Dims[0])
	public, also := al.Texts.Constant(al, b.Vars[0].Dims[0])
	sp.whole = known && also && public > 0 && all == public+sp.rows
	return sp.whole
}

// allPrivate recognises the declaration of an array of which each v-TB has all rows that it uses for itself: the new
// text has no others.
func (al *Alignment) allPrivate(a *ir.Stmt) bool {
	if a.Op != ir.StmtDecl || len(a.Vars) != 1 || a.Vars[0].Kind != ir.VarShared || len(a.Vars[0].Dims) == 0 {
		return false
	}
	sp := al.Splits[a.Vars[0].Name]
	if sp == nil || sp.whole || units.Mentions(al.Texts.UnitsOf(al.New.Body), sp.public) {
		return false
	}
	us := al.Texts.Old.Between(a.Range.Start, a.Range.End)
	i := units.IndexOf(us, sp.Array)
	if i < 0 {
		return false
	}
	end := units.Closing(us, i+1)
	rows, known := al.Texts.Constant(al, a.Vars[0].Dims[0])
	sp.whole = end > 0 && units.Text(us[:i]) == sp.head && units.Text(us[end+1:]) == sp.rest && known && rows >= sp.rows
	return sp.whole
}

// useOfSplit compares an element of an array with an element of its parts, or a choice between two.
func (al *Alignment) useOfSplit(a, b *ir.Expr) (is, equal bool) {
	if b.Op == ir.OpCond && len(al.Splits) > 0 {
		if one, other := b.Kids[1].Root(), b.Kids[2].Root(); one != nil && other != nil {
			if sp := al.splitOf(one.Name); sp != nil && one.Name == sp.private && other.Name == sp.public {
				return true, al.chosen(sp, b.Kids[0], a, b.Kids[1], b.Kids[2])
			}
		}
	}
	if b.Op != ir.OpIndex || b.Kids[0].Op != ir.OpIdent {
		return false, false
	}
	sp := al.splitOf(b.Kids[0].Name)
	if sp == nil {
		return false, false
	}
	al.InRows[b] = sp
	return true, al.row(sp, a, b)
}

// row compares an element of an array with one of a part, of which it is not known yet whether it has it.
func (al *Alignment) row(sp *parted, a, b *ir.Expr) bool {
	if !sp.whole || a.Op != ir.OpIndex || a.Kids[0].Op != ir.OpIdent || a.Kids[0].Name != sp.Array || b.Op != ir.OpIndex || b.Kids[0].Op != ir.OpIdent {
		return false
	}
	i, j := a.Kids[1], b.Kids[1]
	switch b.Kids[0].Name {
	case sp.private:
		return al.Equal(i, j)
	case sp.public:
		if j.Op == ir.OpBinary && j.Tok == "-" && j.Kids[1].Op == ir.OpInt && j.Kids[1].Int == sp.rows && al.Equal(i, j.Kids[0]) {
			return true
		}
		m, known := al.Texts.Constant(al, i)
		n, also := al.Texts.Constant(al, j)
		return known && also && m == n+sp.rows
	}
	return false
}

// chosen compares an element of an array with "i < P ? x_private[i]… : x_public[i - P]…".
func (al *Alignment) chosen(sp *parted, cond, a, private, public *ir.Expr) bool {
	if a.Op != private.Op || a.Op != public.Op || len(a.Kids) != len(private.Kids) || len(a.Kids) != len(public.Kids) || a.Name != private.Name || a.Name != public.Name || a.Arrow != private.Arrow || a.Arrow != public.Arrow {
		return false
	}
	if a.Op == ir.OpIndex && private.Kids[0].Op == ir.OpIdent {
		return public.Kids[0].Op == ir.OpIdent && private.Kids[0].Name == sp.private && public.Kids[0].Name == sp.public &&
			al.row(sp, a, private) && al.row(sp, a, public) && al.splitsAt(sp, cond, a.Kids[1])
	}
	if a.Op != ir.OpIndex && a.Op != ir.OpMember || a.Op == ir.OpIndex && (!al.Equal(a.Kids[1], private.Kids[1]) || !al.Equal(a.Kids[1], public.Kids[1]) || al.Loads(private.Kids[1]) == AnyMemory) {
		return false
	}
	return al.chosen(sp, cond, a.Kids[0], private.Kids[0], public.Kids[0])
}

// splitsAt reports whether a condition is "i < P", with i evaluated as often as one likes.
func (al *Alignment) splitsAt(sp *parted, cond, i *ir.Expr) bool {
	return cond.Op == ir.OpBinary && cond.Tok == "<" && cond.Kids[1].Op == ir.OpInt && cond.Kids[1].Int == sp.rows && cond.Kids[1].Tok == "" &&
		al.Equal(i, cond.Kids[0]) && al.Loads(cond.Kids[0]) < AnyMemory
}
