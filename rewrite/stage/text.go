package stage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// copyText writes the copy of one array's elements. The text of the model's load and of its
// guards stays; what they need of threadIdx and of counters is declared anew.
type copyText struct {
	p        *copyProof
	a        *stagedArray
	place    *copyPlace
	file     *parser.File
	fresh    func(string) string
	tile     loopTile
	position []string           // of an element along each axis
	guard    string             // the condition under which a thread has an element, "" for always
	thread   [3]string          // what stands for threadIdx, "" for itself
	counter  map[*ir.Var]string // what stands for a counter
	named    map[*ir.Var]bool   // of these, what is declared
	rep      []int              // along each axis, what the model's element has beside threadIdx
	declared []string
	kept     []*ir.Var          // variables that macros name
	names    map[*ir.Var]string // of variables that are declared anew
	asIs     map[*ir.Var]bool   // variables that stay as they are
	problem  string             // why this is no copy, "" where it is
}

// loopTile names what the copies of a tile of a loop need: its first iteration, and how many
// there are at most, as an operand of <.
type loopTile struct {
	start, length string // length is "" for as many as a tile has
	first         bool   // of planes that move, those before the first iteration's own
}

// newCopyText decides which thread and which iterations stand for the element at a position.
func newCopyText(p *copyProof, place *copyPlace, a *stagedArray, position []string, tile loopTile, fresh func(string) string) *copyText {
	c := &copyText{
		p: p, a: a, place: place, file: p.Kernel.File, fresh: fresh, position: position, tile: tile,
		counter: map[*ir.Var]string{}, named: map[*ir.Var]bool{}, names: map[*ir.Var]string{}, asIs: map[*ir.Var]bool{}, rep: make([]int, len(a.axes)),
	}
	for d, e := range a.ends {
		switch e {
		case endFirst:
			c.thread[d] = "0u"
		case endLast:
			c.thread[d] = kit.Number(p.forms.shape[d]-1) + "u"
		}
	}
	for i, x := range a.axes {
		c.rep[i] = int(a.model.offsets[i])
		free := x.dim < 0 && !x.cut // the first counter takes the element's place
		for _, loop := range a.model.along[i] {
			if loop == a.cut {
				continue
			}
			if free {
				free = false
				others := 0
				for _, o := range a.model.along[i] {
					if o != loop && o != a.cut {
						others += o.usual()
					}
				}
				c.counter[loop.v], c.named[loop.v] = plus(position[i], x.low-int(a.model.offsets[i])-others), true
				continue
			}
			n := loop.usual()
			c.rep[i] += n
			c.counter[loop.v] = kit.Number(n)
		}
		if x.cut {
			at := plus(position[i], x.low-c.rep[i])
			if x.step > 1 && !x.isDense() {
				at = times(position[i], x.step)
			}
			if at = tile.start + " " + a.cut.sign() + " " + at; a.moves() {
				at = c.plane(position[i], -c.rep[i])
			}
			c.counter[a.cut.v], c.named[a.cut.v] = at, true
		}
		if x.dim >= 0 {
			c.thread[x.dim] = plus(position[i], x.low-c.rep[i])
			if c.thread[x.dim] == "threadIdx."+"xyz"[x.dim:x.dim+1] {
				c.thread[x.dim] = ""
			}
		}
	}
	c.keepNames(a.model.whole, map[*ir.Var]bool{})
	for _, g := range a.guards {
		c.keepNames(g.e, map[*ir.Var]bool{})
	}
	return c
}

// usual is the iteration of a short loop that stands for all: 0 where there is one.
func (l *countedLoop) usual() int {
	if l.first <= 0 && 0 <= l.last {
		return 0
	}
	return int(l.first)
}

// plus is a sum with a number, which is left out where it is 0, and of which there is one.
func plus(text string, n int) string {
	if m := endsInNumber.FindStringSubmatch(text); m != nil && n != 0 {
		by, err := strconv.Atoi(m[3])
		if m[2] == "-" {
			by = -by
		}
		if err == nil && m[1] != "" {
			return plus(m[1], by+n)
		}
	}
	switch {
	case n == 0:
		return text
	case n < 0:
		return text + " - " + kit.Number(-n)
	}
	return text + " + " + kit.Number(n)
}

// endsInNumber are sums that end in a number.
var endsInNumber = regexp.MustCompile(`^(.*) ([+-]) ([0-9]{1,9})$`)

// times is a product with a number.
func times(text string, n int) string { return operandOf(text) + " * " + kit.Number(n) }

// operandOf is a text as the left operand of * and /.
func operandOf(text string) string {
	if strings.ContainsAny(text, "+-") {
		return "(" + text + ")"
	}
	return text
}

