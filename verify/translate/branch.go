package translate

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Branch is a part of a kernel or of a device function that runs as a whole or not at all, but for jumps out of it: the function's body, a
// branch of an if, what a loop repeats, a case, what stands after an if that leaves, or an operand of ?: that loads. What is under #if has none.
type Branch struct {
	Function   string
	Start, End int    // from its first statement on
	ID         uint32 // under which the run-time counts how often it is reached: below 1 << 18, by the file's name and the offset
	Outer      int    // the number of the branch around it, -1 for a function's body
}

// Branches returns the branches of a file, outer ones first.
func Branches(f *parser.File) []Branch {
	return lists.Map(branchesOf(f), func(b branch) Branch { return b.Branch })
}

// branch is a branch with the place of its mark, by which the runtime hears of it. One without braces or parentheses gets some.
type branch struct {
	Branch
	at   int
	form form
}

type form int

const (
	bound     form = iota
	statement      // it gets braces
	operand        // it gets parentheses
)

func branchesOf(f *parser.File) (out []branch) {
	own := runtimeLines(f)
	for _, fn := range f.Functions {
		if line := f.Position(fn.Start).Line; line >= own[0] && line <= own[1] {
			continue
		}
		if fn.Body != nil && fn.Error == nil && fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 && !strings.Contains(string(f.Src[fn.Start:fn.Body.Start]), "constexpr") {
			w := &branchWalk{f, fn.Name, out}
			w.statements(fn.Body, w.add(fn.Body, int(fn.Body.Start)+1, int(fn.Body.End), -1, bound))
			out = w.out
		}
	}
	return out
}

type branchWalk struct {
	file     *parser.File
	function string
	out      []branch
}

func (w *branchWalk) add(n *parser.Node, at, end, outer int, form form) int {
	if first := n.FirstNamed(); n.Kind == parser.KindCompoundStatement && first != nil {
		n = first
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s:%d", w.file.Name, at)
	w.out = append(w.out, branch{Branch{Function: w.function, Start: int(n.Start), End: end, ID: h.Sum32() >> 14, Outer: outer}, at, form})
	return len(w.out) - 1
}

// statements goes through those of a block, or of a case.
func (w *branchWalk) statements(n *parser.Node, outer int) {
	for s := n.First; s != nil; s = s.Next {
		w.statement(s, outer)
		if next := s.NextNamed(); s.Kind == parser.KindIfStatement && n.Kind == parser.KindCompoundStatement && next != nil &&
			s.Child(parser.FieldAlternative) == nil && leaves(s.Child(parser.FieldConsequence)) {
			outer = w.add(next, int(s.End), int(n.End), outer, bound)
		}
	}
}

func (w *branchWalk) statement(s *parser.Node, outer int) {
	switch s.Kind {
	case parser.KindIfStatement:
		w.body(s.Child(parser.FieldConsequence), outer)
		if other := s.Child(parser.FieldAlternative); other != nil {
			w.body(other.FirstNamed(), outer)
		}
	case parser.KindForStatement, parser.KindForRangeLoop, parser.KindWhileStatement:
		w.body(s.Child(parser.FieldBody), outer)
	case parser.KindCaseStatement:
		if first := s.FirstNamed(); first != nil && s.Child(parser.FieldValue) == first && first.NextNamed() != nil {
			colon := int(first.End) + strings.IndexByte(string(w.file.Src[first.End:s.End]), ':')
			outer = w.add(first.NextNamed(), colon+1, int(s.End), outer, bound)
		}
		w.statements(s, outer)
	case parser.KindCompoundStatement, parser.KindSwitchStatement, parser.KindDoStatement, parser.KindLabeledStatement:
		w.statements(s, outer)
	case parser.KindExpressionStatement, parser.KindDeclaration, parser.KindReturnStatement:
		w.operands(s, outer)
	}
}

// operands goes through the operands of ?: that load an element, but for those that the compiler may need to know.
func (w *branchWalk) operands(s *parser.Node, outer int) {
	if text := w.file.Text(s); strings.ContainsAny(text, "#{") || strings.Contains(text, "constexpr") || strings.Contains(text, "static") {
		return
	}
	s.Walk(func(n *parser.Node) bool {
		for _, field := range []parser.Field{parser.FieldConsequence, parser.FieldAlternative} {
			if n.Kind != parser.KindConditionalExpression {
				break
			}
			if of := n.Child(field); of != nil && of.Any(func(m *parser.Node) bool {
				return m.Kind == parser.KindSubscriptExpression || m.Kind == parser.KindPointerExpression
			}) {
				w.add(of, int(of.Start), int(of.End), outer, operand)
			}
		}
		return n.Kind != parser.KindLambdaExpression && n.Kind != parser.KindTemplateArgumentList
	})
}

// body goes through what a condition decides about. What only leaves is no branch: what stands after it is one.
func (w *branchWalk) body(s *parser.Node, outer int) {
	switch {
	case s == nil || leaves(s) && (s.FirstNamed() == nil || s.FirstNamed().NextNamed() == nil):
	case s.Kind == parser.KindCompoundStatement:
		w.statements(s, w.add(s, int(s.Start)+1, int(s.End), outer, bound))
	case slices.Contains([]parser.Kind{parser.KindExpressionStatement, parser.KindForStatement, parser.KindWhileStatement}, s.Kind) && s.FirstNamed() != nil &&
		!strings.Contains(w.file.Text(s), "#"):
		w.statement(s, w.add(s, int(s.Start), int(s.End), outer, statement))
	default:
		w.statement(s, outer)
	}
}

// leaves reports whether a statement ends with a jump.
func leaves(s *parser.Node) bool {
	for s != nil && s.Kind == parser.KindCompoundStatement {
		last := s.FirstNamed()
		for next := last; next != nil; next = next.NextNamed() {
			last = next
		}
		s = last
	}
	return s != nil && slices.Contains([]parser.Kind{parser.KindReturnStatement, parser.KindBreakStatement, parser.KindContinueStatement}, s.Kind)
}

// countBranches has the run-time count how often each branch is reached. Its edits come around all others.
func countBranches(t *text) {
	var openers, closers []edit.Edit
	inside := func(at int) bool {
		return slices.ContainsFunc(t.edits, func(e edit.Edit) bool { return e.Start < at && at < e.End })
	}
	for _, b := range branchesOf(t.file) {
		if inside(b.at) || inside(b.End) {
			continue
		}
		mark := fmt.Sprintf("SMUX_CPU_REACHED(%d); ", b.ID)
		around := map[form][2]string{statement: {"{ " + mark, " }"}, operand: {"(({ " + mark + "}), ", ")"}}[b.form]
		switch {
		case b.form != bound:
			openers = append(openers, edit.Edit{Start: b.at, End: b.at, New: around[0]})
			closers = append(closers, edit.Edit{Start: b.End, End: b.End, New: around[1]})
		case t.file.Src[b.at-1] == '{' || t.file.Src[b.at-1] == ':':
			openers = append(openers, edit.Edit{Start: b.at, End: b.at, New: " " + mark})
		default:
			closers = append(closers, edit.Edit{Start: b.at, End: b.at, New: " " + mark})
		}
	}
	t.edits = slices.Concat(openers, t.edits, closers)
}
