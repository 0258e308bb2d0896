package mutate

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// enumerator collects the mutants of a file.
type enumerator struct {
	file   *parser.File
	counts map[string]int // by ID without number
	out    []Mutant
}

// add adds a mutant of a piece of the file.
func (e *enumerator) add(owner, what string, n *parser.Node, with, text string) {
	kind := owner + ":" + what
	e.counts[kind]++
	e.out = append(e.out, Mutant{
		ID: fmt.Sprintf("%s#%d", kind, e.counts[kind]), Pos: e.file.Position(int(n.Start)), Text: text,
		start: int(n.Start), end: int(n.End), with: with,
	})
}

// The calls that are left out, and what such a mutant is called. The argument
// of cg::sync is a group.
var removable = []struct {
	call *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`^__syncthreads\(\)$`), "barrier"},
	{regexp.MustCompile(`^\w+(\.|->)sync\(\)$`), "barrier"},
	{regexp.MustCompile(`^(\w+::)*sync\(\w+\)$`), "barrier"},
	{regexp.MustCompile(`^\w+\.acquire\(\)$`), "acquire"},
	{regexp.MustCompile(`^\w+\.release\(\)$`), "release"},
	{regexp.MustCompile(`^\w+\.start\(\)$`), "start"},
	{regexp.MustCompile(`^\w+\.finish\(\)$`), "finish"},
}

// The conditions that stand guard in emitted code.
var (
	idle       = regexp.MustCompile(`^\(!\w+\.active\)$`)
	turnTest   = regexp.MustCompile(`^\w+\.id( \+ 1)? == \w+$`)
	turnHead   = regexp.MustCompile(`^\w+ < (\d+)$`)
	loopHead   = regexp.MustCompile(`^for \(int (turn|step)`)
	between    = regexp.MustCompile(`^\w+\.sync\(\)$`)
	mineTest   = regexp.MustCompile(`^\(mine\d*\)$`)
	ownSet     = regexp.MustCompile(`^(smux_\w+) ?\[\w+\.(id|slot\(\))\]$`)
	noTurnTest = regexp.MustCompile(`^\(!mine\d*\)$`)
)

// function lists the mutants of a kernel or device function.
func (e *enumerator) function(fn *parser.Function) {
	fn.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindExpressionStatement:
			e.statement(fn.Name, n)
		case parser.KindIfStatement:
			e.guard(fn.Name, n)
		case parser.KindForStatement:
			e.turns(fn.Name, n)
			e.groups(fn.Name, n)
		case parser.KindBinaryExpression:
			if text := e.text(n); turnTest.MatchString(text) {
				e.add(fn.Name, "guard", n, "true", text+" is taken for true")
			}
		case parser.KindSubscriptExpression:
			if m := ownSet.FindStringSubmatch(e.text(n)); m != nil {
				e.add(fn.Name, "set", n, m[1]+"[0]", m[0]+" becomes "+m[1]+"[0]")
			}
		}
		return true
	})
	if staged.MatchString(e.file.Text(fn.Node)) {
		e.copies(fn.Name, fn.Body)
	}
	e.slots(fn.Name, fn.Body)
	if coarsened.MatchString(e.file.Text(fn.Node)) {
		e.coarsenedBlock(fn.Name, fn.Body)
	}
	if sliced.MatchString(e.file.Text(fn.Node)) {
		e.rounds(fn.Name, fn.Body)
		e.parted(fn.Name, fn.Body)
	}
}

// text returns a node's text in one line, with single blanks.
func (e *enumerator) text(n *parser.Node) string {
	return strings.Join(strings.Fields(e.file.Text(n)), " ")
}

func (e *enumerator) statement(owner string, n *parser.Node) {
	call := n.FirstNamed()
	if call == nil || call.Kind != parser.KindCallExpression {
		return
	}
	text := e.text(call)
	for _, r := range removable {
		if r.call.MatchString(text) {
			e.add(owner, r.what, n, "", text+"; is removed")
			return
		}
	}
}

// guard lists the mutants of an if: those of v-TBs that are idle, or whose turn
// it is not.
func (e *enumerator) guard(owner string, n *parser.Node) {
	cond := n.Child(parser.FieldCondition)
	if cond == nil {
		return
	}
	text := e.text(cond)
	switch {
	case idle.MatchString(text):
		e.add(owner, "idle", n, "", "if "+text+" return; is removed")
	case mineTest.MatchString(text):
		e.add(owner, "guard", cond.FirstNamed(), "true", "if "+text+" is taken for true")
	case noTurnTest.MatchString(text):
		e.add(owner, "guard", cond.FirstNamed(), "false", "if "+text+" is taken for false")
	}
}

// turns lists the mutant of a loop over the turns: the last v-TB gets none.
func (e *enumerator) turns(owner string, n *parser.Node) {
	cond := n.Child(parser.FieldCondition)
	if cond == nil || !loopHead.MatchString(e.text(n)) {
		return
	}
	if text := e.text(cond); turnHead.MatchString(text) {
		// The number alone changes: verify knows turn loops by their shape.
		count := cond.Child(parser.FieldRight)
		e.add(owner, "turns", count, e.text(count)+" - 1", text+" becomes "+text+" - 1")
	}
}

// groups lists the mutant of a loop over groups of v-TBs whose head has a barrier: it is left out.
func (e *enumerator) groups(owner string, n *parser.Node) {
	update := n.Child(parser.FieldUpdate)
	if update == nil {
		return
	}
	update.Walk(func(m *parser.Node) bool {
		if m.Kind == parser.KindCallExpression && between.MatchString(e.text(m)) {
			e.add(owner, "between", m, "(void)0", e.text(m)+" between groups is removed")
		}
		return true
	})
}
