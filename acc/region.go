package acc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// item is a variable with a copy on the device, for as long as a region runs.
type item struct {
	v       *variable
	device  string // the pointer to the copy
	lower   string // the first element of the section, "" for 0
	length  string // in elements of the first dimension; "" for a scalar
	first   string // the length in rows, where these are as long as the run says; then lower and length are in their elements
	in, out bool   // copied to the device before, to the host after
	present bool   // made elsewhere: by a region around, whose item is outer
	outer   *item
	pointer bool // a pointer to memory of the device, which the program keeps itself
	counted bool // the table of what is present knows of it; with present, only looked up
	// moving is set if the pointer may lead elsewhere while the region runs: kernels in it look
	// up what it leads to; saved is what it led to at the region's beginning.
	moving bool
	saved  string
	// optional memory (no_create) is used where it is present, and not made where it is not.
	optional bool
	row      string                 // the length of the rows that an array of pointers leads to; "" for others
	zero     bool                   // the copy begins as zeros
	always   struct{ in, out bool } // copied even where it is present
	kind     string                 // of its elements in a program that is followed (Follow); "" for others
	section  *directive.Section     // of the clause, for an item that has an outer one
}

// region is a directive with data clauses, and what they make.
type region struct {
	pragma    *pragma
	stmt      *parser.Node // the statement of the region
	items     []*item
	queue     string // the stream that copies are queued in, in C; "" for none
	condition string // in C; where it does not hold the region does nothing. "" for none
}

func (r *region) of(v *variable) *item {
	return lists.Find(r.items, func(i *item) bool { return i.v == v })
}

// isAround reports whether a data region is around a statement.
func (r *region) isAround(n *parser.Node) bool {
	return r.stmt == nil || r.stmt != n && within(n, r.stmt) || r.stmt == n && r.pragma.Name == "data"
}

// innermost is the item for a variable of the innermost data region for which something is true; nil for none.
func (t *translation) innermost(v *variable, is func(*region, *item) bool) *item {
	for _, r := range slices.Backward(t.regions) {
		if i := r.of(v); i != nil && is(r, i) {
			return i
		}
	}
	return nil
}

// dataClauses are those that make an item, with what they copy.
var dataClauses = map[string]struct{ in, out bool }{
	"copy": {true, true}, "copyin": {true, false}, "copyout": {false, true}, "create": {}, "present": {}, "no_create": {}, "deviceptr": {},
}

func (t *translation) newRegion(p *pragma, stmt *parser.Node) *region {
	r := &region{pragma: p, stmt: stmt, queue: t.queueOf(p)}
	if !p.Compute() {
		c, _ := p.take("if")
		r.condition = argument(c)
	}
	t.attach(p)
	for clause, a := range p.ArgsOf(append(slices.Clone(namesItems), "firstprivate")...) {
		switch p.takes(clause.Name); {
		case clause.Name != "firstprivate":
			t.addItem(r, t.newItem(p, clause, a), clause, a)
		case t.named(p, a) == nil, !t.named(p, a).isScalar(): // which is only read: one for all
			i := t.newItem(p, clause, a)
			i.in = true
			r.items = append(r.items, i)
		}
	}
	return r
}

// checkTwice refuses what a directive names in two clauses, but for a reduction beside a copy, and copyin with copyout.
func (t *translation) checkTwice() error {
	var errs []error
	for _, p := range t.pragmas {
		seen := map[*variable]directive.Clause{}
		for c, a := range p.ArgsOf(namesOne...) {
			v := t.named(p, a)
			if v == nil {
				continue
			}
			before, twice := seen[v]
			moves := func(c directive.Clause) bool { return slices.Contains([]string{"copy", "copyin", "copyout"}, c.Name) }
			_, isData := dataClauses[c.Name]
			_, wasData := dataClauses[before.Name]
			switch {
			case !twice, moves(c) && moves(before) && c.Modifier == before.Modifier:
			case isData && before.Name == "reduction", wasData && c.Name == "reduction":
			case standalone[p.Name] && p.Name != "declare" && c.Name == before.Name && len(a.Sections) > 0: // two parts of it
			default:
				errs = append(errs, refusal(t.at(a.Pos), directive.CodeClause, fmt.Sprintf("%s stands in two clauses, %s and %s", v.name, before.Name, c.Name), "name it in one of them").error)
			}
			seen[v] = c
		}
	}
	return errors.Join(errs...)
}

// namesOne are the clauses that say alone what becomes of a variable.
var namesOne = []string{"copy", "copyin", "copyout", "create", "no_create", "present", "deviceptr", "delete", "private", "firstprivate", "reduction"}

