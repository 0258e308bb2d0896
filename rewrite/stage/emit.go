package stage

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// copyEmitter writes one kernel's copies.
type copyEmitter struct {
	kit.Emitter
	p     *copyProof
	flags map[*ir.Stmt]string // the variables that stand for conditions
	// passed are names in the block of a copy, which the next may have again.
	passed []string
	half   string     // the name of which of two tiles is copied, or read
	unused []ir.Range // declarations that are taken out
	opened []opened   // what stands in braces that go
}

// alignmentChecks stop the kernel where an array that is copied several elements at a time doesn't begin at a multiple of that.
func (w *copyEmitter) alignmentChecks(p *copyProof) (out []string) {
	var done []*ir.Var
	for _, o := range p.places {
		for _, a := range o.arrays {
			if a.vector == 0 || slices.Contains(done, a.v) {
				continue
			}
			done = append(done, a.v)
			out = append(out, fmt.Sprintf(`if ((size_t)%s %% %d != 0) { printf("smux: %s copies %s %d bytes at a time, and it begins at no multiple of that\n"); __trap(); }`, a.v.Name, a.vector*a.elem, p.Kernel.Name, a.v.Name, a.vector*a.elem))
		}
	}
	if out != nil {
		w.Includes = append(w.Includes, "<cstdio>")
	}
	return out
}

// Apply declares the tiles, puts the copies in, and has the loads read the tiles.
func (p *copyProof) Apply() *kit.Edits {
	w := &copyEmitter{Emitter: kit.NewEmitter(p.Kernel), p: p, flags: map[*ir.Stmt]string{}, unused: p.unused()}
	top := []string{fmt.Sprintf("%s %s.", mark, p.summary())}
	if slices.ContainsFunc(p.places, p.ahead) {
		top[0] += " The next tile is copied while one is used."
	}
	for _, place := range p.places {
		for _, a := range place.arrays {
			a.tile = w.Fresh(a.v.Name + "_tile")
			line := fmt.Sprintf("__shared__ %s %s", a.v.Type.Base, a.tile)
			if a.vector > 0 {
				line = fmt.Sprintf("__shared__ __align__(%d) %s %s", a.vector*a.elem, a.v.Type.Base, a.tile)
			}
			if p.ahead(place) {
				line += "[2]"
			}
			for i, x := range a.axes {
				n := p.extent(x)
				if i == len(a.axes)-1 {
					n += p.padding(a)
				}
				line += fmt.Sprintf("[%d]", n)
			}
			top = append(top, line+";")
		}
	}
	w.AtTop(slices.Concat(top, w.Checks(&p.Findings), w.alignmentChecks(p)))
	for _, place := range p.places {
		w.raise(place)
		if place.cut != nil {
			w.cutLoop(place)
		} else {
			w.before(place)
		}
		w.keep(place)
	}
	for _, at := range w.unused {
		w.Buffer(w.Of.File).Replace(at.Start, at.End, "")
	}
	edits := w.Done()
	if slices.ContainsFunc(p.places, p.ahead) {
		edits.Includes = append(edits.Includes, "<cuda_pipeline.h>")
	}
	return edits
}

// raise turns the conditions that keep threads away into variables.
func (w *copyEmitter) raise(place *copyPlace) {
	f := w.Of.File
	for _, flag := range place.flags {
		name := w.Fresh("inside")
		w.flags[flag.stmt] = name
		s := flag.stmt
		value := kit.Text(f, s.Cond.Range)
		if flag.returns {
			value = w.negated(s.Cond)
		} else if flag.outer >= 0 {
			value = operandOfAnd(f, s.Cond)
		}
		if flag.outer >= 0 {
			value = w.flags[place.flags[flag.outer].stmt] + " && " + value
		}
		line := fmt.Sprintf("const bool %s = %s;", name, value)
		if flag.returns {
			w.Buffer(f).Replace(s.Range.Start, kit.StmtEnd(f, s), line)
			continue
		}
		if o, ok := w.openedBy(s); ok {
			w.opened = append(w.opened, o)
			w.Buffer(f).Replace(s.Range.Start, s.Body.Range.Start+1, line)
			continue
		}
		w.Buffer(f).Replace(s.Range.Start, s.Body.Outer.Start, line+f.Newline()+kit.IndentAt(f, s.Range.Start))
	}
}

// negated is the text of what holds where a condition does not.
func (w *copyEmitter) negated(e *ir.Expr) string {
	f := w.Of.File
	if e.Op == ir.OpBinary && e.Tok == "||" && !e.Macro {
		return w.negated(e.Kids[0]) + " && " + w.negated(e.Kids[1])
	}
	if e.Op == ir.OpBinary && !e.Macro && opposite[e.Tok] != "" && w.p.forms.whole(e) {
		return kit.Text(f, e.Kids[0].Range) + " " + opposite[e.Tok] + " " + kit.Text(f, e.Kids[1].Range)
	}
	return "!(" + kit.Text(f, e.Range) + ")"
}

