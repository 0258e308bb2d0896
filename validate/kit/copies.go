package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/units"
)

// CopySet is a shared array of which the new text has several: one for each v-TB, or one for each slot.
//
//	__shared__ float smux_x[2][64];    auto x = smux_x[vtb.id];
//	__shared__ float smux_x[2][64];    auto x = smux_x[0];  …  vtb.acquire();  x = smux_x[vtb.slot()];
//	extern __shared__ float smux_x[];  auto x = smux::set(smux_x, vtb.id, smux_shared);
//	__shared__ float smux_x[2];        auto x = smux_x + vtb.id;                         (*x) for x
type CopySet struct {
	Array  string // the original's name
	named  string // of the whole: smux_x
	sets   int    // how many there are, 0 for those in dynamic shared memory
	Bytes  string // the parameter that holds the bytes of a set in dynamic shared memory, else ""
	Slot   bool   // set anew at each acquire
	ByID   bool   // one for each v-TB
	Scalar bool   // the original's is no array: x is its address
	chosen bool   // the statement that declares x was met
	At     int
	chose  []*ir.Stmt // x = smux_x[vtb.slot()];
	Whole  *ir.Var    // smux_x
}

const CopyPrefix = "smux_"

// copyOf recognises the statements that choose a copy, and returns how many they are.
func (al *Alignment) copyOf(bs []*ir.Stmt, j int) int {
	us := al.Texts.UnitsOf(bs[j])
	v := al.Obj.Name
	if len(us) == 0 {
		return 0
	}
	declares := us[0].Text == "auto"
	if declares {
		us = us[1:]
	}
	name, named, which, bytes := al.choice(us)
	if name == "" || !strings.HasPrefix(named, CopyPrefix) {
		return 0
	}
	cp := al.Kernel.State.of(name)
	if declares {
		if cp.named != named || cp.chosen || (us[3].Text == "+") != cp.Scalar {
			return 0
		}
		cp.chosen = true
		cp.Bytes, cp.At = bytes, bs[j].Range.Start
		switch {
		case which == v+" . id":
		case which == "0" && al.Obj.slots > 1:
			cp.Slot = true
		default:
			al.Kernel.Doubt(Copies, al.Texts.New.File, cp.At, "%s is not the copy of one v-TB or slot", named)
		}
		al.Roles[bs[j]] = RoleErased
		return 1
	}
	if cp.named != named || (us[3].Text == "+") != cp.Scalar || which != v+" . slot ( )" || !cp.Slot || cp.Bytes != bytes {
		return 0
	}
	cp.chose = append(cp.chose, bs[j])
	al.Roles[bs[j]] = RoleErased
	return 1
}

// choice reads "x = smux_x[which];", "x = smux_x + which;" and "x = smux::set(smux_x, which, bytes);".
func (al *Alignment) choice(us []units.Unit) (name, named, which, bytes string) {
	if b, rest, ok := units.Match(us, "$ = smux : : set ("); ok && len(rest) > 2 && units.Is(rest[len(rest)-2:], ") ;") {
		if args := units.Split(rest[:len(rest)-2]); len(args) == 3 && len(args[0]) == 1 && len(args[2]) == 1 {
			return b[0], args[0][0].Text, units.Text(args[1]), args[2][0].Text
		}
		return
	}
	if b, rest, ok := units.Match(us, "$ = $ +"); ok && len(rest) > 1 && rest[len(rest)-1].Text == ";" {
		return b[0], b[1], units.Text(rest[:len(rest)-1]), ""
	}
	if b, rest, ok := units.Match(us, "$ = $ ["); ok && len(rest) > 2 && units.Is(rest[len(rest)-2:], "] ;") {
		return b[0], b[1], units.Text(rest[:len(rest)-2]), ""
	}
	return
}

// of returns the copies of an array, with nothing known where there are none yet.
func (k *KernelState) of(name string) *CopySet {
	if k.Copies[name] == nil {
		k.Copies[name] = &CopySet{Array: name}
	}
	return k.Copies[name]
}

// named returns the copies that a variable holds all of, nil for one that holds none.
func (k *KernelState) named(whole string) *CopySet {
	for _, cp := range k.Copies {
		if cp.named == whole {
			return cp
		}
	}
	return nil
}

// findCopies finds the arrays of which a body has copies, by the statements that declare the original's names.
func (al *Alignment) findCopies(us []units.Unit) {
	for i := range us {
		if _, _, ok := units.Match(us[i:], "auto $ ="); !ok {
			continue
		}
		end := i
		for end < len(us) && us[end].Text != ";" {
			end++
		}
		if name, named, which, _ := al.choice(us[i+1 : min(end+1, len(us))]); name != "" && strings.HasPrefix(named, CopyPrefix) {
			al.Kernel.State.of(name).named = named
			al.Kernel.State.of(name).ByID = which == al.Obj.Name+" . id"
			al.Kernel.State.of(name).Scalar = us[i+4].Text == "+"
		}
	}
}

