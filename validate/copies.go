package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// copySet is a shared array of which the new text has several: one for each v-TB, or one for each slot.
//
//	__shared__ float smux_x[2][64];    auto x = smux_x[vtb.id];
//	__shared__ float smux_x[2][64];    auto x = smux_x[0];  …  vtb.acquire();  x = smux_x[vtb.slot()];
//	extern __shared__ float smux_x[];  auto x = smux::set(smux_x, vtb.id, smux_shared);
//	__shared__ float smux_x[2];        auto x = &smux_x[vtb.id];                         (*x) for x
type copySet struct {
	array  string // the original's name
	named  string // of the whole: smux_x
	sets   int    // how many there are, 0 for those in dynamic shared memory
	bytes  string // the parameter that holds the bytes of a set in dynamic shared memory, else ""
	slot   bool   // set anew at each acquire
	byID   bool   // one for each v-TB
	scalar bool   // the original's is no array: x is its address
	chosen bool   // the statement that declares x was met
	at     int
	chose  []*ir.Stmt // x = smux_x[vtb.slot()];
	whole  *ir.Var    // smux_x
}

const copyPrefix = "smux_"

// copyOf recognises the statements that choose a copy, and returns how many they are.
func (al *alignment) copyOf(bs []*ir.Stmt, j int) int {
	us := al.c.unitsOf(bs[j])
	v := al.obj.name
	if len(us) == 0 {
		return 0
	}
	declares := us[0].text == "auto"
	if declares {
		us = us[1:]
	}
	name, named, which, bytes := al.choice(us)
	if name == "" || !strings.HasPrefix(named, copyPrefix) {
		return 0
	}
	cp := al.k.state.of(name)
	if declares {
		if cp.named != named || cp.chosen || (us[2].text == "&") != cp.scalar {
			return 0
		}
		cp.chosen = true
		cp.bytes, cp.at = bytes, bs[j].Range.Start
		switch {
		case which == v+" . id":
		case which == "0" && al.obj.slots > 1:
			cp.slot = true
		default:
			al.k.doubt(Copies, al.c.b.file, cp.at, "%s is not the copy of one v-TB or slot", named)
		}
		al.roles[bs[j]] = roleErased
		return 1
	}
	if cp.named != named || (us[2].text == "&") != cp.scalar || which != v+" . slot ( )" || !cp.slot || cp.bytes != bytes {
		return 0
	}
	cp.chose = append(cp.chose, bs[j])
	al.roles[bs[j]] = roleErased
	return 1
}

// choice reads "x = smux_x[which];" and "x = smux::set(smux_x, which, bytes);".
func (al *alignment) choice(us []unit) (name, named, which, bytes string) {
	if b, rest, ok := match(us, "$ = smux : : set ("); ok && len(rest) > 2 && is(rest[len(rest)-2:], ") ;") {
		if args := split(rest[:len(rest)-2]); len(args) == 3 && len(args[0]) == 1 && len(args[2]) == 1 {
			return b[0], args[0][0].text, text(args[1]), args[2][0].text
		}
		return
	}
	if b, rest, ok := match(us, "$ = & $ ["); ok && len(rest) > 2 && is(rest[len(rest)-2:], "] ;") {
		return b[0], b[1], text(rest[:len(rest)-2]), ""
	}
	if b, rest, ok := match(us, "$ = $ ["); ok && len(rest) > 2 && is(rest[len(rest)-2:], "] ;") {
		return b[0], b[1], text(rest[:len(rest)-2]), ""
	}
	return
}

// of returns the copies of an array, with nothing known where there are none yet.
func (k *kernelState) of(name string) *copySet {
	if k.copies[name] == nil {
		k.copies[name] = &copySet{array: name}
	}
	return k.copies[name]
}

// named returns the copies that a variable holds all of, nil for one that holds none.
func (k *kernelState) named(whole string) *copySet {
	for _, cp := range k.copies {
		if cp.named == whole {
			return cp
		}
	}
	return nil
}