// whole reports whether both sides of a comparison are integers: of numbers that are none
// the opposite comparison is another.
func (f *indexForms) whole(e *ir.Expr) bool {
	return !f.of(e.Kids[0]).IsLost() && !f.of(e.Kids[1]).IsLost()
}

// operandOfAnd is the text of an expression beside a && or a ?.
func operandOfAnd(f *parser.File, e *ir.Expr) string {
	weak := []ir.Op{ir.OpCond, ir.OpAssign, ir.OpComma, ir.OpMixed}
	if e.Op == ir.OpBinary && (e.Tok == "||" || e.Tok == "&&") || slices.Contains(weak, e.Op) || e.Macro || e.Implicit {
		return "(" + kit.Text(f, e.Range) + ")"
	}
	return kit.Text(f, e.Range)
}

// flagAt is the innermost flag of a place, "" for none.
func (w *copyEmitter) flagAt(place *copyPlace) string {
	if n := len(place.flags); n > 0 {
		return w.flags[place.flags[n-1].stmt]
	}
	return ""
}

// elementCopy is the copy of an array's element by a thread: a loop or a condition around it, ""
// for none, what is declared for it, its condition, and the copy itself.
type elementCopy struct {
	head, condition string
	declared        []string
	stores          []string
	tail            []string // what is done where the condition does not hold
}

// copies are the lines that copy the elements of all arrays of a place; those that go alike go together.
func (w *copyEmitter) copies(place *copyPlace, tile loopTile) (lines []string) {
	var all []*elementCopy
	for _, a := range place.arrays {
		c := w.copy(place, a, tile)
		if n := len(all); n > 0 && len(all[n-1].tail)+len(c.tail) == 0 && all[n-1].head == c.head && all[n-1].condition == c.condition && slices.Equal(all[n-1].declared, c.declared) {
			all[n-1].stores = append(all[n-1].stores, c.stores...)
		} else {
			all = append(all, c)
		}
	}
	for _, c := range all {
		lines = append(lines, c.Lines()...)
	}
	return lines
}

func (c *elementCopy) Lines() (out []string) {
	body := slices.Clone(c.declared)
	switch {
	case c.condition == "":
		body = append(body, c.stores...)
	case len(c.stores) == 1:
		body = append(body, "if ("+c.condition+")", "    "+c.stores[0])
	default:
		body = append(body, "if ("+c.condition+") {")
		for _, s := range c.stores {
			body = append(body, "    "+s)
		}
		body = append(body, "}")
	}
	if len(c.tail) > 0 {
		body = append(body, "else")
		for _, line := range c.tail {
			body = append(body, "    "+line)
		}
	}
	head := c.head
	switch {
	case head != "":
	case len(c.declared) == 0:
		return body
	default:
		head = "{"
	}
	out = []string{head}
	for _, line := range body {
		out = append(out, "    "+line)
	}
	return append(out, "}")
}

func (w *copyEmitter) copy(place *copyPlace, a *stagedArray, tile loopTile) *elementCopy {
	for _, name := range w.passed {
		delete(w.Used, name)
	}
	w.passed = nil
	position, by := w.p.positions(a, tile, w.passing)
	places := named(position, w.passing)
	if by.declared != "" {
		places = append([]string{by.declared}, places...)
	}
	c := newCopyText(w.p, place, a, position, tile, w.passing)
	if c.guard = by.guard; c.guard != "" && w.p.hasTail(a) { // what is not in the tile's condition is in its tail
		places, c.guard = append(places, "if (!("+by.guard+")) continue;"), ""
	}
	condition, load := c.condition(), c.text(a.model.whole)
	to := a.tile
	if w.p.ahead(place) {
		to += "[" + w.half + "]"
	}
	for i, at := range position {
		if a.moves() && i == a.cutAxis() {
			at = c.ringOf(at)
		}
		to += "[" + at + "]"
	}
	if a.vector > 0 {
		store, tail := w.vectorStore(place, a, c, tile, to)
		return &elementCopy{by.head, condition, append(places, c.declared...), []string{store}, tail}
	}
	store := to + " = " + load + ";"
	if w.p.ahead(place) {
		from := "&" + load
		if a.model.whole.Op == ir.OpCall { // __ldg(&…)
			from = c.text(a.model.whole.Args()[0])
		}
		store = fmt.Sprintf("__pipeline_memcpy_async(&%s, %s, sizeof(%s));", to, from, a.v.Type.Base)
	}
	return &elementCopy{head: by.head, condition: condition, declared: append(places, c.declared...), stores: []string{store}}
}

// passing is a name in a block of its own.
func (w *copyEmitter) passing(name string) string {
	name = w.Fresh(name)
	w.passed = append(w.passed, name)
	return name
}