// useOfCopy recognises the declaration of copies: what is left of it when the first extent and the
// prefix are gone is the original's.
func (al *Alignment) useOfCopy(us []units.Unit, i int) (int, []units.Unit) {
	if i == 0 || !units.Mentions(us[:i], "__shared__") {
		return 0, nil
	}
	for _, cp := range al.Kernel.State.Copies {
		if cp.named != us[i].Text {
			continue
		}
		erased := []units.Unit{{Text: cp.Array, Start: us[i].Start, End: us[i].End}}
		if b, _, ok := units.Match(us[i+1:], "[ $ ]"); ok && units.Number(b[0]) == al.Obj.Sets(cp) {
			cp.sets = al.Obj.Sets(cp)
			return 4, erased
		}
		if units.Mentions(us[:i], "extern") {
			return 1, erased
		}
	}
	return 0, nil
}

// Sets returns the number of copies of an array: one for each v-TB, or for each slot.
func (o *Object) Sets(cp *CopySet) int {
	if o.Apart() || cp != nil && cp.ByID {
		return o.Merged
	}
	return o.slots
}

// Wholes finds the variables that hold all copies of an array.
func (al *Alignment) Wholes() {
	for _, v := range al.New.Vars {
		if cp := al.Kernel.State.named(v.Name); cp != nil && v.Kind == ir.VarShared {
			cp.Whole = v
		}
	}
}

// CopiesFit checks that every shared array has as many copies as are used at once: without turns one for
// each v-TB, with slots one for each, chosen directly after each acquire.
func (al *Alignment) CopiesFit() {
	k, f := al.Kernel, al.Texts.New.File
	for _, v := range al.New.Vars {
		if v.Kind != ir.VarShared {
			continue
		}
		cp := k.State.named(v.Name)
		has := cp != nil && cp.chosen && (cp.sets == al.Obj.Sets(cp) || cp.Bytes != "")
		switch {
		case has && cp.Bytes != k.State.Bytes && cp.Bytes != "":
			k.Doubt(Copies, f, v.Range.Start, "%s does not hold the bytes of a set of %s", cp.Bytes, cp.Array)
		case has && cp.Slot == cp.ByID:
			k.Doubt(Copies, f, v.Range.Start, "the copies of %s are not chosen as the object says", cp.Array)
		case !has && al.Obj.Sets(nil) > 1:
			k.Doubt(Copies, f, v.Range.Start, "%s is one array for %d v-TBs or slots", v.Name, al.Obj.Sets(nil))
		}
	}
	for _, g := range k.State.Reach {
		Walk(g.Body, func(e *ir.Expr) bool {
			if v := e.Var; e.Op == ir.OpIdent && v != nil && v.Kind == ir.VarShared && al.Obj.Sets(nil) > 1 && !slices.Contains(al.New.Vars, v) {
				k.Doubt(Copies, g.File, e.Range.Start, "%s is one array for %d v-TBs or slots", v.Name, al.Obj.Sets(nil))
			}
			return true
		})
	}
	for s, r := range al.Roles {
		if r != RoleAcquire {
			continue
		}
		for _, cp := range k.State.Copies {
			if cp.Slot && !directlyBehind(s, cp.chose) && !al.unusedFrom(s, cp) {
				k.Doubt(Copies, f, s.Range.Start, "after this acquire %s is not set to the slot's copy", cp.Array)
			}
		}
	}
	al.noSizeof()
	al.scalarsFit()
	for _, v := range al.New.Vars {
		if al.Obj.slots > 1 && v.Kind == ir.VarLocal && k.State.Tainted[v] && k.State.Copies[v.Name] == nil && !al.ofOneTurn(v) {
			k.Doubt(Copies, f, v.Range.Start, "%s may hold an address in the slot of another turn", v.Name)
		}
	}
	if len(k.State.Copies) > 0 {
		k.Show(Copies, "one for each, chosen by v-TB or slot")
	}
}

// unusedFrom reports whether an array is not used from an acquire to the next one in the same list, after which it is
// set to the slot's copy.
func (al *Alignment) unusedFrom(s *ir.Stmt, cp *CopySet) bool {
	if s.Parent == nil {
		return false
	}
	for _, t := range s.Parent.List {
		switch {
		case t.Range.Start <= s.Range.Start:
		case al.Roles[t] == RoleAcquire:
			return directlyBehind(t, cp.chose)
		case t.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == cp.Array || e.Op == ir.OpLambda }) || t.Any(func(u *ir.Stmt) bool { return Leaves(u, t) || al.Roles[u] == RoleAcquire }):
			return false
		}
	}
	return false
}

