package coarsen

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// writer writes a coarsened kernel from its proof.
type writer struct {
	*proof
	kit.Emitter
	file *parser.File

	extent string // of the original grid, or block, along the axis
	factor string // the constant
	copy   string // the number of a copy
	block  string // blockIdx, or threadIdx, of each copy along the axis
	there  string // the condition that there is a copy
	on     string // the copies that still run, "" as long as all do

	given map[*ir.Var]string // the arrays that stand for parameters
}

// Apply writes the coarsened kernel.
func (p *proof) Apply() *kit.Edits {
	w := &writer{proof: p, Emitter: kit.NewEmitter(p.Kernel), file: p.Kernel.File}
	w.factor, w.copy = w.Fresh("COARSEN"), w.short("c", "u", "v", "w")
	w.extent = p.AddExtent(&w.Emitter)
	if p.ofThreads() {
		w.threads()
	} else {
		w.blocks()
	}
	checks := w.Checks(&p.Findings)
	for i, line := range checks { // of the original's blocks
		checks[i] = strings.ReplaceAll(line, p.size()+"."+p.Axis(), w.extent)
	}
	w.AtTop(checks)
	w.parameters()
	w.steps(p.steps, "")
	w.close(p.Kernel.Func.Body, p.steps)
	return w.Done()
}

// parameters declares arrays for parameters that copies change.
func (w *writer) parameters() {
	w.given = map[*ir.Var]string{}
	for _, v := range w.Kernel.Func.Params {
		if !w.arrays[v] {
			continue
		}
		w.given[v] = w.Fresh("own_" + v.Name)
		t := v.Type
		t.Const, t.Restrict = false, false
		typ := bare(t.String()+" ", t.Ptr > 0)
		w.AtTop([]string{typ + w.given[v] + "[" + w.factor + "];", unroll, fmt.Sprintf("%s %s%s = %s;", w.loop(""), w.given[v], w.index(), v.Name)})
	}
}

// bare is the type that a declaration begins with, of which values can be assigned, and a blank where one must follow.
func bare(typ string, pointer bool) string {
	words := strings.Fields(strings.ReplaceAll(typ, "*", " * "))
	if last := slices.Index(words, "*"); pointer && last >= 0 {
		for i := range words {
			if words[i] == "*" {
				last = i
			}
		}
		return strings.ReplaceAll(strings.Join(words[:last+1], " "), "* *", "**")
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "const" || word == "constexpr" })
	return strings.Join(words, " ") + " "
}

// short returns the first of some names that the kernel doesn't use, or a variation of the first.
func (w *writer) short(names ...string) string {
	if w.Used == nil {
		w.FindNames()
	}
	for _, name := range names {
		if !w.Used[name] {
			return w.Fresh(name)
		}
	}
	return w.Fresh(names[0])
}

// steps writes the steps of a list; guard says which copies run it, "" for all.
func (w *writer) steps(steps []step, guard string) {
	for _, s := range steps {
		switch s.kind {
		case keep:
			w.Buffer(w.file).Append(w.copies(s.stmts...))
		case declare:
			w.declare(s.stmts[0])
		case repeat:
			w.repeat(s, guard)
		case enter:
			if s.head != nil {
				w.parts(s, guard)
				continue
			}
			s.stmts[0].Exprs(func(e *ir.Expr) { w.Buffer(w.file).Append(w.copiesIn(e)) })
			if s.stmts[0].Init != nil {
				w.Buffer(w.file).Append(w.copies(s.stmts[0].Init))
			}
			w.steps(s.inside, guard)
			w.closeAll(s)
		case leave:
			w.leave(s.stmts[0], guard)
			guard = w.on
		case choose:
			w.choose(s, guard)
		}
	}
}

// declare makes arrays of a declaration's variables.
func (w *writer) declare(s *ir.Stmt) {
	for _, v := range s.Vars {
		if w.arrays[v] {
			w.Buffer(w.file).Insert(w.nameAt(v)+len(v.Name), "["+w.factor+"]")
		}
	}
}

// loop is the head of a loop over the copies that a guard names.
func (w *writer) loop(guard string) string {
	head := fmt.Sprintf("for (int %[1]s = 0; %[1]s < %[2]s; ++%[1]s)", w.copy, w.factor)
	if guard != "" {
		head += " if (" + guard + ")"
	}
	return head
}

const unroll = "#pragma unroll"