func (t *translation) addItem(r *region, i *item, clause directive.Clause, a directive.Arg) {
	at := t.at(a.Pos)
	does := dataClauses[clause.Name]
	if other := r.of(i.v); other != nil {
		refuseIf(other.lower != i.lower || other.length != i.length, at, directive.CodeClause, fmt.Sprintf("%s stands in two data clauses, with two sections", i.v.name), "name it once")
		other.in, other.out = other.in || does.in, other.out || does.out // checkTwice knows the others
		return
	}
	i.in, i.out = does.in, does.out
	i.pointer = clause.Name == "deviceptr"
	t.modify(i, clause)
	if i.outer = t.outerAt(r.pragma, i.v); r.pragma.stmt != nil {
		i.outer = t.outer(r.pragma.stmt, i.v)
	}
	if from := t.written(r.pragma.start); r.stmt != nil && !r.pragma.Compute() && !i.pointer {
		i.moving = t.moves(r.stmt, i.v, from)
		for _, v := range t.measuring(i, from) {
			refuseIf(!i.v.isScalar() && v.isScalar() && t.movesIn(r.stmt, v, from), at, CodeShape, fmt.Sprintf("%s changes while the region runs, and the section %s is measured by it", v.name, a.Text), "measure it by a variable that stays")
		}
	}
	switch {
	case i.outer != nil:
		i.section = &directive.Section{Lower: i.lower, Length: i.length}
		i.present, i.device, i.lower = true, i.outer.device, i.outer.lower
	case t.table && !i.pointer && (!i.v.isScalar() || i.v.isMadePresent(t) || t.follows):
		i.counted, i.optional = true, clause.Name == "no_create"
		i.present = !i.optional && (clause.Name == "present" || i.length == "" && !i.v.isScalar())
	case r.condition != "" && !i.pointer:
		panic(refusal(at, CodeUnsupported, fmt.Sprintf("the variable %s, which is no array, in a data region with a condition", i.v.name), "leave it out: each kernel has the value of its launch"))
	case clause.Name == "present" || clause.Name == "no_create":
		panic(refusal(at, CodeUnsupported, fmt.Sprintf("no data region of this function makes %s present", i.v.name),
			"open the data region in the function that computes"))
	}
	r.items = append(r.items, i)
}

// modify reads the words before the colon of a clause, and refuses and tells of those that smux does not follow.
func (t *translation) modify(i *item, clause directive.Clause) {
	does := dataClauses[clause.Name]
	for _, word := range clause.Modifiers() {
		switch word {
		case "always", "alwaysin", "alwaysout":
			i.always.in = i.always.in || does.in && word != "alwaysout"
			i.always.out = i.always.out || does.out && word != "alwaysin"
		case "zero":
			i.zero = true
		case "readonly":
			t.say(t.at(clause.Pos), CodeNoEffect, "readonly changes nothing: a kernel's parameter is const where the kernel only reads", "nothing needs to be done")
		case "capture":
			panic(refusal(t.at(clause.Pos), CodeUnsupported, "the modifier capture, a copy that stays its own", "leave it out: a copy on a device of CUDA is always one of its own"))
		}
	}
}

// outer is the item of a region around a statement for a variable, nil for none.
func (t *translation) outer(n *parser.Node, v *variable) *item {
	return t.innermost(v, func(r *region, i *item) bool { return r.isAround(n) && r.shows(i) })
}

// shows reports whether what is in a region can take it that an item is the region's.
func (r *region) shows(i *item) bool { return i.pointer || r.condition == "" && !i.moving }

// A pointer may lead elsewhere while a data region runs: programs swap the two arrays of a
// stencil. What is on the device belongs to the memory and not to the pointer, so kernels look
// it up when they are launched, and the region ends for the memory with which it began.

// moves reports whether a statement may let a pointer lead elsewhere, from an offset of the written-out text on.
func (t *translation) moves(stmt *parser.Node, v *variable, from int) bool {
	return v.path != "" || !v.isScalar() && !v.isArray() && t.movesIn(stmt, v, from) // of a member, whoever has the structure may
}

func (t *translation) movesIn(stmt *parser.Node, v *variable, from int) bool {
	for n, f := range reached(t, stmt) {
		switch {
		case f != nil && !v.global:
			return false
		case f == nil && int(n.End) <= from || n.Kind != parser.KindIdentifier || t.plainVariable(n) != v || t.declares(n):
			continue
		}
		p := n.Parent
		for p.Kind == parser.KindParenthesizedExpression {
			n, p = p, p.Parent
		}
		if p.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldLeft || p.Kind == parser.KindUpdateExpression ||
			p.Kind == parser.KindPointerExpression && t.text(p.First) == "&" {
			return true
		}
	}
	return false
}

// movingData reports whether pointers that clauses of a directive name move while its region runs.
func (t *translation) movingData(p *pragma) bool {
	stmt := p.stmt
	if p.Name == "declare" && p.fn != nil {
		stmt = p.fn.Body
	}
	if stmt == nil || p.Name != "data" && p.Name != "declare" {
		return false
	}
	own := slices.DeleteFunc(slices.Clone(namesItems), func(name string) bool { return name == "deviceptr" })
	return slices.ContainsFunc(t.variablesOf(p, own...), func(v *variable) bool { return t.moves(stmt, v, t.written(p.start)) })
}

// measuring are the variables at a place that say how large an item is.
func (t *translation) measuring(i *item, at int) []*variable {
	all := lists.Map(parser.Names(i.lower+" "+i.length), func(w string) *variable { return t.lookup(w, at) })
	return lists.Filter(all, func(v *variable) bool { return v != nil })
}
