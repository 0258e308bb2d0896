package directive

import (
	"fmt"
	"slices"
	"strings"
)

// perDevice are the clauses that may stand after device_type: for each kind of device
// others (OpenACC 3.3, section 2.4, and the restrictions of each directive).
var perDevice = []string{"async", "wait", "num_gangs", "num_workers", "vector_length",
	"collapse", "gang", "worker", "vector", "seq", "independent", "auto", "tile", "bind"}

// names reports whether a device_type clause, or an argument of set and its like, is about
// one of some kinds of devices.
func (c Clause) names(kinds []string) bool {
	return slices.ContainsFunc(c.Args, func(a Arg) bool { return slices.Contains(kinds, a.Text) })
}

// For is the directive as it is for one kind of device, which may have several names: the
// clauses before the first device_type count for each kind; of those after one, those that
// name it, or else those after device_type(*), and they stand in for clauses of the same
// name. other are the clauses that count for other devices only.
func (d Directive) For(kinds ...string) (out Directive, other []Clause, err error) {
	s := specOf(d.Name)
	if slices.Contains([]string{"init", "shutdown", "set"}, d.Name) || !d.Has("device_type") {
		return d, nil, nil
	}
	group := []string{"*"}
	for _, c := range d.Clauses {
		if c.Name == "device_type" && c.names(kinds) {
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
			general, chosen = false, c.names(group)
		case general:
			out.Clauses = append(out.Clauses, c)
		case !slices.Contains(perDevice, c.Name):
			return d, nil, &Error{c.Pos, CodeClause, fmt.Sprintf("%s can't be for one kind of device: it stands after device_type", c.Name),
				"move it before device_type; after it stand " + strings.Join(perDevice, ", ")}
		case chosen:
			own = append(own, c)
		default:
			other = append(other, c)
		}
	}
	out.Clauses = slices.DeleteFunc(out.Clauses, func(c Clause) bool {
		return slices.ContainsFunc(own, func(o Clause) bool { return o.Name == c.Name })
	})
	out.Clauses = append(out.Clauses, own...)
	return out, other, s.check(out)
}
