package acc

import (
	"fmt"
	"strings"
)

// operation is one operator of reductions: how two values become one, and what changes
// nothing. Operators for which a value may be combined twice have none: there each thread
// begins with the value that the variable has.
type operation struct{ name, combine, neutral string }

var operations = map[string]operation{
	"+":   {"sum", "value + other", "0"},
	"*":   {"product", "value * other", "1"},
	"^":   {"xor", "value ^ other", "0"},
	"max": {"max", "other > value ? other : value", ""},
	"min": {"min", "other < value ? other : value", ""},
	"&":   {"and", "value & other", ""},
	"|":   {"or", "value | other", ""},
	"&&":  {"all", "value && other", ""},
	"||":  {"any", "value || other", ""},
}

// helper is a function that a reduction calls, by the name of its text.
func (t *translation) helper(r reduction, kind string) string {
	op := operations[r.op]
	word := strings.ReplaceAll(r.v.base, " ", "_")
	neutral := op.neutral
	if neutral == "" {
		neutral = "parts[0]"
	}
	name := fmt.Sprintf("acc_%s_%s_%s", kind, op.name, word)
	t.uses[name] = strings.NewReplacer("NAME", name, "TYPE", r.v.base, "COMBINE", op.combine, "NEUTRAL", neutral, "OP_WORD", op.name+"_"+word).Replace(texts[kind])
	return name
}

// total combines what thread blocks came to, on the host.
func (t *translation) total(r reduction) string {
	if r.elements > 0 {
		return t.helper(r, "totals")
	}
	return t.helper(r, "total")
}

// ofBlock combines what the threads of a block have, for the first of them; ofAll gives it to
// all.
func (t *translation) ofBlock(r reduction) string { return t.helper(r, "block") }
func (t *translation) ofAll(r reduction) string {
	t.ofBlock(r)
	return t.helper(r, "each")
}

// checkReduction refuses what a reduction can't be of.
func (c *construct) checkReduction(r reduction) error {
	at := c.u.at(c.pragma.Pos)
	switch {
	case r.elements < 0:
		return refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of the array %s, of which each thread would have to have one", r.v.name),
			fmt.Sprintf("reduce its first elements, at most %d, with a constant number: reduction(+:a[0:4]); or use atomic", largestReduced))
	case numberNamed(r.v.resolved).Bytes == 0: // shuffles take them all
		return refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of type %s", r.v.base), "reduce an int, a long, a float or a double, and convert it after the loop")
	case strings.ContainsAny(r.op, "&|^") && (r.v.resolved == "float" || r.v.resolved == "double") && r.op != "&&" && r.op != "||":
		return refusal(at, CodeUnsupported, fmt.Sprintf("the operator %s on type %s", r.op, r.v.base), "use an operator that C has for the type")
	}
	return nil
}
