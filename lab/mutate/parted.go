package mutate

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// What the rewriter slice leaves where rounds are of arrays or of groups of their rows.
var (
	arrayRound = regexp.MustCompile(`// smux slice: round \d of \d, of (?:rows \d+ to \d+ of )?(\w+)\.\s`)
	inUnion    = regexp.MustCompile(`// smux overlay: (.+) have the same bytes`)
	waiting    = regexp.MustCompile(`\bsmux_r\d`)
	nameOf     = regexp.MustCompile(`\w+`)
)

// parted lists the mutants of exchanges that are made array by array, or by groups of rows, whose
// statements and loops are parted among the rounds: a part that ends early, that runs what the part
// of another round does, or also what that does; an assignment left out of its round, be it to an array
// or to what waits in a register; a row counted from another first one.
func (e *enumerator) parted(owner string, body *parser.Node) {
	text := e.file.Text(body)
	names := map[string]bool{}
	for _, m := range arrayRound.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	if len(names) == 0 {
		return
	}
	for _, m := range inUnion.FindAllStringSubmatch(text, -1) {
		for _, name := range nameOf.FindAllString(m[1], -1) {
			names[name] = true
		}
	}
	p := &partedExchange{e, owner, names}
	for _, at := range arrayRound.FindAllStringIndex(text, -1) {
		list, from := body, body.Start+uint32(at[0])
		body.Walk(func(n *parser.Node) bool { // the innermost list that holds the comment
			if n.Kind == parser.KindCompoundStatement && n.Start <= from && from < n.End {
				list = n
			}
			return true
		})
		p.list(list, from)
		break // all rounds of an exchange stand in one list, and these kernels have one
	}
}

// partedExchange is the exchange whose mutants are listed, and the names of its arrays.
type partedExchange struct {
	*enumerator
	owner string
	names map[string]bool
}

// list lists the mutants of the statements of a list after an offset.
func (p *partedExchange) list(list *parser.Node, from uint32) {
	loops := map[string][]*parser.Node{} // by their head
	var heads []string
	for n := list.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Start < from {
			continue
		}
		if n.Kind == parser.KindForStatement {
			head := p.head(n)
			if loops[head] == nil {
				heads = append(heads, head)
			}
			loops[head] = append(loops[head], n)
		}
		p.inside(n)
	}
	for _, head := range heads {
		parts := loops[head]
		if len(parts) < 2 {
			continue
		}
		for i, n := range parts {
			next := parts[(i+1)%len(parts)]
			other := next.Child(parser.FieldBody)
			if cond := n.Child(parser.FieldCondition); cond.Kind == parser.KindBinaryExpression {
				left := cond.Child(parser.FieldLeft) // of the right side less one there may be none: it is unsigned
				p.add(p.owner, "short", left, "("+p.text(left)+") + 1", p.text(cond)+" ends one element earlier")
			}
			if p.declaredBetween(n, next) {
				continue
			}
			p.replace("part", n, head+" "+p.file.Text(other), "runs what the part of another round does")
			p.replace("both", n, head+" { "+p.file.Text(n.Child(parser.FieldBody))+" "+p.file.Text(other)+" }", "also runs what the part of another round does")
		}
	}
}

// declaredBetween reports whether a statement of a list names what is declared between an earlier
// one and it: the earlier one can't run it.
func (p *partedExchange) declaredBetween(n, later *parser.Node) bool {
	body := p.file.Text(later.Child(parser.FieldBody))
	for s := n.NextNamed(); s != nil && s.Start < later.Start; s = s.NextNamed() {
		if s.Kind != parser.KindDeclaration {
			continue
		}
		for _, name := range nameOf.FindAllString(p.text(s), -1) {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(body) {
				return true
			}
		}
	}
	return false
}

// head is the text of a loop in front of its body.
func (p *partedExchange) head(n *parser.Node) string {
	return strings.Join(strings.Fields(string(p.file.Src[n.Start:n.Child(parser.FieldBody).Start])), " ")
}

// replace adds a mutant in which another statement stands for a loop.
func (p *partedExchange) replace(what string, n *parser.Node, with, text string) {
	p.add(p.owner, what, n, with, p.head(n)+" "+text)
	p.out[len(p.out)-1].statement = true
}

// inside lists the mutants of the assignments and accesses in a statement.
func (p *partedExchange) inside(n *parser.Node) {
	n.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindExpressionStatement:
			if a := n.FirstNamed(); a != nil && a.Kind == parser.KindAssignmentExpression && p.uses(p.text(n)) {
				p.add(p.owner, "lost", n, "", p.text(a)+"; is removed")
			}
		case parser.KindSubscriptExpression:
			if base := n.FirstNamed(); base != nil && p.names[p.text(base)] {
				if at := lastSubscript(n); at != nil {
					p.add(p.owner, "row", at, "("+p.text(at)+") + 1", p.text(n)+" is of the next row")
				}
			}
		}
		return true
	})
}

// uses reports whether a text uses an array of the exchange, or what waits in a register.
func (p *partedExchange) uses(text string) bool {
	for name := range p.names {
		if regexp.MustCompile(`\b` + name + `\[`).MatchString(text) {
			return true
		}
	}
	return waiting.MatchString(text)
}