// ofOneTurn reports whether a variable is declared in a turn and gone before the next: nothing is acquired after its
// declaration in the statements that it lives in.
func (al *Alignment) ofOneTurn(v *ir.Var) bool {
	if v.Decl == nil || v.Decl.Parent == nil || v.Static || v.Init == nil {
		return false
	}
	return !v.Decl.Parent.Any(func(t *ir.Stmt) bool { return al.Roles[t] == RoleAcquire && t.Range.Start > v.Decl.Range.Start })
}

// directlyBehind reports whether one of some statements follows another with nothing but such between.
func directlyBehind(s *ir.Stmt, of []*ir.Stmt) bool {
	if s.Parent == nil {
		return false
	}
	for _, t := range of {
		if t.Parent == s.Parent && t.Range.Start > s.Range.Start {
			between := slices.ContainsFunc(s.Parent.List, func(u *ir.Stmt) bool {
				return u.Range.Start > s.Range.Start && u.Range.Start < t.Range.Start && !isChoice(u)
			})
			if !between {
				return true
			}
		}
	}
	return false
}

// isChoice reports whether a statement sets a pointer to a copy.
func isChoice(s *ir.Stmt) bool {
	e := s.Expr
	return s.Op == ir.StmtExpr && e != nil && e.Op == ir.OpAssign && e.Kids[0].Op == ir.OpIdent && e.Kids[1].Any(func(t *ir.Expr) bool {
		return t.Op == ir.OpIdent && strings.HasPrefix(t.Name, CopyPrefix)
	})
}

// IsWhole reports whether a variable holds all copies of an array.
func (al *Alignment) IsWhole(v *ir.Var) bool {
	cp := al.Kernel.State.named(v.Name)
	return cp != nil && cp.Whole == v
}

// scalarUse recognises the use of a number or a structure of which there are copies: "(*x)" is x, and anything else is
// not.
func (al *Alignment) scalarUse(us []units.Unit, i int) (n int, erased units.Unit) {
	if b, _, ok := units.Match(us[i:], "( * $ )"); ok && al.isScalar(b[0]) {
		return 4, units.Unit{Text: b[0], Start: us[i].Start, End: us[i+3].End}
	}
	member := i > 0 && us[i-1].Text == "." || i > 1 && us[i-1].Text == ">" && us[i-2].Text == "-"
	if al.isScalar(us[i].Text) && !member {
		return 1, units.Unit{Text: "⟨address⟩", Start: us[i].Start, End: us[i].End}
	}
	return 0, units.Unit{}
}

func (al *Alignment) isScalar(name string) bool {
	cp := al.Kernel.State.Copies[name]
	return cp != nil && cp.Scalar
}

// scalarsFit checks that nothing but (*x) is made of the address of a copy, by no macro either, and that nothing asks
// for its type.
func (al *Alignment) scalarsFit() {
	starred := map[*ir.Expr]bool{}
	Walk(al.New.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpDeref || e.Op == ir.OpAssign && isChoice(&ir.Stmt{Op: ir.StmtExpr, Expr: e}) {
			starred[e.Kids[0]] = true
		}
		if e.Op == ir.OpIdent && al.isScalar(e.Name) && !starred[e] {
			al.Kernel.Doubt(Copies, al.Texts.New.File, e.Range.Start, "%s is the address of a copy now", e.Name)
		}
		return true
	})
	us := al.Texts.New.Between(al.New.Body.Range.Start, al.New.Body.Range.End)
	for name := range al.Kernel.State.Copies {
		if al.isScalar(name) && (units.Mentions(us, "decltype") || units.Mentions(us, "typeof") || units.Mentions(us, "__typeof__")) {
			al.Kernel.Doubt(Copies, al.Texts.New.File, al.Obj.At, "the type of something is asked for, and %s is an address now", name)
		}
	}
}

// noSizeof refuses what tells an array from a pointer to its first element.
func (al *Alignment) noSizeof() {
	for e := range al.New.Body.AllExprs() {
		if e.Op == ir.OpSizeof || e.Op == ir.OpAddr {
			for _, kid := range e.Kids {
				if kid.Op == ir.OpIdent && al.Kernel.State.Copies[kid.Name] != nil {
					al.Kernel.Doubt(Copies, al.Texts.New.File, e.Range.Start, "%s was an array and is a pointer now", kid.Name)
				}
			}
		}
	}
}

const SlotPrefix = "smux_"