// before puts the copies before a place's statement.
func (w *copyEmitter) before(place *copyPlace) {
	lines := append(w.copies(place, loopTile{}), "__syncthreads();")
	if place.inLoop {
		lines = append([]string{"__syncthreads();"}, lines...)
	}
	w.InsertBefore(w.Of.File, place.stmt.Outer.Start, lines...)
	w.reads(place, "")
}

// reads has the loads of a place's arrays read the tiles.
func (w *copyEmitter) reads(place *copyPlace, start string) {
	for _, a := range place.arrays {
		done := map[*ir.Expr]bool{}
		for _, l := range a.loads {
			if !done[l.whole] {
				w.Buffer(w.Of.File).Replace(l.whole.Range.Start, l.whole.Range.End, w.read(place, a, l, start))
			}
			done[l.whole] = true
		}
	}
}

// isHidden reports whether a name of CUDA's has another meaning in the kernel: of a variable, a macro or a function of the program.
func (f *indexForms) isHidden(name string) bool { return isHidden(f.k, name) }

func isHidden(k *analysis.Kernel, name string) bool {
	is := func(v *ir.Var) bool { return v.Name == name }
	_, macro := k.File.Macros.Lookup(name, int(k.View.Body.Start))
	return macro || len(k.Prog.Named(k.File, name)) > 0 || slices.ContainsFunc(slices.Concat(k.Func.Vars, k.Func.Params, k.Func.TParams), is)
}

// indent indents the lines that begin in a range further.
func (w *copyEmitter) indent(from, to int, more string) {
	f := w.Of.File
	for at := kit.NextLine(f, from); at < to; at = kit.NextLine(f, at) {
		gone := slices.ContainsFunc(w.unused, func(r ir.Range) bool { return r.Start <= at && at < r.End })
		if !gone && at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' && f.Src[at] != '#' {
			w.Buffer(f).Insert(at, more)
		}
	}
}

// keep leaves statements to the threads of a flag.
func (w *copyEmitter) keep(place *copyPlace) {
	f := w.Of.File
	for i := 0; i < len(place.kept); {
		k := place.kept[i]
		flag := w.flags[place.flags[k.flag].stmt]
		if k.stmt.Op == ir.StmtDecl {
			w.keepDeclaration(k.stmt, flag)
			i++
			continue
		}
		j := i + 1
		for j < len(place.kept) && place.kept[j].flag == k.flag && place.kept[j].stmt.Op != ir.StmtDecl && follows(place.kept[j-1].stmt, place.kept[j].stmt) {
			j++
		}
		last := place.kept[j-1].stmt
		if j == i+1 && k.stmt.Op == ir.StmtExpr {
			w.Buffer(f).Insert(k.stmt.Range.Start, "if ("+flag+") ")
		} else {
			w.InsertBefore(f, k.stmt.Outer.Start, "if ("+flag+") {")
			w.indent(kit.LineStart(f, k.stmt.Outer.Start)-1, kit.StmtEnd(f, last), "    ")
			w.InsertAfter(f, kit.StmtEnd(f, last), k.stmt.Outer.Start, "}")
		}
		i = j
	}
}

// follows reports whether b is the statement after a.
func follows(a, b *ir.Stmt) bool {
	if a.Parent != b.Parent || a.Parent == nil {
		return false
	}
	i := slices.Index(a.Parent.List, a)
	return i >= 0 && i+1 < len(a.Parent.List) && a.Parent.List[i+1] == b
}

// keepDeclaration declares a variable for all threads, and gives it its value for those of a flag.
func (w *copyEmitter) keepDeclaration(s *ir.Stmt, flag string) {
	f := w.Of.File
	v := s.Vars[0]
	w.Buffer(f).Replace(s.Range.Start, v.Range.Start, fmt.Sprintf("%s %s;%sif (%s) ", v.Type.Base, v.Name, f.Newline()+kit.IndentAt(f, s.Range.Start), flag))
}

// Done returns what was made, indented by tabs where the kernel is.
func (w *copyEmitter) Done() *kit.Edits {
	w.openBraces()
	for f, b := range w.Edits {
		first := w.Of.Func.Body.Range.Start
		if f != w.Of.File || !bytes.HasPrefix(f.Src[min(kit.NextLine(f, first), len(f.Src)):], []byte("\t")) {
			continue
		}
		edits := b.Edits()
		for i, e := range edits {
			edits[i].New = byTabs(f, e)
		}
	}
	return w.Emitter.Done()
}

// byTabs is the text of an edit with tabs for each four spaces that a line of it begins with.
func byTabs(f *parser.File, e edit.Edit) string {
	lines := strings.SplitAfter(e.New, "\n")
	for i, line := range lines {
		if i == 0 && kit.LineStart(f, e.Start) != e.Start {
			continue
		}
		rest := strings.TrimLeft(line, " \t")
		lines[i] = strings.ReplaceAll(line[:len(line)-len(rest)], "    ", "\t") + rest
	}
	return strings.Join(lines, "")
}
