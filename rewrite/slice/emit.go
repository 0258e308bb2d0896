package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// slicer writes the rounds of a kernel's exchanges. The last round is the exchange as it stands, with its accesses
// changed; those before it stand in front and hold what they need of it.
type slicer struct {
	*sliceProof
	kit.Emitter
	round, rows string               // names of what forms are passed
	waits       map[*sliceUse]string // the registers in which values wait
	first       bool                 // the round that is written is an exchange's first
	types       map[*ir.Stmt]bool    // declarations of types that the round that is written repeats
	calls       []kit.CallSite
}

// Apply writes the rounds, and the forms of device functions.
func (p *sliceProof) Apply() *kit.Edits {
	w := &slicer{sliceProof: p, Emitter: kit.NewEmitter(p.Kernel), waits: map[*sliceUse]string{}}
	w.round = w.Fresh(map[bool]string{true: "smux_round", false: "smux_part"}[p.byWindow()])
	if p.byWindow() {
		w.rows = w.Fresh("smux_rows")
	}
	w.FindNames()
	if p.union != nil {
		w.declareUnion()
	} else {
		for _, a := range p.arrays {
			if p.holder(a.Shared) == p.Kernel.Func {
				w.declare(a)
			}
		}
	}
	for _, x := range p.exchanges {
		if x.fn == p.Kernel.Func {
			w.exchange(x)
		}
	}
	var clones []*kit.Clone
	for _, fn := range p.Functions() {
		if p.exchangesIn(fn) {
			clones = append(clones, w.emitInside(p.inside[fn]))
		} else {
			clones = append(clones, w.formFor(p.forms[fn]))
		}
	}
	w.AtTop(w.Checks(&p.Findings))
	return &kit.Edits{Files: w.Edits, Clones: clones, Calls: w.calls, Includes: w.Includes}
}

// declare changes the declaration of an array.
func (w *slicer) declare(a *slicedArray) {
	b := w.Buffer(a.Var.File)
	rows := a.window
	for _, g := range a.groups {
		rows = max(rows, g.rows)
	}
	if rows > 0 {
		d := a.Var.Dims[0].Range
		b.Replace(d.Start, d.End, kit.Number(rows))
		return
	}
	at := typeWord(a.Shared)
	b.Replace(at, at+len(a.Type), a.parts[0].Type)
}

// exchange writes the rounds of an exchange.
func (w *slicer) exchange(x *exchange) {
	f := x.fn.File
	first := x.stmts[0]
	var lines []string
	for _, u := range x.uses {
		if _, waits := x.check.staged[u]; waits && (!w.byComponent() || u.part != w.Rounds-1) {
			lines = append(lines, w.waiting(x, u))
		}
		if u.decl != nil && x.check.isDirect(u) {
			lines = append(lines, w.typeOf(u.array)+" "+u.decl.Name+";")
		}
	}
	for _, s := range x.stmts {
		if x.check.inFront[s] {
			whole := ir.Range{Start: s.Range.Start, End: kit.StmtEnd(f, s)}
			lines = append(lines, linesOf(f, whole, kit.Text(f, whole))...)
			w.drop(f, s)
		}
	}
	if x.ahead {
		lines = append(lines, "__syncthreads();")
	}
	rounds := x.rounds(w.Rounds)
	for i, r := range rounds[:len(rounds)-1] {
		w.first = i == 0
		w.findTypes(x, r)
		body := w.copies(x.stmts, x, r)
		if !w.own {
			body = append(body, x.Meet())
		}
		lines = append(lines, fmt.Sprintf("%s round %d of %d, of %s.", sliceMark, i+1, len(rounds), w.roundText(x, r)))
		if w.opensScope(x.stmts, x, r) {
			lines = append(append(append(lines, "{"), indented(body)...), "}")
		} else {
			lines = append(lines, body...)
		}
	}
	w.InsertBefore(f, first.Outer.Start, lines...)
	for _, u := range x.uses {
		w.last(x, u)
	}
	if w.byArray() {
		w.dropArray(x)
	}
	w.unroll(x)
}

// typeOf is the element type of an array before it is sliced, as expressions name it.
func (w *slicer) typeOf(a *slicedArray) string { return strings.TrimPrefix(a.Type, "struct ") }

// roundText says what a round is of.
func (w *slicer) roundText(x *exchange, r int) string {
	var out []string
	for _, a := range w.arrays {
		if !slices.ContainsFunc(x.uses, func(u *sliceUse) bool { return u.array == a }) {
			continue
		}
		switch {
		case w.byArray() && (a.groups != nil || a.turn == r):
			out = append(out, a.rowsText(r))
		case w.byArray():
		case a.window > 0:
			out = append(out, fmt.Sprintf("%s[%d] to [%d]", a.Name, r*a.window, (r+1)*a.window-1))
		default:
			out = append(out, a.Name+"."+a.parts[r].Name)
		}
	}
	return diag.AndList(out)
}

