package directive

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// Directive is one "#pragma acc" line.
type Directive struct {
	Name    string   // as in the specification: "parallel loop", "enter data", "wait"
	Args    []Arg    // what stands in parentheses after the name: cache, wait, routine
	Clauses []Clause // in the order of the text
	Pos     int      // offset of the first word after "acc"
}

// Clause is one clause of a directive. A name of an older version stands as today's: "pcopy" as "copy".
type Clause struct {
	Name     string
	Modifier string // what stands before a colon: "readonly", "zero", "force", an operator of a reduction; "" without
	Args     []Arg  // none where the clause has no parentheses
	Pos      int
}

// Arg is one thing in a list: a variable, an array section or an expression.
type Arg struct {
	Text     string    // as written, without blanks around it
	Key      string    // "num", "length", "static", "dim", "devnum" of gang, worker, vector, wait; "" without
	Name     string    // the variable, for lists of variables; a member with its object: "p->x"
	Sections []Section // one for each dimension of an array section
	Pos      int
}

// Section is one dimension [Lower:Length] of an array section. Both may be empty: from 0, and to the end.
type Section struct{ Lower, Length string }

// Compute reports whether the directive starts a region that runs on the device.
func (d Directive) Compute() bool { return d.Construct() != "" }

// Construct is "parallel", "kernels" or "serial" for a compute construct, "" for others.
func (d Directive) Construct() string {
	if kind := strings.TrimSuffix(d.Name, " loop"); slices.Contains([]string{"parallel", "kernels", "serial"}, kind) {
		return kind
	}
	return ""
}

// Loop reports whether the directive is about the loop under it.
func (d Directive) Loop() bool { return specOf(d.Name).loop }

// Clause returns the first clause of that name.
func (d Directive) Clause(name string) (Clause, bool) {
	if i := slices.IndexFunc(d.Clauses, func(c Clause) bool { return c.Name == name }); i >= 0 {
		return d.Clauses[i], true
	}
	return Clause{}, false
}

// ArgsOf yields what clauses of some names list, each with its clause.
func (d Directive) ArgsOf(names ...string) iter.Seq2[Clause, Arg] {
	return func(yield func(Clause, Arg) bool) {
		for _, c := range d.Clauses {
			for _, a := range c.Args {
				if slices.Contains(names, c.Name) && !yield(c, a) {
					return
				}
			}
		}
	}
}

// Has reports whether the directive has a clause of that name.
func (d Directive) Has(name string) bool { _, ok := d.Clause(name); return ok }

// The codes of what is wrong with a directive's text. Package diag documents each.
const (
	CodeUnknown diag.Code = "acc-unknown" // a directive or clause that OpenACC does not have
	CodeSyntax  diag.Code = "acc-syntax"  // the text of a directive can't be read
	CodeClause  diag.Code = "acc-clause"  // a clause that this directive does not take, or not beside another
)

// Error says what is wrong with a directive, and at which offset.
type Error struct {
	Pos        int
	Code       diag.Code
	Text, Help string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }

// Modifiers are the words before the colon of a clause that moves data.
func (c Clause) Modifiers() []string {
	return strings.FieldsFunc(c.Modifier, func(r rune) bool { return r == ',' || r == ' ' })
}

// perDevice are the clauses that may stand after device_type (OpenACC 3.3, section 2.4).
var perDevice = []string{"async", "wait", "num_gangs", "num_workers", "vector_length",
	"collapse", "gang", "worker", "vector", "seq", "independent", "auto", "tile", "bind"}

// For is the directive as it is for one kind of device, which may have several names: the clauses before the first
// device_type count for each kind; of those after one, those that name it, or else those after device_type(*), and
// they stand in for clauses of the same name. other are the clauses that count for other devices only.
func (d Directive) For(kinds ...string) (out Directive, other []Clause, err error) {
	defer caught(&err)
	if slices.Contains([]string{"init", "shutdown", "set"}, d.Name) || !d.Has("device_type") {
		return d, nil, nil
	}
	group := []string{"*"}
	for _, a := range d.ArgsOf("device_type") {
		if slices.Contains(kinds, a.Text) {
			group = kinds
		}
	}
	out = d
	out.Clauses = nil
	var own []Clause
	general, chosen := true, false
	for _, c := range d.Clauses {
		switch {
		case c.Name == "device_type":
			general, chosen = false, slices.ContainsFunc(c.Args, func(a Arg) bool { return slices.Contains(group, a.Text) })
		case general:
			out.Clauses = append(out.Clauses, c)
		case !slices.Contains(perDevice, c.Name):
			panic(&Error{c.Pos, CodeClause, fmt.Sprintf("%s can't be for one kind of device: it stands after device_type", c.Name),
				"move it before device_type; after it stand " + strings.Join(perDevice, ", ")})
		case chosen:
			own = append(own, c)
		default:
			other = append(other, c)
		}
	}
	out.Clauses = slices.DeleteFunc(out.Clauses, func(c Clause) bool { return Directive{Clauses: own}.Has(c.Name) })
	out.Clauses = append(out.Clauses, own...)
	specOf(d.Name).check(out)
	return out, other, nil
}