// renewed reports whether a variable has another value for an element than it has for the
// thread that copies it, or is not declared yet.
func (c *copyText) renewed(v *ir.Var) bool {
	if v == nil || !settled(v) {
		return false
	}
	if !visibleAt(v, c.place.stmt) {
		return true
	}
	return v.Init.Any(func(e *ir.Expr) bool {
		if name, d := builtinOf(e); name == "threadIdx" {
			return c.thread[d] != ""
		}
		if e.Op != ir.OpIdent || e.Var == nil {
			return false
		}
		_, counts := c.counter[e.Var]
		return counts || c.renewed(e.Var)
	})
}

// visibleAt reports whether a variable of the kernel is declared before a statement, in a block around it.
func visibleAt(v *ir.Var, s *ir.Stmt) bool {
	if v.Decl == nil || v.Decl.Range.Start >= s.Range.Start {
		return v.Decl == nil
	}
	for q := s.Parent; q != nil; q = q.Parent {
		if q == v.Decl.Parent {
			return true
		}
	}
	return false
}

// text is the text of an expression for the element.
func (c *copyText) text(e *ir.Expr) string { return c.inside(e, nil) }

// inside is the text of an expression below another, nil for none.
func (c *copyText) inside(e, around *ir.Expr) string {
	if e.Macro {
		return c.macro(e)
	}
	with := ""
	if name, d := builtinOf(e); name == "threadIdx" {
		with = c.thread[d]
	}
	if e.Op == ir.OpIdent {
		with = c.variable(e.Var)
	}
	if with != "" {
		if around != nil && strings.Contains(with, " ") && !(around.Op == ir.OpBinary && around.Tok == "+") {
			with = "(" + with + ")"
		}
		return with
	}
	if len(e.Kids) == 0 {
		return kit.Text(c.file, e.Range)
	}
	var b strings.Builder
	at := e.Range.Start
	for _, kid := range append(slices.Clone(e.Kids), e.TArgs...) {
		if kid.Range.Start < at || kid.Range.End > e.Range.End {
			c.problem = "its subscript is not written in the order in which it is computed"
			return kit.Text(c.file, e.Range)
		}
		between, with := kit.Text(c.file, ir.Range{Start: at, End: kid.Range.Start}), c.inside(kid, e)
		at = kid.Range.End
		if e.Op == ir.OpBinary && with != "" && !strings.ContainsFunc(with, func(r rune) bool { return !parser.IsWordRune(r) }) && with != kit.Text(c.file, kid.Range) && strings.HasSuffix(between, "(") && c.file.Src[at] == ')' {
			between = strings.TrimSuffix(between, "(") // (y + i) * w, where y + i has a name
			at++
		}
		b.WriteString(between + with)
	}
	b.WriteString(kit.Text(c.file, ir.Range{Start: at, End: e.Range.End}))
	out := withoutZero(b.String())
	if m := endsInNumber.FindStringSubmatch(out); m != nil && e.Op == ir.OpBinary && (e.Tok == "+" || e.Tok == "-") && out != kit.Text(c.file, e.Range) {
		n, _ := strconv.Atoi(m[2] + m[3]) // - 1 + 1
		return plus(m[1], n)
	}
	return out
}

// macro is the text of a macro's use, which names the variables that its text names.
func (c *copyText) macro(e *ir.Expr) string {
	for t := range e.All() {
		if name, d := builtinOf(t); name == "threadIdx" && c.thread[d] != "" {
			c.problem = "a macro in its subscript names threadIdx"
		}
		if t.Op == ir.OpIdent && t.Var != nil {
			if with := c.variable(t.Var); with != "" && with != t.Var.Name {
				c.problem = "a macro in its subscript names " + t.Var.Name
			}
		}
	}
	for _, word := range parser.Words(kit.Text(c.file, e.Range)) {
		there, _ := c.file.Macros.Lookup(word, c.place.stmt.Range.Start)
		if here, is := c.file.Macros.Lookup(word, e.Range.Start); is && here != there {
			c.problem = "the macro " + word + " is another where the copy is made"
		}
	}
	return kit.Text(c.file, e.Range)
}

// variable returns the text that stands for a variable, "" for its own name.
func (c *copyText) variable(v *ir.Var) string {
	if v == nil {
		return ""
	}
	if t, is := c.counter[v]; is && !c.named[v] {
		return t
	} else if is || c.renewed(v) {
		c.declare(v)
		return c.names[v]
	}
	c.asIs[v] = true
	switch {
	case v.Kind == ir.VarParam && (len(v.Writes) > 0 || v.AddrTaken):
		c.problem = v.Name + " may change"
	case v.Kind == ir.VarLocal && (!visibleAt(v, c.place.stmt) || !settled(v) && !c.p.forms.counts(v, c.place.stmt)):
		c.problem = v.Name + " has no value yet where the copy is made"
	}
	return ""
}

