package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// Alignment is one function of the new text laid beside the one of the old text that it was: which
// statement is which, and what the others are for.
type Alignment struct {
	Texts    *Comparison
	Kernel   *Kernel
	Obj      *Object // of the function, or that it is given
	Old, New *ir.Func

	Roles        map[*ir.Stmt]role
	Groups       *ir.Stmt                 // the loop of a block that stays
	Temps        map[string]*Temp         // by name
	Splits       map[string]*parted       // by the name of the array
	Later        map[*ir.Stmt]*Later      // by the statement that puts a value aside
	CountedLoops map[*ir.Stmt]*ir.Stmt    // loops that count their iterations, with the original's
	InRows       map[*ir.Expr]*parted     // elements of parts of arrays that must have them
	torn         map[*ir.Var][]units.Unit // declarations that stand before what sets the variable: "float x"
	Where        map[*ir.Stmt]Spot
	Begin        []*ir.Stmt        // loops over turns that begin with a barrier
	End          []*ir.Stmt        // and that end with one
	Steps        []*ir.Stmt        // and those of steps
	AfterStep    bool              // a barrier is looked for after a turn in steps
	Kept         map[*ir.Stmt]bool // barriers of turns that the original has, too
	Dropped      []DroppedBarrier
	Moved        []MovedStmt
}

// DroppedBarrier is a barrier of the original that stands nowhere in the new text: one that another before
// or after it makes needless.
type DroppedBarrier struct {
	List []*ir.Stmt // of the new text
	At   int        // index in list of the first statement after the place
	In   *ir.Stmt   // the statement whose list it is
}

// Spot is the place of a statement of the new text.
type Spot struct {
	List []*ir.Stmt
	Nth  int
}

// MovedStmt is a statement that stands earlier in the new text than in the old one.
type MovedStmt struct {
	Stmt   *ir.Stmt
	Passed []*ir.Stmt // statements of the old text that it passed
}

func NewAlignment(c *Comparison, k *Kernel, a, b *ir.Func) *Alignment {
	return &Alignment{Texts: c, Kernel: k, Obj: Unmerged(), Old: a, New: b, Roles: map[*ir.Stmt]role{}, Temps: map[string]*Temp{}, torn: map[*ir.Var][]units.Unit{}, Kept: map[*ir.Stmt]bool{},
		Where: map[*ir.Stmt]Spot{}, Later: map[*ir.Stmt]*Later{}, CountedLoops: map[*ir.Stmt]*ir.Stmt{},
		Splits: map[string]*parted{}, InRows: map[*ir.Expr]*parted{}}
}

// Original is the alignment with the original's function in place of the new one.
func (al *Alignment) Original() *Alignment {
	out := *al
	out.New = al.Old
	return &out
}

// Align lays two functions side by side. Every unit of both bodies is compared, or belongs to a statement of smux's.
func (c *Comparison) Align(k *Kernel, obj *Object, a, b *parser.Function) *Alignment {
	al := NewAlignment(c, k, c.OldNames.Lower(c.Old.File, a), c.NewNames.Lower(c.New.File, b))
	al.Obj = obj
	for _, p := range al.New.Problems {
		k.Doubt(Erasure, c.New.File, p.Range.Start, "this can't be read: %s", p.Text)
	}
	al.findCopies(c.New.Between(int(b.Body.Start), int(b.Body.End)))
	if len(al.New.Problems) == 0 && al.Lists(al.Old.Body, al.New.Body) {
		al.bound()
	}
	return al
}

// bound refuses the name of a variable outside of what it is declared in: there it would mean something else, where it
// means anything. threadIdx and its like mean what CUDA gives then (builtins.go).
func (al *Alignment) bound() {
	own := map[string]bool{}
	for _, v := range al.New.Vars {
		own[v.Name] = !slices.Contains([]string{"threadIdx", "blockIdx", "blockDim", "gridDim"}, v.Name)
	}
	al.New.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && own[e.Name] && e.Qual == "" && (e.Var == nil || e.Var.Kind == ir.VarGlobal || e.Var.Kind == ir.VarConstant) {
			al.differ(e.Range.Start, "%s is not declared here, or further on", e.Name)
			return false
		}
		return true
	})
}

