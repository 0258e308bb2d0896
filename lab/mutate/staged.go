package mutate

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// What the rewriter stage leaves in a function.
var (
	staged     = regexp.MustCompile(`// smux stage:`)
	tileName   = regexp.MustCompile(`^\w+_tile\b`)
	copyHead   = regexp.MustCompile(`^for \((?:int|unsigned) \w+ = [^;]*threadIdx[^;]*; \w+ < (\d+); \w+ \+= [^;]*\)`)
	fewThreads = regexp.MustCompile(`^\((?:threadIdx\.[yz] == 0 && )*threadIdx\.x < (\d+)\)$`)
	fromArray  = regexp.MustCompile(`^(\w+)_tile\b[^=]*= (?:__ldg\(&|\w+\()?(\w+)(?:\[|, )`)
	fromTile   = regexp.MustCompile(`^\w+\[[^=]*= \w+_tile\b`)
	insideTile = regexp.MustCompile(`^\(unsigned(?: long long)?\)`)
	fetched    = regexp.MustCompile(`^__pipeline_memcpy_async\(&\w+_tile\b`)
	waited     = regexp.MustCompile(`^__pipeline_wait_prior\((\d+)\)$`)
	fetches    = regexp.MustCompile(`^fetch\d*\(`)
	tileHalf   = regexp.MustCompile(`^\w+_tile\d*\[buffer\d*\]$`)
	stripAt    = regexp.MustCompile(`^\w+ - \w+0$`)
	ringPlace  = regexp.MustCompile(`% \d+u$`)
	vectorCopy = regexp.MustCompile(`^\*reinterpret_cast<\w+ \*>\(&(\w+)_tile\b`)
	fromVector = regexp.MustCompile(`^\(?&(\w+)\[.*\]\)?$`)
	vectorTail = regexp.MustCompile(`^for \(unsigned \w+ = [^;]*; \w+ < [^;]* \+ [13]; \w+\+\+\)`)
	tileEnd    = regexp.MustCompile(`^\w+ < \w+0 \+ (\w+_len|\d+)$`)
)

// copies lists the mutants of arrays that are staged: a copy that ends early, a guard that
// an element is copied under left out, a tile that is read one element on, one iteration
// less of a tile, a thread that stands for its neighbour, a question whether a subscript lies in
// a table that is answered by yes, the first strip for any other; a vector that is read from the next element
// on, and one element less of what is left after the vectors. Of tiles that are copied ahead also one that is not, or to the
// other half, and one that is read there, a wait for them that is left out or for a group less, and groups that are
// not committed.
func (e *enumerator) copies(owner string, body *parser.Node) {
	body.Walk(func(n *parser.Node) bool {
		text := e.text(n)
		switch n.Kind {
		case parser.KindForStatement:
			if m := copyHead.FindStringSubmatch(text); m != nil {
				e.less(owner, n.Child(parser.FieldCondition))
			}
			if vectorTail.MatchString(text) {
				e.less(owner, n.Child(parser.FieldCondition))
			}
			if cond := n.Child(parser.FieldCondition); cond != nil && tileEnd.MatchString(e.text(cond)) {
				e.less(owner, cond)
			}
		case parser.KindIfStatement:
			cond := n.Child(parser.FieldCondition)
			if fewThreads.MatchString(e.text(cond)) {
				e.less(owner, inner(cond))
				return true
			}
			if then := n.Child(parser.FieldConsequence); then != nil {
				first := strings.TrimLeft(e.text(then), "{ \r\n\t")
				whichThread := strings.HasPrefix(e.text(cond), "(threadIdx.y == 0)")
				if !whichThread && (copied(first) || fetched.MatchString(first) || vectorCopy.MatchString(first)) {
					e.conjuncts(owner, inner(cond))
				}
			}
		case parser.KindCallExpression:
			if list := n.Child(parser.FieldArguments); list != nil && strings.HasPrefix(text, "reinterpret_cast<const ") {
				if from := list.FirstNamed(); from != nil && fromVector.MatchString(e.text(from)) {
					e.add(owner, "unaligned", from, e.text(from)+" + 1", text+" begins one element on")
				}
			}
			if m := waited.FindStringSubmatch(text); m != nil {
				e.add(owner, "unwaited", n, "void()", text+" is left out")
				e.add(owner, "prior", n.Child(parser.FieldArguments).FirstNamed(), m[1]+" + 1", text+" waits for a group less")
			}
			if text == "__pipeline_commit()" {
				e.add(owner, "uncommitted", n, "void()", text+" is left out")
			}
			if fetches.MatchString(text) {
				half := n.Child(parser.FieldArguments).FirstNamed().NextNamed()
				e.add(owner, "half", half, "1 ^ ("+e.text(half)+")", text+" copies to the other half")
				e.add(owner, "unfetched", n, "void()", text+" is left out")
			}
		case parser.KindConditionalExpression:
			if cond := n.Child(parser.FieldCondition); cond != nil && insideTile.MatchString(e.text(cond)) {
				e.conjuncts(owner, cond)
			}
		case parser.KindSubscriptExpression:
			if at := lastSubscript(n); at != nil && !tileName.MatchString(text) && stripAt.MatchString(e.text(at)) {
				e.add(owner, "strip", at, "0", text+" is of the first strip")
			}
			// Of a[i][j] the last subscript, and the first by the expression inside.
			ofRing := ringPlace.MatchString(e.text(lastSubscript(n)))
			if !tileName.MatchString(text) || written(n) && !tileHalf.MatchString(text) && !ofRing {
				return true
			}
			if at := lastSubscript(n); tileHalf.MatchString(text) {
				e.add(owner, "half", at, e.text(at)+" ^ 1", text+" is the other half")
			} else if at != nil && ringPlace.MatchString(e.text(at)) {
				e.add(owner, "plane", at.FirstNamed(), "1 + "+e.text(at.FirstNamed()), text+" is of the next plane")
			} else if at != nil {
				e.add(owner, "next", at, e.text(at)+" + 1", text+" reads the next element")
			}
		}
		return true
	})
}

