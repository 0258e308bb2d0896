package mutate

import (
	"regexp"

	"github.com/smux-cuda/smux/parser"
)

// What the rewriter demote leaves in a function that has variables in shared memory.
var (
	slotNumber = regexp.MustCompile(`^const unsigned smux_t\w* = (.+);$`)
	slotArray  = regexp.MustCompile(`^[^=(]*\b(smux_\w+)\[(.+)\];$`)
	slotBound  = regexp.MustCompile(`^(?:volatile .+&|.+ \*volatile &|const smux::.+> ?)(\w+)(?: = |\()(smux_\w+)\[(smux_t\w*)\]\)?;$`)
	slotClass  = regexp.MustCompile(`^const smux::(?:vector[234]|array)<`)
)

// slots lists the mutants of variables that lie in shared memory: threads that have one number, or share one with a
// neighbour, an array of half as many slots, a variable in the slot of thread 0, or in the array of the one before; a
// value that is never set, and components that overlap. Other arrays of smux's are none of slots: a function with slots
// counts its threads.
func (e *enumerator) slots(owner string, body *parser.Node) {
	numbered := false
	body.Walk(func(n *parser.Node) bool {
		numbered = numbered || n.Kind == parser.KindDeclaration && slotNumber.MatchString(e.text(n))
		return !numbered
	})
	if !numbered {
		return
	}
	before := ""
	body.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindDeclaration {
			return true
		}
		text := e.text(n)
		if m := slotNumber.FindStringSubmatch(text); m != nil {
			value := n.Child(parser.FieldDeclarator).Child(parser.FieldValue)
			e.add(owner, "number", value, "0u", "all threads have the number 0")
			e.add(owner, "number", value, "("+m[1]+") / 2", "two threads have one number")
		}
		if m := slotArray.FindStringSubmatch(text); m != nil {
			n.Walk(func(at *parser.Node) bool {
				if at.Kind == parser.KindArrayDeclarator {
					e.add(owner, "slots", at.Child(parser.FieldSize), "("+m[2]+") / 2", m[1]+" has half as many slots")
				}
				return true
			})
		}
		if m := slotBound.FindStringSubmatch(text); m != nil {
			n.Walk(func(at *parser.Node) bool {
				switch {
				case e.text(at) == m[3] && at.First == nil:
					e.add(owner, "slot", at, "0", m[1]+" lies in the slot of thread 0")
				case e.text(at) == m[2] && at.First == nil && before != "":
					e.add(owner, "slot", at, before, m[1]+" lies in "+before)
				case at.Kind == parser.KindNumberLiteral && slotClass.MatchString(text):
					e.add(owner, "stride", at, e.text(at)+" / 2", "components of "+m[1]+" lie half as far apart")
				}
				return true
			})
			before = m[2]
			if next := n.NextNamed(); next != nil && next.Kind == parser.KindExpressionStatement {
				e.add(owner, "value", next, "", e.text(next)+" is removed")
			}
		}
		return true
	})
}