// withoutZero leaves out the sums with 0 that a thread or an iteration of that number makes.
func withoutZero(s string) string {
	for _, zero := range []string{" + 0", " - 0", " + 0u", " - 0u"} {
		if strings.HasSuffix(s, zero) {
			return strings.TrimSuffix(s, zero)
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(s, "0 + "), "0u + ")
}

// declare declares a variable anew, after those that it needs. One that is another now, or a
// number, is not declared but that.
func (c *copyText) declare(v *ir.Var) {
	if c.names[v] != "" {
		return
	}
	value, counts := c.counter[v]
	if !counts {
		if v.Macro {
			c.problem = "a macro declares " + v.Name
		}
		c.p.forms.inForce(c.a.model, func() {
			p, points := c.p.forms.pointsTo(v.Init, mostPointers)
			if c.p.forms.of(v.Init).IsLost() && (!points || v.Type.Ptr != 1 || p.offset == nil || c.p.forms.of(p.offset).IsLost()) {
				c.problem = v.Name + " is computed after where the copy is made"
			}
		})
		value = c.text(v.Init)
		for w, name := range c.names {
			if name == value && w.Type.Base == v.Type.Base && !slices.Contains(c.kept, v) {
				c.names[v] = name
				return
			}
		}
	}
	c.names[v] = c.nameOf(v)
	star := strings.Repeat("*", v.Type.Ptr)
	c.declared = append(c.declared, fmt.Sprintf("const %s %s%s = %s;", v.Type.Base, star, c.names[v], value))
}

// keepNames finds the variables that macros in an expression name, and in the initialisers
// of what it names: they keep their names, though these hide those of the thread.
func (c *copyText) keepNames(e *ir.Expr, seen map[*ir.Var]bool) {
	for t := range e.All() {
		v := t.Var
		if t.Op != ir.OpIdent || v == nil || seen[v] {
			continue
		}
		if t.Macro && !slices.Contains(c.kept, v) {
			c.kept = append(c.kept, v)
		}
		if _, counts := c.counter[v]; !counts && c.renewed(v) {
			seen[v] = true
			c.keepNames(v.Init, seen)
			seen[v] = false
		}
	}
}

// nameOf is the name of a variable that is declared anew: its own where that hides no other.
func (c *copyText) nameOf(v *ir.Var) string {
	fn := c.p.Kernel.Func
	same := func(w *ir.Var) bool { return w != v && w.Name == v.Name }
	other := slices.ContainsFunc(fn.Vars, same) || slices.ContainsFunc(fn.Params, same) || slices.ContainsFunc(fn.TParams, same)
	if slices.Contains(c.kept, v) && other {
		c.problem = "two variables have the name " + v.Name
	}
	if slices.Contains(c.kept, v) {
		return v.Name
	}
	if !other && !visibleAt(v, c.place.stmt) && c.tile.start != v.Name {
		return v.Name
	}
	stem := c.a.v.Name
	for d, at := range c.a.ends {
		if at != endNone && c.p.forms.of(v.Init).Has(isSymbol(c.p.forms.threads[d])) {
			stem = [...]string{endFirst: "first", endLast: "last"}[at]
		}
	}
	return c.fresh(stem + "_" + v.Name)
}

// read returns the text that a load becomes.
func (w *copyEmitter) read(place *copyPlace, a *stagedArray, l *stagedLoad, start string) string {
	p, out := w.p, a.tile
	if p.ahead(place) {
		out += "[" + w.half + "]"
	}
	var ways []*stagedLoad // what its subscript may choose
	for _, o := range a.loads {
		if o.whole == l.whole {
			ways = append(ways, o)
		}
	}
	for i := range a.axes {
		out += "[" + w.chosenText(ways, 0, func(l *stagedLoad) string { return p.indexText(a, l, i, start) }) + "]"
	}
	return out
}

// indexText returns the place of a load's element along an axis of a tile.
func (p *copyProof) indexText(a *stagedArray, l *stagedLoad, axis int, start string) string {
	x := a.axes[axis]
	var terms []string
	if x.dim >= 0 && p.forms.shape[x.dim] > 1 {
		terms = append(terms, "threadIdx."+"xyz"[x.dim:x.dim+1])
	}
	n := int(l.offsets[axis]) - x.low
	for _, loop := range l.along[axis] {
		term := loop.v.Name
		if loop == a.cut && x.isDense() {
			term += " - " + start
		}
		terms = append(terms, term)
	}
	if x.cut {
		slices.Reverse(terms) // the outermost first
	}
	index := plus(strings.Join(terms, " + "), n)
	if len(terms) == 0 {
		index = kit.Number(n)
	}
	switch {
	case x.cut && a.moves():
		index = p.ringPlace(a, strings.Join(terms, " + "), int(l.offsets[axis]))
	case x.cut && a.cut.down:
		index = start + " - " + index
	case x.cut && x.step > 1 && !x.isDense():
		index = "(" + index + " - " + start + ") / " + kit.Number(x.step)
	case x.cut && !x.isDense():
		index += " - " + start
	}
	return index
}
