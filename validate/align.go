package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// alignment is one function of the new text laid beside the one of the old text that it was: which
// statement is which, and what the others are for.
type alignment struct {
	c    *comparison
	k    *Kernel
	obj  *object // of the function, or that it is given
	a, b *ir.Func

	roles     map[*ir.Stmt]role
	groups    *ir.Stmt              // the loop of a block that stays
	temps     map[string]*temp      // by name
	splits    map[string]*parted    // by the name of the array
	later     map[*ir.Stmt]*later   // by the statement that puts a value aside
	counted   map[*ir.Stmt]*ir.Stmt // loops that count their iterations, with the original's
	inRows    map[*ir.Expr]*parted  // elements of parts of arrays that must have them
	torn      map[*ir.Var][]unit    // declarations that stand before what sets the variable: "float x"
	where     map[*ir.Stmt]spot
	begin     []*ir.Stmt        // loops over turns that begin with a barrier
	end       []*ir.Stmt        // and that end with one
	steps     []*ir.Stmt        // and those of steps
	afterStep bool              // a barrier is looked for behind a turn in steps
	kept      map[*ir.Stmt]bool // barriers of turns that the original has, too
	dropped   []droppedBarrier
	moved     []movedStmt
}

// droppedBarrier is a barrier of the original that stands nowhere in the new text: one that another before
// or behind it makes needless.
type droppedBarrier struct {
	list []*ir.Stmt // of the new text
	at   int        // index in list of the first statement behind the place
	in   *ir.Stmt   // the statement whose list it is
}

// spot is where a statement of the new text stands.
type spot struct {
	list []*ir.Stmt
	nth  int
}

// movedStmt is a statement that stands earlier in the new text than in the old one.
type movedStmt struct {
	stmt   *ir.Stmt
	passed []*ir.Stmt // statements of the old text that it passed
}

func newAlignment(c *comparison, k *Kernel, a, b *ir.Func) *alignment {
	return &alignment{c: c, k: k, obj: unmerged(), a: a, b: b, roles: map[*ir.Stmt]role{}, temps: map[string]*temp{}, torn: map[*ir.Var][]unit{}, kept: map[*ir.Stmt]bool{},
		where: map[*ir.Stmt]spot{}, later: map[*ir.Stmt]*later{}, counted: map[*ir.Stmt]*ir.Stmt{},
		splits: map[string]*parted{}, inRows: map[*ir.Expr]*parted{}}
}

// original is the alignment with the original's function in place of the new one.
func (al *alignment) original() *alignment {
	out := *al
	out.b = al.a
	return &out
}

// align lays two functions side by side. Every unit of both bodies is compared, or belongs to a
// statement of smux's.
func (c *comparison) align(k *Kernel, obj *object, a, b *parser.Function) *alignment {
	al := newAlignment(c, k, c.namesA.lower(c.a.file, a), c.namesB.lower(c.b.file, b))
	al.obj = obj
	for _, p := range al.b.Problems {
		k.doubt(Erasure, c.b.file, p.Range.Start, "this can't be read: %s", p.Text)
	}
	al.findCopies(c.b.between(int(b.Body.Start), int(b.Body.End)))
	if len(al.b.Problems) == 0 && al.lists(al.a.Body, al.b.Body) {
		al.bound()
	}
	return al
}

// bound refuses the name of a variable outside of what it is declared in: there it would mean something else, where it
// means anything. threadIdx and its like mean what CUDA gives then (builtins.go).
func (al *alignment) bound() {
	own := map[string]bool{}
	for _, v := range al.b.Vars {
		own[v.Name] = !slices.Contains([]string{"threadIdx", "blockIdx", "blockDim", "gridDim"}, v.Name)
	}
	al.b.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && own[e.Name] && e.Qual == "" && (e.Var == nil || e.Var.Kind == ir.VarGlobal || e.Var.Kind == ir.VarConstant) {
			al.differ(e.Range.Start, "%s is not declared here, or further on", e.Name)
			return false
		}
		return true
	})
}

// differ notes where the new text is not the old one.
func (al *alignment) differ(at int, format string, args ...any) bool {
	al.k.doubt(Erasure, al.c.b.file, at, format, args...)
	return false
}