// differ notes where the new text is not the old one.
func (al *Alignment) differ(at int, format string, args ...any) bool {
	al.Kernel.Doubt(Erasure, al.Texts.New.File, at, format, args...)
	return false
}

// Statements returns what a body holds: those of a compound statement, or the one statement itself.
// Statements of one macro use are one: its text is compared.
func Statements(s *ir.Stmt) (out []*ir.Stmt) {
	list := []*ir.Stmt{s}
	if s.Op == ir.StmtCompound || s.Op == ir.StmtCase || s.Op == ir.StmtLabel {
		list = s.List
	}
	for _, t := range list {
		switch {
		case t.Op == ir.StmtCompound && t.NoScope && !t.Macro:
			out = append(out, Statements(t)...)
		case t.Macro && len(out) > 0 && out[len(out)-1].Macro && out[len(out)-1].Range == t.Range:
		default:
			out = append(out, t)
		}
	}
	return out
}

// Only returns the one statement that a body holds, nil where there are several or none.
func Only(s *ir.Stmt) *ir.Stmt {
	if list := Statements(s); len(list) == 1 {
		return list[0]
	}
	return nil
}

// Lists lays two lists of statements side by side. Where the two part, a barrier of the original may
// have been dropped, or a later statement of the original may have moved up.
func (al *Alignment) Lists(pa, pb *ir.Stmt) bool {
	as, bs := Statements(pa), al.Flat(Statements(pb))
	if !slices.ContainsFunc(as, func(s *ir.Stmt) bool { return s.Op == ir.StmtCompound }) {
		for j := len(bs) - 1; j >= 0; j-- {
			if b := bs[j]; b.Op == ir.StmtCompound && len(b.List) == 1 && al.Obj.isMine(al.Texts, b.List[0]) {
				bs = slices.Concat(bs[:j], al.Flat(b.List), bs[j+1:]) // the braces are smux's
			}
		}
	}
	done := make([]bool, len(as))
	i := 0
	for j := 0; j < len(bs); {
		for i < len(as) && done[i] {
			i++
		}
		if n := al.own(bs, j); n > 0 {
			j += n
			continue
		}
		if al.tear(as, i, bs, j) {
			j++
			continue
		}
		if al.Groups != nil && !bs[j].Inside(al.Groups) {
			return al.differ(bs[j].Range.Start, "this stands outside of the loop over v-TBs, and is done once for all of them")
		}
		al.Where[bs[j]] = Spot{bs, j}
		if r := al.Roles[bs[j]]; r == RoleTurnEnd || r == RoleTurnBegin {
			if i < len(as) && al.IsBarrier(al.Texts.Old, as[i]) {
				al.Kept[bs[j]] = true
				i++
			}
			j++
			continue
		}
		if i < len(as) && al.alike(as[i], bs[j]) {
			i++
			if !al.pair(as[i-1], bs[j]) {
				return false
			}
			j++
			continue
		}
		if al.Obj != nil && i < len(as) && al.waits(as[i], bs, j) {
			i++
			continue
		}
		if i < len(as) && al.allPrivate(as[i]) {
			i++
			continue
		}
		if i < len(as) && al.IsBarrier(al.Texts.Old, as[i]) {
			al.Dropped = append(al.Dropped, DroppedBarrier{bs, j, pb})
			i++
			continue
		}
		if al.IsBarrier(al.Texts.New, bs[j]) {
			al.Roles[bs[j]] = RoleAdded
			j++
			continue
		}
		if m := al.movedUp(as, done, i, bs[j]); m > 0 {
			done[m] = true
			var passed []*ir.Stmt
			for n := i; n < m; n++ {
				if !done[n] {
					passed = append(passed, as[n])
				}
			}
			al.Moved = append(al.Moved, MovedStmt{bs[j], passed})
			j++
			continue
		}
		return al.differ(bs[j].Range.Start, "this differs from the original: %s", al.Texts.Excerpt(as, i))
	}
	for ; i < len(as); i++ {
		if done[i] {
			continue
		}
		if al.IsBarrier(al.Texts.Old, as[i]) {
			al.Dropped = append(al.Dropped, DroppedBarrier{bs, len(bs), pb})
			continue
		}
		at := pb.Range.End - 1
		return al.differ(at, "the original goes on here: %s", al.Texts.Excerpt(as, i))
	}
	return true
}