// live is the guard of what changes more than a copy's own variables.
func (w *writer) live(guard string, outside bool) string {
	if guard == "" && (outside || w.whole) {
		return w.there
	}
	return guard
}

// repeat writes a run of statements once for each copy.
func (w *writer) repeat(s step, guard string) {
	f, first, last := w.file, s.stmts[0], s.stmts[len(s.stmts)-1]
	var lines []string
	edits := w.copies(s.stmts...)
	if s.value != nil {
		to := first.Expr.Kids[0]
		name := w.Fresh(rootName(to) + "_value")
		lines = append(lines, fmt.Sprintf("%s %s[%s];", w.elementType(to), name, w.factor))
		lines = append(lines, w.hoist(&edits, guard, first, s.value.Range)...)
		at := valueRange(f, first)
		lines = append(lines, unroll, fmt.Sprintf("%s %s[%s] = %s;", w.loop(w.live(guard, false)), name, w.copy, strings.TrimSpace(w.text(at, edits))))
		edits = slices.DeleteFunc(edits, func(e edit.Edit) bool { return e.Start >= at.Start && e.End <= at.End })
		edits = append(edits, edit.Edit{Start: at.Start, End: at.End, New: fmt.Sprintf(" %s[%s]", name, w.copy)})
	}
	for i, stmt := range s.stmts {
		if i > 0 || s.value == nil {
			lines = append(lines, w.hoist(&edits, guard, stmt, stmt.Range)...)
		}
		lines = append(lines, w.declared(&edits, stmt)...)
	}
	head := w.loop(w.live(guard, s.outside))
	lines = append(lines, unroll)
	w.Buffer(f).Append(edits)
	defer w.braces(first, last)()
	alone := first.Op != ir.StmtDecl || slices.ContainsFunc(first.Vars, func(v *ir.Var) bool { return w.arrays[v] })
	if len(s.stmts) == 1 && alone && first.Outer.Start == first.Range.Start {
		w.put(f, first.Outer.Start, lines...)
		w.Buffer(f).Insert(first.Range.Start, head+" ")
		return
	}
	w.put(f, first.Outer.Start, append(lines, head+" {")...)
	if end := kit.StmtEnd(f, last); first.Parent.Op == ir.StmtCompound && w.followed(end) {
		w.Buffer(f).Insert(end, f.Newline()+w.indent(end)+"}")
	} else {
		w.InsertAfter(f, end, first.Outer.Start, "}")
	}
}

// followed reports whether more of the line stands after an offset than a comment.
func (w *writer) followed(at int) bool {
	return len(bytes.TrimSpace(w.file.Src[kit.EndOfLine(w.file, at):kit.LineEnd(w.file, at)])) > 0
}

// indent is the indentation of what stands at an offset once it has a line of its own.
func (w *writer) indent(at int) string {
	f := w.file
	before := f.Src[kit.LineStart(f, at):at]
	return kit.IndentAt(f, at) + strings.Repeat(kit.UnitOf(f.Src), max(0, bytes.Count(before, []byte("{"))-bytes.Count(before, []byte("}"))))
}

// closeAll closes the bodies that a step holds, where that stands in one line.
func (w *writer) closeAll(s step) {
	for _, body := range []*ir.Stmt{s.stmts[0], s.stmts[0].Body, s.stmts[0].Else} {
		if body != nil && body.Op == ir.StmtCompound {
			w.close(body, slices.DeleteFunc(slices.Clone(s.inside), func(in step) bool { return !in.stmts[0].Inside(body) }))
		}
	}
}

// close puts the brace that ends a body on a line of its own, where lines were put into it that stand before it.
func (w *writer) close(body *ir.Stmt, inside []step) {
	f, at := w.file, body.Range.End-1
	own := func(s step) bool { return s.kind != keep && s.kind != declare && (s.kind != enter || s.repeats()) }
	if f.Src[at] != '}' || kit.FirstOnLine(f, at) || !slices.ContainsFunc(inside, own) {
		return
	}
	blanks := at - len(bytes.TrimRight(f.Src[:at], " "))
	w.Buffer(f).Replace(at-blanks, at, f.Newline()+strings.TrimSuffix(w.indent(at), kit.UnitOf(f.Src)))
}

