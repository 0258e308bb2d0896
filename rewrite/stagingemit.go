package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// stagingEmitter writes one kernel's copies.
type stagingEmitter struct {
	emitter
	p     *stagingProof
	flags map[*ir.Stmt]string // the variables that stand for conditions
	// passed are names in the block of a copy, which the next may have again.
	passed []string
	unused map[int]*ir.Stmt // declarations that are taken out, by where their lines begin
}

// Apply declares the tiles, puts the copies in, and has the loads read the tiles.
func (p *stagingProof) Apply() *Edits {
	w := &stagingEmitter{emitter: newEmitter(p.Kernel), p: p, flags: map[*ir.Stmt]string{}, unused: p.unused()}
	top := []string{fmt.Sprintf("%s %s.", stagingMark, p.summary())}
	for _, place := range p.places {
		for _, a := range place.arrays {
			a.tile = w.fresh(a.v.Name + "_tile")
			line := fmt.Sprintf("__shared__ %s %s", a.v.Type.Base, a.tile)
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
	w.atTop(append(top, assumptions(p.Kernel)...))
	for _, place := range p.places {
		w.raise(place)
		if place.cut != nil {
			w.cutLoop(place)
		} else {
			w.before(place)
		}
		w.keep(place)
	}
	for at, s := range w.unused {
		w.buffer(w.of.File).Replace(at, nextLine(w.of.File, stmtEnd(w.of.File, s)), "")
	}
	return w.done()
}

// raise turns the conditions that keep threads away into variables.
func (w *stagingEmitter) raise(place *stagingPlace) {
	f := w.of.File
	for _, flag := range place.flags {
		name := w.fresh("inside")
		w.flags[flag.stmt] = name
		s := flag.stmt
		value := text(f, s.Cond.Range)
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
			w.buffer(f).Replace(s.Range.Start, stmtEnd(f, s), line)
			continue
		}
		w.buffer(f).Replace(s.Range.Start, s.Body.Range.Start, line+f.Newline()+indentAt(f, s.Range.Start))
	}
}

// negated is the text of what holds where a condition does not.
func (w *stagingEmitter) negated(e *ir.Expr) string {
	f := w.of.File
	if e.Op == ir.OpBinary && e.Tok == "||" && !e.Macro {
		return w.negated(e.Kids[0]) + " && " + w.negated(e.Kids[1])
	}
	if e.Op == ir.OpBinary && !e.Macro && opposite[e.Tok] != "" && w.p.forms.whole(e) {
		return text(f, e.Kids[0].Range) + " " + opposite[e.Tok] + " " + text(f, e.Kids[1].Range)
	}
	return "!(" + text(f, e.Range) + ")"
}

// whole reports whether both sides of a comparison are integers: of numbers that are none
// the opposite comparison is another.
func (f *indexForms) whole(e *ir.Expr) bool {
	return !f.of(e.Kids[0]).IsLost() && !f.of(e.Kids[1]).IsLost()
}

func operandOfAnd(f *parser.File, e *ir.Expr) string {
	if e.Op == ir.OpBinary && (e.Tok == "||" || e.Tok == "&&") || e.Op == ir.OpCond || e.Op == ir.OpMixed || e.Macro {
		return "(" + text(f, e.Range) + ")"
	}
	return text(f, e.Range)
}

// flagAt is the innermost flag of a place, "" for none.
func (w *stagingEmitter) flagAt(place *stagingPlace) string {
	if n := len(place.flags); n > 0 {
		return w.flags[place.flags[n-1].stmt]
	}
	return ""
}

// copies are the lines that copy the elements of all arrays of a place.
func (w *stagingEmitter) copies(place *stagingPlace, start string) (lines []string) {
	for _, a := range place.arrays {
		lines = append(lines, w.copy(place, a, start)...)
	}
	return append(lines, "__syncthreads();")
}

func (w *stagingEmitter) copy(place *stagingPlace, a *stagedArray, start string) []string {
	for _, name := range w.passed {
		delete(w.used, name)
	}
	w.passed = nil
	position, head := w.p.positions(a, func() string { return w.passing("i") })
	c := newCopyText(w.p, place, a, position, start, w.passing)
	condition := c.condition()
	load := c.text(a.model.whole)
	to := a.tile
	for _, at := range position {
		to += "[" + at + "]"
	}
	var body []string
	body = append(body, c.declared...)
	store := to + " = " + load + ";"
	if condition != "" {
		body = append(body, "if ("+condition+")")
		store = "    " + store
	}
	body = append(body, store)
	switch {
	case head != "":
	case len(c.declared) == 0:
		return body
	default:
		head = "{"
	}
	out := []string{head}
	for _, line := range body {
		out = append(out, "    "+line)
	}
	return append(out, "}")
}

// passing is a name in a block of its own.
func (w *stagingEmitter) passing(name string) string {
	name = w.fresh(name)
	w.passed = append(w.passed, name)
	return name
}

// before puts the copies before a place's statement.
func (w *stagingEmitter) before(place *stagingPlace) {
	lines := w.copies(place, "")
	if place.inLoop {
		lines = append([]string{"__syncthreads();"}, lines...)
	}
	w.insertBefore(w.of.File, place.stmt.Outer.Start, lines...)
	w.reads(place, "")
}

// reads has the loads of a place's arrays read the tiles.
func (w *stagingEmitter) reads(place *stagingPlace, start string) {
	for _, a := range place.arrays {
		for _, l := range a.loads {
			w.buffer(w.of.File).Replace(l.whole.Range.Start, l.whole.Range.End, w.p.read(a, l, start))
		}
	}
}

// divides reports whether the tiles of a loop are all of one size.
func (p *stagingProof) divides(l *countedLoop) bool {
	n := l.trips()
	return n > 0 && n%int64(p.tile) == 0
}

// cutLoop makes two loops of one: over tiles, and over the iterations of a tile.
func (w *stagingEmitter) cutLoop(place *stagingPlace) {
	f, s, l := w.of.File, place.stmt, place.cut
	v, high := l.v.Name, text(f, l.high.Range)
	start := w.fresh(v + "0")
	indent := indentAt(f, s.Range.Start)
	nl := f.Newline() + indent + "    "
	var b strings.Builder
	if s.Outer.Start < s.Range.Start {
		b.WriteString(strings.TrimPrefix(indent, indentAt(f, s.Outer.Start)))
	}
	length := number(w.p.tile)
	if w.p.divides(l) {
		fmt.Fprintf(&b, "for (int %s = %s; %s < %s; %s += %s) {", start, text(f, l.low.Range), start, high, start, length)
	} else {
		length = w.fresh(v + "_len")
		fmt.Fprintf(&b, "for (int %s = %s, %s; %s < %s; %s += %s) {", start, text(f, l.low.Range), length, start, high, start, length)
		left := operand(f, l.high, high) + " - " + start
		if w.p.forms.isVariable("min") {
			fmt.Fprintf(&b, "%s%s = %s < %d ? %s : %d;", nl, length, left, w.p.tile, left, w.p.tile)
		} else {
			fmt.Fprintf(&b, "%s%s = min(%d, %s);", nl, length, w.p.tile, left)
		}
	}
	for _, line := range w.copies(place, start) {
		b.WriteString(nl + line)
	}
	pragma := strings.TrimSpace(text(f, ir.Range{Start: s.Outer.Start, End: s.Range.Start}))
	flag, closing := w.flagAt(place), []string{"    __syncthreads();", "}"}
	b.WriteString(nl)
	switch {
	case flag != "" && pragma != "":
		b.WriteString("if (" + flag + ") {" + nl + pragma + nl + "    ")
		closing = append([]string{"    }"}, closing...)
	case flag != "":
		b.WriteString("if (" + flag + ")" + nl + "    ")
	case pragma != "":
		b.WriteString(pragma + nl)
	}
	fmt.Fprintf(&b, "for (int %s = %s; %s < %s + %s; %s++)", v, start, v, start, length, v)
	more := "    "
	if flag != "" {
		more += "    "
	}
	if firstOnLine(f, s.Body.Range.Start) {
		b.WriteString(f.Newline() + indentAt(f, s.Body.Range.Start) + more)
	} else {
		b.WriteByte(' ')
	}
	w.buffer(f).Replace(s.Outer.Start, s.Body.Range.Start, b.String())
	w.indent(s.Body.Range.Start, stmtEnd(f, s), more)
	w.reads(place, start)
	w.insertAfter(f, stmtEnd(f, s), s.Range.Start, closing...)
}

// isVariable reports whether a name is that of a variable of the kernel.
func (f *indexForms) isVariable(name string) bool {
	is := func(v *ir.Var) bool { return v.Name == name }
	fn := f.k.Func
	return slices.ContainsFunc(fn.Vars, is) || slices.ContainsFunc(fn.Params, is) || slices.ContainsFunc(fn.TParams, is)
}

// indent indents the lines that begin in a range further.
func (w *stagingEmitter) indent(from, to int, more string) {
	f := w.of.File
	for at := nextLine(f, from); at < to; at = nextLine(f, at) {
		if w.unused[at] == nil && at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' && f.Src[at] != '#' {
			w.buffer(f).Insert(at, more)
		}
	}
}