// copied reports whether a statement copies an element to a tile, or out of one.
func copied(text string) bool {
	m := fromArray.FindStringSubmatch(text)
	return m != nil && m[1] == m[2] || fromTile.MatchString(text)
}

// less makes the right side of a comparison one less.
func (e *enumerator) less(owner string, cond *parser.Node) {
	if cond == nil || cond.Kind != parser.KindBinaryExpression {
		return
	}
	right := cond.Child(parser.FieldRight)
	e.add(owner, "short", right, e.text(right)+" - 1", e.text(cond)+" ends one element earlier")
}

// conjuncts leaves out each part of a condition.
func (e *enumerator) conjuncts(owner string, cond *parser.Node) {
	if cond == nil {
		return
	}
	if cond.Kind == parser.KindBinaryExpression {
		left, right := cond.Child(parser.FieldLeft), cond.Child(parser.FieldRight)
		if between := string(e.file.Src[left.End:right.Start]); strings.TrimSpace(between) == "&&" {
			e.conjuncts(owner, left)
			e.conjuncts(owner, right)
			return
		}
	}
	kind := "unguarded"
	if ofTile.MatchString(e.text(cond)) {
		kind = "beyond"
	}
	e.add(owner, kind, cond, "true", e.text(cond)+" is taken for true")
}

// ofTile matches the condition under which a thread has an element of the tile at all.
var ofTile = regexp.MustCompile(`^i\d* < \d+$`)

// inner is the expression in a condition's parentheses.
func inner(cond *parser.Node) *parser.Node {
	for cond != nil && (cond.Kind == parser.KindConditionClause || cond.Kind == parser.KindParenthesizedExpression) {
		cond = cond.FirstNamed()
	}
	return cond
}

// written reports whether a subscript is what is assigned to, or part of a longer one.
func written(n *parser.Node) bool {
	p := n.Parent
	return p != nil && (p.Kind == parser.KindAssignmentExpression && p.Child(parser.FieldLeft) == n || p.Kind == parser.KindSubscriptExpression && p.FirstNamed() == n)
}

// lastSubscript is the expression in the last brackets.
func lastSubscript(n *parser.Node) *parser.Node {
	var last *parser.Node
	for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
		last = c
	}
	for last != nil && last.Kind == parser.KindSubscriptArgumentList {
		last = last.FirstNamed()
	}
	return last
}