// findCopies finds the arrays of which a body has copies, by the statements that declare the original's names.
func (al *alignment) findCopies(us []unit) {
	for i := range us {
		if _, _, ok := match(us[i:], "auto $ ="); !ok {
			continue
		}
		end := i
		for end < len(us) && us[end].text != ";" {
			end++
		}
		if name, named, which, _ := al.choice(us[i+1 : min(end+1, len(us))]); name != "" && strings.HasPrefix(named, copyPrefix) {
			al.k.state.of(name).named = named
			al.k.state.of(name).byID = which == al.obj.name+" . id"
			al.k.state.of(name).scalar = us[i+3].text == "&"
		}
	}
}

// useOfCopy recognises the declaration of copies: what is left of it when the first extent and the
// prefix are gone is the original's.
func (al *alignment) useOfCopy(us []unit, i int) (int, []unit) {
	if i == 0 || !mentions(us[:i], "__shared__") {
		return 0, nil
	}
	for _, cp := range al.k.state.copies {
		if cp.named != us[i].text {
			continue
		}
		erased := []unit{{cp.array, us[i].start, us[i].end}}
		if b, _, ok := match(us[i+1:], "[ $ ]"); ok && number(b[0]) == al.obj.sets(cp) {
			cp.sets = al.obj.sets(cp)
			return 4, erased
		}
		if mentions(us[:i], "extern") {
			return 1, erased
		}
	}
	return 0, nil
}

// sets is how many copies there are of an array: one for each v-TB, or for each slot.
func (o *object) sets(cp *copySet) int {
	if o.apart() || cp != nil && cp.byID {
		return o.merged
	}
	return o.slots
}

// wholes finds the variables that hold all copies of an array.
func (al *alignment) wholes() {
	for _, v := range al.b.Vars {
		if cp := al.k.state.named(v.Name); cp != nil && v.Kind == ir.VarShared {
			cp.whole = v
		}
	}
}

// copiesFit checks that every shared array has as many copies as are used at once: without turns one for
// each v-TB, with slots one for each, chosen directly behind each acquire.
func (al *alignment) copiesFit() {
	k, f := al.k, al.c.b.file
	for _, v := range al.b.Vars {
		if v.Kind != ir.VarShared {
			continue
		}
		cp := k.state.named(v.Name)
		has := cp != nil && cp.chosen && (cp.sets == al.obj.sets(cp) || cp.bytes != "")
		switch {
		case has && cp.bytes != k.state.bytes && cp.bytes != "":
			k.doubt(Copies, f, v.Range.Start, "%s does not hold the bytes of a set of %s", cp.bytes, cp.array)
		case has && cp.slot == cp.byID:
			k.doubt(Copies, f, v.Range.Start, "the copies of %s are not chosen as the object says", cp.array)
		case !has && al.obj.sets(nil) > 1:
			k.doubt(Copies, f, v.Range.Start, "%s is one array for %d v-TBs or slots", v.Name, al.obj.sets(nil))
		}
	}
	for s, r := range al.roles {
		if r != roleAcquire {
			continue
		}
		for _, cp := range k.state.copies {
			if cp.slot && !directlyBehind(s, cp.chose) && !al.unusedFrom(s, cp) {
				k.doubt(Copies, f, s.Range.Start, "behind this acquire %s is not set to the slot's copy", cp.array)
			}
		}
	}
	al.noSizeof()
	al.scalarsFit()
	for _, v := range al.b.Vars {
		if al.obj.slots > 1 && v.Kind == ir.VarLocal && k.state.tainted[v] && k.state.copies[v.Name] == nil && !al.ofOneTurn(v) {
			k.doubt(Copies, f, v.Range.Start, "%s may hold an address in the slot of another turn", v.Name)
		}
	}
	if len(k.state.copies) > 0 {
		k.shown(Copies, "one for each, chosen by v-TB or slot")
	}
}