// isDirect reports whether a read is assigned in its round to what it is assigned to.
func (x *roundsCheck) isDirect(u *sliceUse) bool {
	_, waits := x.staged[u]
	return u.call == nil && u.store == nil && !waits && (!x.p.byArray() || x.direct[u])
}

// keeps reports whether a round before the last one repeats a statement.
func (x *roundsCheck) keeps(s *ir.Stmt, round int) bool {
	return !x.inFront[s] && (x.kept[s] || x.keptIn[round][s])
}

// moves reports whether a statement runs in a round before the last one, by array.
func (x *roundsCheck) moves(s *ir.Stmt, round int) bool {
	t := x.unitOf(s)
	return x.p.byArray() && round < x.last && t != nil && t.rooted() && t.home == round
}

// rounds are those of an exchange of which it has uses.
func (x *exchange) rounds(all int) (out []int) {
	for r := range all {
		if slices.ContainsFunc(x.uses, func(u *sliceUse) bool { return u.round() == r || u.round() < 0 }) {
			out = append(out, r)
		}
	}
	return out
}

// condition is that an access is of a round, by window.
func (w *slicer) condition(f *parser.File, u *sliceUse, r int) string {
	index := u.index()
	t := kit.Operand(f, index, kit.Text(f, index.Range))
	n := u.array.window
	switch {
	case r == 0:
		return fmt.Sprintf("%s < %d", t, n)
	case r == w.Rounds-1:
		return fmt.Sprintf("%s >= %d", t, r*n)
	}
	return fmt.Sprintf("%s / %d == %d", factor(f, index), n, r)
}

// factor is the text of an expression as an operand of /.
func factor(f *parser.File, e *ir.Expr) string {
	t := kit.Text(f, e.Range)
	if e.Op == ir.OpIdent || e.Op == ir.OpMember || e.Op == ir.OpInt && !e.Macro {
		return t
	}
	return "(" + t + ")"
}

// element is the text of an access in a round: by window the first subscript counts from
// the round's first row, by component nothing is left of the component's name.
func (w *slicer) element(u *sliceUse, r int) string {
	f := u.fn.File
	if !w.byWindow() {
		return kit.Text(f, u.elem.Range)
	}
	if r == 0 {
		return kit.Text(f, u.whole.Range)
	}
	return editedText(f, u.whole.Range, w.moved(f, u, kit.Number(r*u.array.window)))
}

// moved is the edit that moves the first subscript of an access.
func (w *slicer) moved(f *parser.File, u *sliceUse, by string) edit.Edit {
	index := u.index()
	r := index.Range
	return edit.Edit{Start: r.Start, End: r.End, New: kit.Operand(f, index, kit.Text(f, r)) + " - " + by}
}

