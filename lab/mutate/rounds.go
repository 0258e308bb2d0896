package mutate

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// What the rewriter slice leaves in a function: a comment, or a parameter that tells
// the round.
var (
	sliced      = regexp.MustCompile(`// smux slice:|\bsmux_(part|round)\b`)
	windowTest  = regexp.MustCompile(`^.+ (<|>=|==) \d+$`)
	windowStart = regexp.MustCompile(` - \d+$`)
	roundTest   = regexp.MustCompile(`smux_(part|round)\b`)
)

// otherPart maps a component to the one that a mutant takes for it.
var otherPart = map[string]string{"x": "y", "y": "x", "z": "x", "w": "x", "key": "value", "value": "key"}

// rounds lists the mutants of exchanges that are made in rounds: the bounds of windows,
// the components that are written and read, and which round a function is told.
func (e *enumerator) rounds(owner string, body *parser.Node) {
	body.Walk(func(n *parser.Node) bool {
		text := e.text(n)
		switch n.Kind {
		case parser.KindIfStatement, parser.KindConditionalExpression:
			if rest := n.Child(parser.FieldConsequence); rest == nil || rest.Kind != parser.KindContinueStatement { // that is of vtb-pipe's steps
				e.window(owner, n.Child(parser.FieldCondition))
			}
		case parser.KindSubscriptExpression:
			n.Walk(func(m *parser.Node) bool {
				if right := m.Child(parser.FieldRight); m.Kind == parser.KindBinaryExpression && right != nil && windowStart.MatchString(e.text(m)) {
					e.add(owner, "start", right, e.text(right)+" - 1", text+" begins a row earlier")
				}
				return true
			})
			return false
		case parser.KindFieldExpression:
			field := n.Child(parser.FieldField)
			if other := otherPart[e.text(field)]; other != "" && n.Parent.Kind == parser.KindAssignmentExpression {
				e.add(owner, "component", n, strings.TrimSuffix(text, e.text(field))+other, text+" becomes "+other)
			}
			return false
		case parser.KindCallExpression:
			for a := n.Child(parser.FieldArguments).FirstNamed(); a != nil; a = a.NextNamed() {
				if round := e.text(a); a.Kind == parser.KindNumberLiteral && (round == "0" || round == "1") && n.Parent.Kind == parser.KindExpressionStatement {
					e.add(owner, "round", a, "1 - "+round, text+" is of the other round")
				}
			}
		}
		return true
	})
}

// window lists the mutants of a condition that an access is of a round.
func (e *enumerator) window(owner string, cond *parser.Node) {
	for cond != nil && (cond.Kind == parser.KindConditionClause || cond.Kind == parser.KindParenthesizedExpression) {
		cond = cond.FirstNamed()
	}
	if cond == nil || cond.Kind != parser.KindBinaryExpression {
		return
	}
	switch text, right := e.text(cond), cond.Child(parser.FieldRight); {
	case roundTest.MatchString(text):
		e.add(owner, "round", cond, "!("+text+")", text+" is taken for the opposite")
	case windowTest.MatchString(text):
		e.add(owner, "bound", right, e.text(right)+" - 1", text+" becomes one less")
	}
}