// Flat replaces the loops over turns, and what a v-TB does in its turn or ahead of it, by what is in them, in the order
// in which a thread comes by. Each turn begins or ends with a barrier, which the original may have or not.
func (al *Alignment) Flat(list []*ir.Stmt) (out []*ir.Stmt) {
	for _, s := range list {
		switch {
		case al.Obj.isTurns(al.Texts, s):
			al.Roles[s] = RoleTurns
			out = append(out, al.Flat(al.turns(s))...)
		case al.Groups == nil && al.Obj.isGroups(al.Texts, s), al.Groups == s:
			al.Roles[s], al.Groups = RoleGroups, s
			out = append(out, al.Flat(Statements(s.Body))...)
		case al.isCall(s):
			out = append(out, al.Flat(s.List)...)
		case al.Obj.isMine(al.Texts, s):
			al.Roles[s] = RoleMine
			out = append(out, al.Flat(Statements(s.Body))...)
		case al.Obj.isLead(al.Texts, s):
			al.Roles[s] = RoleLead
			out = append(out, al.Flat(Statements(s.Body))...)
		default:
			out = append(out, s)
		}
	}
	return out
}

// isCall recognises "{ const auto smux_r1 = f(vtb.id == turn, x); if (vtb.id == turn) y = smux_r1; }".
func (al *Alignment) isCall(s *ir.Stmt) bool {
	return s.Op == ir.StmtCompound && al.Obj.InBlockMode() && len(s.List) == 2 && s.List[0].Op == ir.StmtDecl && len(s.List[0].Vars) == 1 && IsResult(s.List[0].Vars[0].Name)
}

// turns returns what is in a loop over turns. In steps, what is ahead of a turn comes before the barrier that the next
// step begins with; in the first step nobody has a turn, and in the last one nobody is ahead.
func (al *Alignment) turns(s *ir.Stmt) []*ir.Stmt {
	body := Statements(s.Body)
	n := len(body) - 1
	if n >= 0 && al.IsBarrier(al.Texts.New, body[0]) {
		al.Roles[body[0]] = RoleTurnBegin
		al.Begin = append(al.Begin, s)
	}
	if n > 0 && al.IsBarrier(al.Texts.New, body[n]) {
		al.Roles[body[n]] = RoleTurnEnd
		al.End = append(al.End, s)
	}
	if !al.Obj.isSteps(al.Texts, s) {
		return body
	}
	skip := slices.IndexFunc(body, func(t *ir.Stmt) bool { return units.Is(al.Texts.UnitsOf(t), "if ( "+al.Obj.Step+" = = 0 ) continue ;") })
	if n < 1 || skip < 1 || !al.Obj.guards(al.Texts, body[0], al.Obj.Step+" > 0") || !al.IsBarrier(al.Texts.New, body[0].Body) {
		al.differ(s.Range.Start, "these are not steps of which each begins with a barrier")
		return body
	}
	al.Begin, al.Steps = append(al.Begin, s), append(al.Steps, s)
	al.Roles[body[0]], al.Roles[body[0].Body], al.Roles[body[skip]] = RoleTurnBegin, RoleTurnBegin, RoleSkip
	for i, t := range body {
		if lead := al.Obj.isLead(al.Texts, t); i > 0 && i != skip && lead != (i < skip) {
			al.differ(t.Range.Start, "this is not in the step in which it would be")
		}
	}
	return slices.Concat(body[1:skip], body[:1], body[skip+1:])
}

// own recognises statements of smux's at the head of a list, and returns how many they are.
func (al *Alignment) own(bs []*ir.Stmt, j int) int {
	us := al.Texts.UnitsOf(bs[j])
	if r := al.Obj.roleOf(us); r != RolePlain {
		al.Roles[bs[j]] = r
		return 1
	}
	if o := ParseObject(us); o != nil && o.At == al.Obj.At {
		al.Roles[bs[j]] = RoleErased
		return 1
	}
	if al.temp(bs, j) || al.private(bs[j]) {
		return 1
	}
	if al.Puts(bs[j]) {
		al.Roles[bs[j]] = roleTemp
		return 1
	}
	return al.copyOf(bs, j)
}