// statements returns what a body holds: those of a compound statement, or the one statement itself.
// Statements of one macro use are one: its text is compared.
func statements(s *ir.Stmt) (out []*ir.Stmt) {
	list := []*ir.Stmt{s}
	if s.Op == ir.StmtCompound || s.Op == ir.StmtCase || s.Op == ir.StmtLabel {
		list = s.List
	}
	for _, t := range list {
		switch {
		case t.Op == ir.StmtCompound && t.NoScope && !t.Macro:
			out = append(out, statements(t)...)
		case t.Macro && len(out) > 0 && out[len(out)-1].Macro && out[len(out)-1].Range == t.Range:
		default:
			out = append(out, t)
		}
	}
	return out
}

// only returns the one statement that a body holds, nil where there are several or none.
func only(s *ir.Stmt) *ir.Stmt {
	if list := statements(s); len(list) == 1 {
		return list[0]
	}
	return nil
}

// lists lays two lists of statements side by side. Where the two part, a barrier of the original may
// have been dropped, or a later statement of the original may have moved up.
func (al *alignment) lists(pa, pb *ir.Stmt) bool {
	as, bs := statements(pa), al.flat(statements(pb))
	if !slices.ContainsFunc(as, func(s *ir.Stmt) bool { return s.Op == ir.StmtCompound }) {
		for j := len(bs) - 1; j >= 0; j-- {
			if b := bs[j]; b.Op == ir.StmtCompound && len(b.List) == 1 && al.obj.isMine(al.c, b.List[0]) {
				bs = slices.Concat(bs[:j], al.flat(b.List), bs[j+1:]) // the braces are smux's
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
		if al.groups != nil && !bs[j].Inside(al.groups) {
			return al.differ(bs[j].Range.Start, "this stands outside of the loop over v-TBs, and is done once for all of them")
		}
		al.where[bs[j]] = spot{bs, j}
		if r := al.roles[bs[j]]; r == roleTurnEnd || r == roleTurnBegin {
			if i < len(as) && al.isBarrier(al.c.a, as[i]) {
				al.kept[bs[j]] = true
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
		if al.obj != nil && i < len(as) && al.waits(as[i], bs, j) {
			i++
			continue
		}
		if i < len(as) && al.allPrivate(as[i]) {
			i++
			continue
		}
		if i < len(as) && al.isBarrier(al.c.a, as[i]) {
			al.dropped = append(al.dropped, droppedBarrier{bs, j, pb})
			i++
			continue
		}
		if al.isBarrier(al.c.b, bs[j]) {
			al.roles[bs[j]] = roleAdded
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
			al.moved = append(al.moved, movedStmt{bs[j], passed})
			j++
			continue
		}
		return al.differ(bs[j].Range.Start, "this is not what the original has here: %s", al.c.excerpt(as, i))
	}
	for ; i < len(as); i++ {
		if done[i] {
			continue
		}
		if al.isBarrier(al.c.a, as[i]) {
			al.dropped = append(al.dropped, droppedBarrier{bs, len(bs), pb})
			continue
		}
		at := pb.Range.End - 1
		return al.differ(at, "the original goes on here: %s", al.c.excerpt(as, i))
	}
	return true
}

// flat replaces the loops over turns, and what a v-TB does in its turn or ahead of it, by what is in them, in the order
// in which a thread comes by. Each turn begins or ends with a barrier, which the original may have or not.
func (al *alignment) flat(list []*ir.Stmt) (out []*ir.Stmt) {
	for _, s := range list {
		switch {
		case al.obj.isTurns(al.c, s):
			al.roles[s] = roleTurns
			out = append(out, al.flat(al.turns(s))...)
		case al.groups == nil && al.obj.isGroups(al.c, s), al.groups == s:
			al.roles[s], al.groups = roleGroups, s
			out = append(out, al.flat(statements(s.Body))...)
		case al.isCall(s):
			out = append(out, al.flat(s.List)...)
		case al.obj.isMine(al.c, s):
			al.roles[s] = roleMine
			out = append(out, al.flat(statements(s.Body))...)
		case al.obj.isLead(al.c, s):
			al.roles[s] = roleLead
			out = append(out, al.flat(statements(s.Body))...)
		default:
			out = append(out, s)
		}
	}
	return out
}

// isCall recognises "{ const auto smux_r1 = f(vtb.id == turn, x); if (vtb.id == turn) y = smux_r1; }".
func (al *alignment) isCall(s *ir.Stmt) bool {
	return s.Op == ir.StmtCompound && al.obj.inBlockMode() && len(s.List) == 2 && s.List[0].Op == ir.StmtDecl && len(s.List[0].Vars) == 1 && isResult(s.List[0].Vars[0].Name)
}

// turns returns what is in a loop over turns. In steps, what is ahead of a turn comes before the barrier that the next
// step begins with; in the first step nobody has a turn, and in the last one nobody is ahead.
func (al *alignment) turns(s *ir.Stmt) []*ir.Stmt {
	body := statements(s.Body)
	n := len(body) - 1
	if n >= 0 && al.isBarrier(al.c.b, body[0]) {
		al.roles[body[0]] = roleTurnBegin
		al.begin = append(al.begin, s)
	}
	if n > 0 && al.isBarrier(al.c.b, body[n]) {
		al.roles[body[n]] = roleTurnEnd
		al.end = append(al.end, s)
	}
	if !al.obj.isSteps(al.c, s) {
		return body
	}
	skip := slices.IndexFunc(body, func(t *ir.Stmt) bool { return is(al.c.unitsOf(t), "if ( "+al.obj.step+" = = 0 ) continue ;") })
	if n < 1 || skip < 1 || !al.obj.guards(al.c, body[0], al.obj.step+" > 0") || !al.isBarrier(al.c.b, body[0].Body) {
		al.differ(s.Range.Start, "these are not steps of which each begins with a barrier")
		return body
	}
	al.begin, al.steps = append(al.begin, s), append(al.steps, s)
	al.roles[body[0]], al.roles[body[0].Body], al.roles[body[skip]] = roleTurnBegin, roleTurnBegin, roleSkip
	for i, t := range body {
		if lead := al.obj.isLead(al.c, t); i > 0 && i != skip && lead != (i < skip) {
			al.differ(t.Range.Start, "this is not in the step in which it would be")
		}
	}
	return slices.Concat(body[1:skip], body[:1], body[skip+1:])
}

// own recognises statements of smux's at the head of a list, and returns how many they are.
func (al *alignment) own(bs []*ir.Stmt, j int) int {
	us := al.c.unitsOf(bs[j])
	if r := al.obj.roleOf(us); r != rolePlain {
		al.roles[bs[j]] = r
		return 1
	}
	if o := parseObject(us); o != nil && o.at == al.obj.at {
		al.roles[bs[j]] = roleErased
		return 1
	}
	if al.temp(bs, j) || al.private(bs[j]) {
		return 1
	}
	if al.puts(bs[j]) {
		al.roles[bs[j]] = roleTemp
		return 1
	}
	return al.copyOf(bs, j)
}

// movedUp returns the index of the later statement of the original that b is, 0 if there is none.
func (al *alignment) movedUp(as []*ir.Stmt, done []bool, i int, b *ir.Stmt) int {
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
func (al *alignment) alike(a, b *ir.Stmt) bool {
	if a.Op == ir.StmtExpr && b.Op == ir.StmtExpr && al.isBarrier(al.c.a, a) && al.isBarrier(al.c.b, b) {
		return true
	}
	if a.Op == ir.StmtReturn && a.Expr == nil && b.Op == ir.StmtContinue && al.groups != nil && b.JumpTarget() == al.groups {
		return true
	}
	if a.Op != b.Op && !(a.Macro && b.Macro) {
		return al.alikeTorn(a, b) || al.alikeLater(a, b) || al.alikeParted(a, b)
	}
	ua, ub := rolled(al.header(al.c.a, a)), rolled(al.header(al.c.b, b))
	return same(al.spell(al.c.a, al.a, ua), al.spell(al.c.b, al.b, al.erase(ub))) || al.alikeTrees(a, b) || al.alikeSplit(a, b) || al.alikeLater(a, b) || al.alikeCounted(a, b)
}

// tear recognises a declaration without a value, of a variable that the original declares with one further on.
// Its name means nothing else in either function, or that is what comes next; and a number has no more to it than its
// value.
func (al *alignment) tear(as []*ir.Stmt, i int, bs []*ir.Stmt, j int) bool {
	b := bs[j]
	if b.Op != ir.StmtDecl || len(b.Vars) != 1 || b.Vars[0].Init != nil || i < len(as) && al.alike(as[i], b) {
		return false
	}
	v := b.Vars[0]
	if v.Kind != ir.VarLocal || v.Static || len(v.Dims) > 0 || v.Type.Ref || v.Type.Ptr == 0 && !plainValue(v.Type.Base) {
		return false
	}
	us := al.c.unitsOf(b)
	al.torn[v] = us[:len(us)-1]
	if !al.alone(v.Name) && !(i < len(as) && j+1 < len(bs) && al.alikeTorn(as[i], bs[j+1])) {
		delete(al.torn, v)
		return false
	}
	al.roles[b] = roleErased
	return true
}

// alone reports whether a name means one variable in each of both functions, and nothing else.
func (al *alignment) alone(name string) bool {
	for _, fn := range []*ir.Func{al.a, al.b} {
		var all []*ir.Var
		for _, w := range append(slices.Clone(fn.Vars), fn.Params...) {
			if w.Name == name {
				all = append(all, w)
			}
		}
		if len(all) != 1 || fn.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == name && e.Var != all[0] }) {
			return false
		}
	}
	return true
}

// alikeTorn reports whether a declaration of the original is one that was torn off, and what sets its variable.
func (al *alignment) alikeTorn(a, b *ir.Stmt) bool {
	if a.Op != ir.StmtDecl || b.Op != ir.StmtExpr || len(a.Vars) != 1 || b.Expr.Op != ir.OpAssign || b.Expr.Tok != "=" {
		return false
	}
	set, v := b.Expr, a.Vars[0]
	torn := al.torn[set.Kids[0].Var]
	ua, ub := al.header(al.c.a, a), al.header(al.c.b, b)
	if torn == nil || set.Kids[0].Name != v.Name || len(ub) == 0 || ub[0].text != v.Name {
		return false
	}
	if len(ua) > 0 && ua[0].text == "const" {
		ua = ua[1:]
	}
	if kept := plainName(set.Kids[0].Var.Type.Base); len(ua) > 0 && ua[0].text == "auto" && kept != "" && set.Kids[0].Var.Type.Ptr == 0 && al.typeOf(set.Kids[1]) == kept {
		ua = append(slices.Clone(torn[:len(torn)-1]), ua[1:]...) // what auto says
	}
	whole := append(slices.Clone(torn), al.erase(ub)[1:]...)
	if same(al.spell(al.c.a, al.a, ua), al.spell(al.c.b, al.b, whole)) {
		return true
	}
	i := indexOf(ua, "=")
	return al.b.View.Error == nil && i > 0 && text(ua[:i]) == text(torn) && al.smux(b) && al.equal(v.Init, set.Kids[1])
}

// leaf reports whether a statement is compared as a whole.
func leaf(s *ir.Stmt) bool {
	return s.Macro || len(s.Children()) == 0
}

// pair goes into two statements whose headers are alike.
func (al *alignment) pair(a, b *ir.Stmt) bool {
	if al.isBarrier(al.c.b, b) {
		al.roles[b] = roleBarrier
	}
	if al.later[b] != nil {
		al.roles[b] = roleTemp
		return true
	}
	if leaf(a) != leaf(b) {
		return al.differ(b.Range.Start, "this statement has another shape than the original's")
	}
	if leaf(a) {
		return true
	}
	if a.Op == ir.StmtCompound || a.Op == ir.StmtCase || a.Op == ir.StmtLabel {
		return al.lists(a, b)
	}
	kids := [][2]*ir.Stmt{{a.Init, b.Init}, {a.Body, b.Body}, {a.Else, b.Else}}
	if al.counted[b] != nil {
		kids = kids[1:]
		if in := al.countsMore(b); in != nil {
			kids[0][1] = in.Body
		}
	}
	for _, kids := range kids {
		if (kids[0] == nil) != (kids[1] == nil) {
			return al.differ(b.Range.Start, "a branch of this statement is not the original's")
		}
		if kids[0] != nil && !al.lists(kids[0], kids[1]) {
			return false
		}
	}
	return true
}

// header returns the units of a statement that are not those of statements inside it, without the
// braces of its bodies.
func (al *alignment) header(s *source, st *ir.Stmt) []unit {
	if leaf(st) {
		return s.between(st.Outer.Start, st.Outer.End)
	}
	var out []unit
	at := st.Outer.Start
	if st.Op == ir.StmtCompound {
		return braces(s, st)
	}
	for _, c := range branches(st) {
		out = append(out, s.between(at, c.Outer.Start)...)
		if c.Op == ir.StmtCompound && !st.Preproc {
			for _, u := range braces(s, c) {
				if u.text != "{" && u.text != "}" {
					out = append(out, u)
				}
			}
		}
		at = c.Outer.End
	}
	return append(out, s.between(at, st.Outer.End)...)
}

// branches are the statements inside one, in the order of the text: of #if those of its branches.
func branches(s *ir.Stmt) []*ir.Stmt {
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
func braces(s *source, st *ir.Stmt) (out []unit) {
	at := st.Range.Start
	for _, c := range statements(st) {
		if c.Outer.Start >= at {
			out = append(out, s.between(at, c.Outer.Start)...)
		}
		at = max(at, c.Outer.End)
	}
	return append(out, s.between(at, st.Range.End)...)
}