// put puts lines before a statement. A pragma needs a line of its own, where the statement has none, too.
func (w *writer) put(f *parser.File, at int, lines ...string) {
	if kit.FirstOnLine(f, at) {
		w.InsertBefore(f, at, lines...)
		return
	}
	indent := f.Newline() + w.indent(at)
	text := strings.Join(lines, indent) + indent
	if before := len(bytes.TrimRight(f.Src[:at], " ")); before != int(w.Kernel.View.Body.Start)+1 { // there AtTop has begun a line
		w.Buffer(f).Replace(before, at, "")
		text = indent + text
	}
	w.Buffer(f).Insert(at, text)
}

// braces opens braces around what is the body of a loop or an if by itself, and becomes several statements; end closes them.
func (w *writer) braces(first, last *ir.Stmt) (end func()) {
	if first.Parent.Op == ir.StmtCompound {
		return func() {}
	}
	f, at, head := w.file, first.Outer.Start, first.Parent.Range.Start
	switch {
	case kit.BodyOnLines(f, first):
		w.Buffer(f).Insert(kit.LineBreakBefore(f.Src, at), " {")
	case kit.FirstOnLine(f, at): // after a comment
		w.Buffer(f).Insert(kit.LineStart(f, at), kit.IndentAt(f, head)+"{"+f.Newline())
	default:
		w.Buffer(f).Insert(at, " {")
	}
	return func() { w.InsertAfter(f, kit.StmtEnd(f, last), head, "}") }
}

// declared returns declarations of a statement's variables as arrays, and makes assignments of their initialisers.
func (w *writer) declared(edits *[]edit.Edit, s *ir.Stmt) (lines []string) {
	if s.Op != ir.StmtDecl || !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return w.arrays[v] }) {
		return nil
	}
	f, first := w.file, s.Vars[0]
	typ := kit.Text(f, ir.Range{Start: s.Range.Start, End: w.nameAt(first)})
	spec := bare(typ, first.Type.Ptr > 0)
	var names, once, each []string
	for _, v := range s.Vars {
		if !w.arrays[v] {
			once = append(once, w.text(v.Range, *edits))
			continue
		}
		after := ir.Range{Start: w.nameAt(v) + len(v.Name), End: v.Range.End}
		if v.Init != nil {
			names = append(names, v.Name+"["+w.factor+"]")
			each = append(each, v.Name+w.index()+w.text(after, *edits))
		} else {
			names = append(names, v.Name+"["+w.factor+"]"+kit.Text(f, after))
		}
	}
	*edits = slices.DeleteFunc(*edits, func(e edit.Edit) bool { return e.Start >= s.Range.Start && e.End <= s.Range.End })
	*edits = append(*edits, edit.Edit{Start: s.Range.Start, End: s.Vars[len(s.Vars)-1].Range.End, New: strings.Join(each, ", ")})
	if len(once) > 0 {
		lines = append(lines, typ+strings.Join(once, ", ")+";")
	}
	return append(lines, spec+strings.Join(names, ", ")+";")
}

// index is the subscript of a copy.
func (w *writer) index() string { return "[" + w.copy + "]" }

// leave writes a guard at which copies return: the thread does once all have.
func (w *writer) leave(s *ir.Stmt, guard string) {
	first := w.on == ""
	if first {
		w.on = w.Fresh("on")
	}
	lines, cond := w.those(w.on, first, s, guard, true)
	b := w.Buffer(w.file)
	w.put(w.file, s.Outer.Start, lines...)
	b.Replace(s.Cond.Range.Start, s.Cond.Range.End, "!"+cond)
	w.on = strings.TrimSuffix(w.on, w.index()) + w.index()
}

// those declares which copies a condition holds for, and returns the name of whether it does for any.
func (w *writer) those(name string, made bool, s *ir.Stmt, guard string, negated bool) (lines []string, some string) {
	name = strings.TrimSuffix(name, w.index())
	some = w.Fresh("any_" + name)
	cond := w.text(s.Cond.Range, w.copiesIn(s.Cond))
	switch {
	case negated && w.Says(mark) && s.Cond.Op == ir.OpUnary && s.Cond.Kids[0].Op == ir.OpIdent: // made by the step before
		cond = strings.TrimPrefix(cond, "!")
	case negated:
		cond = "!(" + cond + ")"
	case s.Cond.Op == ir.OpBinary && s.Cond.Tok == "||" || s.Cond.Op == ir.OpCond || s.Cond.Op == ir.OpAssign || s.Cond.Op == ir.OpComma:
		cond = "(" + cond + ")"
	}
	guard = cmp.Or(guard, w.there)
	if made {
		lines = append(lines, fmt.Sprintf("bool %s[%s], %s = false;", name, w.factor, some))
	} else {
		lines = append(lines, fmt.Sprintf("bool %s = false;", some))
	}
	return append(lines, unroll, fmt.Sprintf("%s %s |= %s[%s] = %s && %s;", w.loop(""), some, name, w.copy, guard, cond)), some
}