// movedUp returns the index of the later statement of the original that b is, 0 if there is none.
func (al *Alignment) movedUp(as []*ir.Stmt, done []bool, i int, b *ir.Stmt) int {
	if b.Op != ir.StmtDecl && b.Op != ir.StmtExpr {
		return 0
	}
	for m := i + 1; m < len(as); m++ {
		if !done[m] && (al.alike(as[m], b) || al.alikeStored(as[i:m], as[m], b)) {
			return m
		}
	}
	return 0
}

// alike reports whether two statements could be the same: without a look inside.
func (al *Alignment) alike(a, b *ir.Stmt) bool {
	if a.Op == ir.StmtExpr && b.Op == ir.StmtExpr && al.IsBarrier(al.Texts.Old, a) && al.IsBarrier(al.Texts.New, b) {
		return true
	}
	if a.Op == ir.StmtReturn && a.Expr == nil && b.Op == ir.StmtContinue && al.Groups != nil && b.JumpTarget() == al.Groups {
		return true
	}
	if a.Op != b.Op && !(a.Macro && b.Macro) {
		return al.alikeTorn(a, b) || al.alikeLater(a, b) || al.alikeParted(a, b)
	}
	ua, ub := units.Rolled(al.Header(al.Texts.Old, a)), units.Rolled(al.Header(al.Texts.New, b))
	return units.Same(al.spell(al.Texts.Old, al.Old, ua), al.spell(al.Texts.New, al.New, al.erase(ub))) || al.alikeTrees(a, b) || al.alikeSplit(a, b) || al.alikeLater(a, b) || al.alikeCounted(a, b)
}

// tear recognises a declaration without a value, of a variable that the original declares with one further on.
// Its name means nothing else in either function, or the original's declaration and what sets
// the variable come next; and a number has no more to it than its value.
func (al *Alignment) tear(as []*ir.Stmt, i int, bs []*ir.Stmt, j int) bool {
	b := bs[j]
	if b.Op != ir.StmtDecl || len(b.Vars) != 1 || b.Vars[0].Init != nil || i < len(as) && al.alike(as[i], b) {
		return false
	}
	v := b.Vars[0]
	if v.Kind != ir.VarLocal || v.Static || len(v.Dims) > 0 || v.Type.Ref || v.Type.Ptr == 0 && !PlainValue(v.Type.Base) {
		return false
	}
	us := al.Texts.UnitsOf(b)
	al.torn[v] = us[:len(us)-1]
	if !al.alone(v.Name) && !(i < len(as) && j+1 < len(bs) && al.alikeTorn(as[i], bs[j+1])) {
		delete(al.torn, v)
		return false
	}
	al.Roles[b] = RoleErased
	return true
}

// alone reports whether a name means one variable in each of both functions, and nothing else.
func (al *Alignment) alone(name string) bool {
	for _, fn := range []*ir.Func{al.Old, al.New} {
		all := lists.Filter(append(slices.Clone(fn.Vars), fn.Params...), func(w *ir.Var) bool { return w.Name == name })
		if len(all) != 1 || fn.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == name && e.Var != all[0] }) {
			return false
		}
	}
	return true
}