// unusedFrom reports whether an array is not used from an acquire to the next one in the same list, behind which it is
// set to the slot's copy.
func (al *alignment) unusedFrom(s *ir.Stmt, cp *copySet) bool {
	if s.Parent == nil {
		return false
	}
	for _, t := range s.Parent.List {
		switch {
		case t.Range.Start <= s.Range.Start:
		case al.roles[t] == roleAcquire:
			return directlyBehind(t, cp.chose)
		case t.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == cp.array || e.Op == ir.OpLambda }) || t.Any(func(u *ir.Stmt) bool { return leaves(u, t) || al.roles[u] == roleAcquire }):
			return false
		}
	}
	return false
}

// ofOneTurn reports whether a variable is declared in a turn and gone before the next: nothing is acquired behind its
// declaration in the statements that it lives in.
func (al *alignment) ofOneTurn(v *ir.Var) bool {
	if v.Decl == nil || v.Decl.Parent == nil || v.Static || v.Init == nil {
		return false
	}
	return !v.Decl.Parent.Any(func(t *ir.Stmt) bool { return al.roles[t] == roleAcquire && t.Range.Start > v.Decl.Range.Start })
}

// directlyBehind reports whether one of some statements follows another with nothing but such between.
func directlyBehind(s *ir.Stmt, of []*ir.Stmt) bool {
	if s.Parent == nil {
		return false
	}
	for _, t := range of {
		if t.Parent == s.Parent && t.Range.Start > s.Range.Start {
			between := false
			for _, u := range s.Parent.List {
				if u.Range.Start > s.Range.Start && u.Range.Start < t.Range.Start && !isChoice(u) {
					between = true
				}
			}
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
		return t.Op == ir.OpIdent && strings.HasPrefix(t.Name, copyPrefix)
	})
}

// isWhole reports whether a variable holds all copies of an array.
func (al *alignment) isWhole(v *ir.Var) bool {
	cp := al.k.state.named(v.Name)
	return cp != nil && cp.whole == v
}

// scalarUse recognises the use of a number or a structure of which there are copies: "(*x)" is x, and anything else is
// not.
func (al *alignment) scalarUse(us []unit, i int) (n int, erased unit) {
	if b, _, ok := match(us[i:], "( * $ )"); ok && al.isScalar(b[0]) {
		return 4, unit{b[0], us[i].start, us[i+3].end}
	}
	member := i > 0 && us[i-1].text == "." || i > 1 && us[i-1].text == ">" && us[i-2].text == "-"
	if al.isScalar(us[i].text) && !member {
		return 1, unit{"⟨address⟩", us[i].start, us[i].end}
	}
	return 0, unit{}
}

func (al *alignment) isScalar(name string) bool {
	cp := al.k.state.copies[name]
	return cp != nil && cp.scalar
}

// scalarsFit checks that nothing but (*x) is made of the address of a copy, by no macro either, and that nothing asks
// for its type.
func (al *alignment) scalarsFit() {
	starred := map[*ir.Expr]bool{}
	walk(al.b.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpDeref || e.Op == ir.OpAssign && isChoice(&ir.Stmt{Op: ir.StmtExpr, Expr: e}) {
			starred[e.Kids[0]] = true
		}
		if e.Op == ir.OpIdent && al.isScalar(e.Name) && !starred[e] {
			al.k.doubt(Copies, al.c.b.file, e.Range.Start, "%s is the address of a copy now", e.Name)
		}
		return true
	})
	us := al.c.b.between(al.b.Body.Range.Start, al.b.Body.Range.End)
	for name := range al.k.state.copies {
		if al.isScalar(name) && (mentions(us, "decltype") || mentions(us, "typeof") || mentions(us, "__typeof__")) {
			al.k.doubt(Copies, al.c.b.file, al.obj.at, "the type of something is asked for, and %s is an address now", name)
		}
	}
}

// noSizeof refuses what tells an array from a pointer to its first element.
func (al *alignment) noSizeof() {
	al.b.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpSizeof || e.Op == ir.OpAddr {
			for _, kid := range e.Kids {
				if kid.Op == ir.OpIdent && al.k.state.copies[kid.Name] != nil {
					al.k.doubt(Copies, al.c.b.file, e.Range.Start, "%s was an array and is a pointer now", kid.Name)
				}
			}
		}
		return true
	})
}

const slotPrefix = "smux_"