// choose writes an if that holds for some copies.
func (w *writer) choose(s step, guard string) {
	stmt := s.stmts[0]
	name := w.short("in", "holds")
	lines, some := w.those(name, true, stmt, guard, false)
	defer w.braces(stmt, stmt)()
	w.put(w.file, stmt.Outer.Start, lines...)
	w.Buffer(w.file).Replace(stmt.Cond.Range.Start, stmt.Cond.Range.End, some)
	w.steps(s.inside, name+w.index())
	w.closeAll(s)
}

// text is the text of a range with edits inside of it.
func (w *writer) text(r ir.Range, edits []edit.Edit) string {
	inside := slices.DeleteFunc(slices.Clone(edits), func(e edit.Edit) bool { return e.Start < r.Start || e.End > r.End })
	out, err := edit.ApplyRange(w.file.Src, inside, r.Start, r.End)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// copies are the edits that make statements those of a copy.
func (w *writer) copies(stmts ...*ir.Stmt) (out []edit.Edit) {
	for _, s := range stmts {
		for t := range s.All() {
			t.Exprs(func(e *ir.Expr) { out = append(out, w.copiesIn(e)...) })
		}
	}
	return out
}

// copiesIn are the edits that make an expression that of a copy.
func (w *writer) copiesIn(e *ir.Expr) (out []edit.Edit) {
	e.Walk(func(t *ir.Expr) bool {
		switch {
		case t.Macro:
			out = append(out, w.inMacro(t)...)
			return false
		case t.Op == ir.OpMember && isBuiltin(t.Kids[0]):
			if of := map[string]string{w.place(): w.block + w.index(), w.size(): w.extent}[t.Kids[0].Name]; of != "" && t.Name == w.Axis() {
				out = append(out, edit.Edit{Start: t.Range.Start, End: t.Range.End, New: of})
			}
			return false
		case t.Op == ir.OpIdent && t.Var != nil && w.given[t.Var] != "":
			out = append(out, edit.Edit{Start: t.Range.Start, End: t.Range.End, New: w.given[t.Var] + w.index()})
		case t.Op == ir.OpIdent && t.Var != nil && w.arrays[t.Var]:
			out = append(out, edit.Edit{Start: t.Range.End, End: t.Range.End, New: w.index()})
		}
		return true
	})
	return out
}

// inMacro are the edits of the arguments of a macro.
func (w *writer) inMacro(use *ir.Expr) (out []edit.Edit) {
	text, seen := kit.Text(w.file, use.Range), map[string]bool{}
	replace := func(name, member, by string) {
		for _, at := range kit.WordOffsets(text, name) {
			end := at + len(name)
			before := strings.TrimRight(text[:at], " ")
			if seen[name] || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->") || !strings.HasPrefix(text[end:], member) {
				continue
			}
			out = append(out, edit.Edit{Start: use.Range.Start + at, End: use.Range.Start + end + len(member), New: by})
		}
		seen[name] = true
	}
	for t := range use.All() {
		switch {
		case isBuiltin(t) && t.Name == w.place():
			replace(t.Name, "."+w.Axis(), w.block+w.index())
		case isBuiltin(t) && t.Name == w.size():
			replace(t.Name, "."+w.Axis(), w.extent)
		case t.Op == ir.OpIdent && t.Var != nil && w.given[t.Var] != "":
			replace(t.Name, "", w.given[t.Var]+w.index())
		case t.Op == ir.OpIdent && t.Var != nil && w.arrays[t.Var]:
			replace(t.Name, "", t.Name+w.index())
		}
	}
	return out
}

// rootName names the object that an expression is about.
func rootName(e *ir.Expr) string {
	if root := e.Root(); root != nil {
		return root.Name
	}
	return "element"
}

// valueRange returns the range after the "=" of an assignment.
func valueRange(f *parser.File, s *ir.Stmt) ir.Range {
	at := ir.Range{Start: s.Expr.Kids[0].Range.End, End: s.Expr.Range.End}
	return ir.Range{Start: at.Start + kit.TopLevelEquals(kit.Text(f, at)) + 1, End: at.End}
}