// alikeTorn reports whether a declaration of the original is one that was torn off, and what sets its variable.
func (al *Alignment) alikeTorn(a, b *ir.Stmt) bool {
	if a.Op != ir.StmtDecl || b.Op != ir.StmtExpr || len(a.Vars) != 1 || b.Expr.Op != ir.OpAssign || b.Expr.Tok != "=" {
		return false
	}
	set, v := b.Expr, a.Vars[0]
	torn := al.torn[set.Kids[0].Var]
	ua, ub := al.Header(al.Texts.Old, a), al.Header(al.Texts.New, b)
	if torn == nil || set.Kids[0].Name != v.Name || len(ub) == 0 || ub[0].Text != v.Name {
		return false
	}
	if len(ua) > 0 && ua[0].Text == "const" {
		ua = ua[1:]
	}
	if kept := PlainName(set.Kids[0].Var.Type.Base); len(ua) > 0 && ua[0].Text == "auto" && kept != "" && set.Kids[0].Var.Type.Ptr == 0 && al.TypeOf(set.Kids[1]) == kept {
		ua = append(slices.Clone(torn[:len(torn)-1]), ua[1:]...) // what auto says
	}
	whole := append(slices.Clone(torn), al.erase(ub)[1:]...)
	if units.Same(al.spell(al.Texts.Old, al.Old, ua), al.spell(al.Texts.New, al.New, whole)) {
		return true
	}
	i := units.IndexOf(ua, "=")
	return al.New.View.Error == nil && i > 0 && units.Text(ua[:i]) == units.Text(torn) && al.smux(b) && al.Equal(v.Init, set.Kids[1])
}

// Leaf reports whether a statement is compared as a whole.
func Leaf(s *ir.Stmt) bool {
	return s.Macro || len(s.Children()) == 0
}

// pair goes into two statements whose headers are alike.
func (al *Alignment) pair(a, b *ir.Stmt) bool {
	if al.IsBarrier(al.Texts.New, b) {
		al.Roles[b] = RoleBarrier
	}
	if al.Later[b] != nil {
		al.Roles[b] = roleTemp
		return true
	}
	if Leaf(a) != Leaf(b) {
		return al.differ(b.Range.Start, "this statement has another shape than the original's")
	}
	if Leaf(a) {
		return true
	}
	if a.Op == ir.StmtCompound || a.Op == ir.StmtCase || a.Op == ir.StmtLabel {
		return al.Lists(a, b)
	}
	kids := [][2]*ir.Stmt{{a.Init, b.Init}, {a.Body, b.Body}, {a.Else, b.Else}}
	if al.CountedLoops[b] != nil {
		kids = kids[1:]
		if in := al.CountsMore(b); in != nil {
			kids[0][1] = in.Body
		}
	}
	for _, kids := range kids {
		if (kids[0] == nil) != (kids[1] == nil) {
			return al.differ(b.Range.Start, "a branch of this statement is not the original's")
		}
		if kids[0] != nil && !al.Lists(kids[0], kids[1]) {
			return false
		}
	}
	return true
}

// Header returns the units of a statement that are not those of statements inside it, without the
// braces of its bodies.
func (al *Alignment) Header(s *units.Source, st *ir.Stmt) []units.Unit {
	if Leaf(st) {
		return s.Between(st.Outer.Start, st.Outer.End)
	}
	var out []units.Unit
	at := st.Outer.Start
	if st.Op == ir.StmtCompound {
		return braces(s, st)
	}
	for _, c := range Branches(st) {
		out = append(out, s.Between(at, c.Outer.Start)...)
		if c.Op == ir.StmtCompound && !st.Preproc {
			for _, u := range braces(s, c) {
				if u.Text != "{" && u.Text != "}" {
					out = append(out, u)
				}
			}
		}
		at = c.Outer.End
	}
	return append(out, s.Between(at, st.Outer.End)...)
}

// Branches are the statements inside one, in the order of the text: of #if those of its branches.
func Branches(s *ir.Stmt) []*ir.Stmt {
	if !s.Preproc {
		return s.Children()
	}
	var out []*ir.Stmt
	for _, b := range []*ir.Stmt{s.Body, s.Else} {
		switch {
		case b == nil || b.Op == ir.StmtEmpty:
		case b.Op == ir.StmtCompound && b.NoScope:
			out = append(out, b.List...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// braces returns the units of a compound statement that belong to none of the statements in it.
func braces(s *units.Source, st *ir.Stmt) (out []units.Unit) {
	at := st.Range.Start
	for _, c := range Statements(st) {
		if c.Outer.Start >= at {
			out = append(out, s.Between(at, c.Outer.Start)...)
		}
		at = max(at, c.Outer.End)
	}
	return append(out, s.Between(at, st.Range.End)...)
}