// editedText is a range of a file with edits made. That these don't fit is a defect.
func editedText(f *parser.File, r ir.Range, edits ...edit.Edit) string {
	out, err := edit.ApplyRange(f.Src, edits, r.Start, r.End)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// valueText returns the text of the value that an assignment stores.
func valueText(f *parser.File, store *ir.Expr) string {
	r := valueRange(f, store)
	return strings.TrimSpace(kit.Text(f, r))
}

// valueRange returns the range of the value of an assignment, its parentheses included.
func valueRange(f *parser.File, store *ir.Expr) ir.Range {
	from := store.Kids[0].Range.End
	return ir.Range{Start: from + kit.TopLevelEquals(kit.Text(f, ir.Range{Start: from, End: store.Range.End})) + 1, End: store.Range.End}
}

// early writes what a round before the last one does for a use.
func (w *slicer) early(x *exchange, u *sliceUse, r int) []string {
	f := u.fn.File
	if u.call != nil {
		at := u.name.Range.Start
		return []string{editedText(f, u.call.Range, edit.Edit{Start: at, End: at, New: w.argument(u, r)}) + ";"}
	}
	if w.byArray() {
		return []string{w.earlyArray(x, u)}
	}
	_, waits := x.check.staged[u]
	elem := w.element(u, r)
	if w.byWindow() {
		line := ""
		switch {
		case u.store != nil:
			line = elem + " = " + valueText(f, u.store) + ";"
		case waits:
			line = w.slot(x, u) + " = " + elem + ";"
		case u.decl != nil:
			line = u.decl.Name + " = " + elem + ";"
		default:
			line = kit.Text(f, u.into.Range) + " = " + elem + ";"
		}
		return []string{"if (" + w.condition(f, u, r) + ") " + line}
	}
	part := "." + u.array.parts[r].Name
	switch {
	case u.part >= 0 && u.part != r:
		return nil
	case u.part >= 0 && u.store != nil:
		return []string{elem + " = " + valueText(f, u.store) + ";"}
	case u.part >= 0:
		return []string{w.slot(x, u) + " = " + elem + ";"}
	case u.store != nil && waits:
		line := elem + " = " + w.slot(x, u) + part + ";"
		if r == 0 {
			return []string{w.slot(x, u) + " = " + valueText(f, u.store) + ";", line}
		}
		return []string{line}
	case u.store != nil:
		return []string{elem + " = " + kit.Text(f, u.store.Kids[1].Range) + part + ";"}
	case waits:
		return []string{w.slot(x, u) + part + " = " + elem + ";"}
	case u.decl != nil:
		return []string{u.decl.Name + part + " = " + elem + ";"}
	}
	return []string{kit.Text(f, u.into.Range) + part + " = " + elem + ";"}
}

// argument returns the argument that tells a form of a round.
func (w *slicer) argument(u *sliceUse, r int) string {
	if w.byWindow() {
		return fmt.Sprintf("%d, %d, ", r, u.array.window)
	}
	return fmt.Sprintf("%d, ", r)
}

// last makes of an access that of the last round.
func (w *slicer) last(x *exchange, u *sliceUse) {
	f, b := u.fn.File, w.Buffer(u.fn.File)
	r := w.Rounds - 1
	if u.call != nil {
		b.Insert(u.name.Range.Start, w.argument(u, r))
		w.calls = append(w.calls, kit.CallSite{At: u.call.Range.Start, Fn: u.fn, Form: w.formKey(u.form)})
		return
	}
	switch w.By {
	case variant.ByWindow:
		w.lastWindow(x, u)
		return
	case variant.ByArray:
		w.lastArray(x, u)
		return
	}
	_, waits := x.check.staged[u]
	part := "." + u.array.parts[r].Name
	switch {
	case u.part == r:
		b.Replace(u.elem.Range.End, u.whole.Range.End, "")
	case u.part >= 0 && u.store != nil:
		w.drop(f, u.stmt)
	case u.part >= 0:
		b.Replace(u.whole.Range.Start, u.whole.Range.End, w.slot(x, u))
	case u.store != nil && waits:
		v := valueRange(f, u.store)
		b.Replace(v.Start, v.End, " "+w.slot(x, u)+part)
	case u.store != nil:
		b.Insert(u.store.Kids[1].Range.End, part)
	case waits:
		var parts []string
		for _, m := range u.array.parts[:r] {
			parts = append(parts, w.slot(x, u)+"."+m.Name)
		}
		b.Insert(u.elem.Range.Start, w.typeOf(u.array)+"{"+strings.Join(parts, ", ")+", ")
		b.Insert(u.elem.Range.End, "}")
	case u.decl != nil:
		b.Replace(u.stmt.Range.Start, u.decl.Range.Start+len(u.decl.Name), u.decl.Name+part)
	default:
		b.Insert(u.into.Range.End, part)
	}
}

// drop takes a statement out of the last round, with its line where it has one.
func (w *slicer) drop(f *parser.File, s *ir.Stmt) {
	b := w.Buffer(f)
	start, end := s.Outer.Start, kit.StmtEnd(f, s)
	next := kit.NextLine(f, end)
	rest := strings.TrimSpace(string(f.Src[end:next]))
	switch {
	case s.Parent.Op != ir.StmtCompound:
		b.Replace(start, end, ";")
	case kit.FirstOnLine(f, start) && (rest == "" || strings.HasPrefix(rest, "//") && !strings.HasSuffix(rest, "\\")):
		b.Replace(kit.LineStart(f, start), next, "")
	default:
		b.Replace(start, end, "")
	}
}

// lastWindow makes of an access that of the last window.
func (w *slicer) lastWindow(x *exchange, u *sliceUse) {
	f, b := u.fn.File, w.Buffer(u.fn.File)
	r := w.Rounds - 1
	move := w.moved(f, u, kit.Number(r*u.array.window))
	if _, waits := x.check.staged[u]; waits {
		b.Insert(u.whole.Range.Start, "("+w.condition(f, u, r)+" ? ")
		b.Replace(move.Start, move.End, move.New)
		b.Insert(u.whole.Range.End, " : "+w.slot(x, u)+")")
		return
	}
	open, closing := "if ("+w.condition(f, u, r)+") ", ""
	if u.stmt.Parent.Op != ir.StmtCompound {
		open, closing = "{ "+open, " }"
	}
	if u.decl != nil {
		b.Replace(u.stmt.Range.Start, u.decl.Range.Start+len(u.decl.Name), open+u.decl.Name)
	} else {
		b.Insert(u.stmt.Range.Start, open)
	}
	b.Replace(move.Start, move.End, move.New)
	if closing != "" {
		b.Insert(kit.StmtEnd(f, u.stmt), closing)
	}
}