// keep leaves statements to the threads of a flag.
func (w *stagingEmitter) keep(place *stagingPlace) {
	f := w.of.File
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
			w.buffer(f).Insert(k.stmt.Range.Start, "if ("+flag+") ")
		} else {
			w.insertBefore(f, k.stmt.Outer.Start, "if ("+flag+") {")
			w.indent(lineStart(f, k.stmt.Outer.Start)-1, stmtEnd(f, last), "    ")
			w.insertAfter(f, stmtEnd(f, last), k.stmt.Outer.Start, "}")
		}
		i = j
	}
}

// follows reports whether b is the statement behind a.
func follows(a, b *ir.Stmt) bool {
	if a.Parent != b.Parent || a.Parent == nil {
		return false
	}
	i := slices.Index(a.Parent.List, a)
	return i >= 0 && i+1 < len(a.Parent.List) && a.Parent.List[i+1] == b
}

// keepDeclaration declares a variable for all threads, and gives it its value for those of a flag.
func (w *stagingEmitter) keepDeclaration(s *ir.Stmt, flag string) {
	f := w.of.File
	v := s.Vars[0]
	w.buffer(f).Replace(s.Range.Start, v.Range.Start, fmt.Sprintf("%s %s;%sif (%s) ", v.Type.Base, v.Name, f.Newline()+indentAt(f, s.Range.Start), flag))
}
