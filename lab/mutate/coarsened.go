package mutate

import (
	"regexp"

	"github.com/smux-cuda/smux/parser"
)

// What the rewriter coarsen leaves in a function.
var (
	coarsened   = regexp.MustCompile(`// smux coarsen along`)
	coarseHead  = regexp.MustCompile(`^\w+ < COARSEN\d*$`)
	leftTest    = regexp.MustCompile(`^(\w+ < left\d*|thread\d*\[\w+\] < \w+(\.\w)?)$`)
	coarseTest  = regexp.MustCompile(`^\((on|in|holds)\d*\[(\w+)\]\)$`)
	coarseIndex = regexp.MustCompile(`\[[cuvw]\d*\]$`)
	leftValue   = regexp.MustCompile(`^left\d* = `)
	stride      = regexp.MustCompile(`^\w+ \* blockDim\.\w$`)
)

// coarsenedBlock lists the mutants of a thread block, or a thread, that does the work of several: the last copy is left out,
// guards hold for all, how many are left is wrong, or how far copies are apart, and what belongs to a copy is the first one's.
func (e *enumerator) coarsenedBlock(owner string, body *parser.Node) {
	body.Walk(func(n *parser.Node) bool {
		text := e.text(n)
		switch n.Kind {
		case parser.KindForStatement:
			if cond := n.Child(parser.FieldCondition); cond != nil && coarseHead.MatchString(e.text(cond)) {
				count := cond.Child(parser.FieldRight)
				e.add(owner, "copies", count, e.text(count)+" - 1", "the last copy is left out")
			}
		case parser.KindBinaryExpression:
			if leftTest.MatchString(text) {
				e.add(owner, "live", n, "true", text+" is taken for true")
			}
			if stride.MatchString(text) {
				e.add(owner, "left", n, text+" * 2", text+" is twice as much")
			}
		case parser.KindIfStatement:
			if cond := n.Child(parser.FieldCondition); cond != nil && coarseTest.MatchString(e.text(cond)) {
				e.add(owner, "guard", cond.FirstNamed(), "true", "if "+e.text(cond)+" is taken for true")
			}
		case parser.KindInitDeclarator:
			if value := n.Child(parser.FieldValue); value != nil && leftValue.MatchString(text) {
				e.add(owner, "left", value, e.text(value)+" + 1", text+" + 1")
			}
		case parser.KindSubscriptExpression:
			if coarseIndex.MatchString(text) {
				var last *parser.Node
				for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
					last = c
				}
				if last.FirstNamed() != nil {
					last = last.FirstNamed()
				}
				e.add(owner, "copy", last, "0", text+" is the first copy's")
			}
		}
		return true
	})
}
