package acc

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// pragma is a directive with what it governs.
type pragma struct {
	directive.Directive
	start, end int              // of its line or lines in the original, without the last newline
	stmt       *parser.Node     // the statement under it
	fn         *parser.Function // around it, nil for none
	taken      map[string]bool  // the clauses that the translation does, by name
}

// standalone are the directives that govern no statement.
var standalone = map[string]bool{
	"enter data": true, "exit data": true, "update": true, "wait": true, "init": true, "shutdown": true, "set": true, "declare": true, "routine": true, "cache": true,
}

// unit is a file on its way.
type unit struct {
	*source
	words   map[string]bool // of the file, and those that the translation adds
	pragmas []*pragma
	vars    []*variable
	byName  map[string][]*variable
	said    []diag.Message          // that do not stop it
	headers []*source               // local headers that it includes, for what they declare
	types   map[string]*variable    // that typedefs name, each as a variable of the type
	hasRows bool                    // some variables have rows of run-time length
	members map[memberKey]*variable // pointers in structures that stand for themselves
	// labels are labelsAround, by the function; entries are the nodes into which control may come by one, or
	// to a case. Both are filled where they are asked for.
	labels  map[*parser.Node]map[*parser.Node][]*parser.Node
	entries map[*parser.Node]bool
}

func (u *unit) sources() []*source { return append([]*source{u.source}, u.headers...) }

// at is the position of a place of the original.
func (s *source) at(offset int) diag.Position { return s.from.Of(s.file.Position(offset)) }

func (s *source) place(n *parser.Node) diag.Position {
	from, _ := s.rangeOf(n)
	return s.at(from)
}

// stop is a panic that ends the translation of a directive, or of the file.
type stop struct{ error }

// refusal is a stop with a place and a reason.
func refusal(at diag.Position, code diag.Code, text, help string) stop {
	return stop{diag.Message{Pos: at, Code: code, Text: text, Help: help}}
}

// refuseIf stops if something is so.
func refuseIf(is bool, at diag.Position, code diag.Code, text, help string) {
	if is {
		panic(refusal(at, code, text, help))
	}
}

// stopped returns the error of the stop by which a function ends, nil if it does not end by one.
func stopped(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case stop:
			err = v.error
		default:
			panic(v)
		}
	}()
	f()
	return nil
}

func stopFor(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// each does something with each directive, and joins the errors of those that it stops at.
func each(all []*pragma, do func(*pragma)) error {
	return errors.Join(lists.Map(all, func(p *pragma) error { return stopped(func() { do(p) }) })...)
}

func (u *unit) say(at diag.Position, code diag.Code, text, help string) {
	if m := (diag.Message{Pos: at, Code: code, Text: text, Help: help}); !slices.Contains(u.said, m) {
		u.said = append(u.said, m)
	}
}

// readPragmas reads every directive that counts and binds it.
func (u *unit) readPragmas() error {
	src := u.file.Src
	var errs []error
	for _, s := range u.sources() {
		if at := pragmaOperator.FindIndex(s.tree.Src); at != nil {
			from, _ := s.original(at[0], at[1])
			errs = append(errs, refusal(s.at(from), CodeUnsupported, "a directive by _Pragma", "write it as a line of its own: #pragma acc").error)
		}
	}
	for _, d := range parser.Directives(src) {
		rest, ok := directive.After(string(src[d[0]:d[1]]))
		if !ok || u.file.Macros.Dead(d[0]) {
			continue
		}
		errs = append(errs, stopped(func() {
			p := &pragma{start: d[0], end: d[1], Directive: u.parse(rest, d[1]-len(rest))}
			u.forCUDA(p)
			u.bind(p)
			u.pragmas = append(u.pragmas, p)
		}))
	}
	return errors.Join(append(errs, each(u.pragmas, u.checkLevel), each(u.pragmas, u.checkCollapse))...)
}

func (s *source) stopAt(err error) {
	var wrong *directive.Error
	if errors.As(err, &wrong) {
		panic(refusal(s.at(wrong.Pos), wrong.Code, wrong.Text, wrong.Help))
	}
}

var pragmaOperator = regexp.MustCompile(`_Pragma\s*\(\s*"\s*acc\b`)

// bind finds the statement under a directive and the function around it.
func (u *unit) bind(p *pragma) {
	at := u.written(p.start)
	p.fn = lists.Find(u.tree.Functions, func(f *parser.Function) bool { return f.Body != nil && int(f.Body.Start) < at && at < int(f.Body.End) })
	if standalone[p.Name] {
		return
	}
	pos := u.at(p.Pos)
	refuseIf(p.fn == nil, pos, CodeStatement, p.Name+" stands outside of functions", "put it over a statement")
	for n := range p.fn.Body.All() {
		if int(n.Start) >= at && slices.Contains(statements, n.Kind) {
			p.stmt = n
			break
		}
	}
	refuseIf(p.stmt == nil || int(p.stmt.Parent.Start) > at, pos, CodeStatement, "no statement stands under "+p.Name, "put it over the loop or block that it is about")
	refuseIf(p.Loop() && p.stmt.Kind != parser.KindForStatement, pos, CodeStatement, "what stands under "+p.Name+" is no for loop", "put it right over the loop")
}

// statements are the kinds of nodes that stand in a block.
var statements = []parser.Kind{
	parser.KindCompoundStatement, parser.KindExpressionStatement, parser.KindForStatement, parser.KindIfStatement, parser.KindWhileStatement,
	parser.KindDoStatement, parser.KindReturnStatement, parser.KindSwitchStatement, parser.KindBreakStatement, parser.KindContinueStatement,
	parser.KindGotoStatement, parser.KindLabeledStatement, parser.KindDeclaration,
}

// computing are those of directives that are of compute constructs.
func computing(all []*pragma) []*pragma {
	return lists.Filter(all, func(p *pragma) bool { return p.Compute() })
}

// over is the directive right over a statement of which something is true, nil if there is none.
func (u *unit) over(n *parser.Node, is func(*pragma) bool) *pragma {
	return lists.Find(u.pragmas, func(p *pragma) bool { return p.stmt == n && is(p) })
}

// someIn reports whether something is true of a directive over a statement, or over one in it.
func (u *unit) someIn(n *parser.Node, is func(*pragma) bool) bool {
	return slices.ContainsFunc(u.pragmas, func(p *pragma) bool { return p.stmt != nil && within(p.stmt, n) && is(p) })
}

func (u *unit) loopOver(n *parser.Node) *pragma { return u.over(n, (*pragma).Loop) }

// within reports whether a node is inside another one, or is it.
func within(n, outer *parser.Node) bool { return n.Start >= outer.Start && n.End <= outer.End }

// levels are the levels of parallelism (OpenACC 3.3, section 2.9), the coarsest first.
var levels = []string{"gang", "worker", "vector"}

// checkLevel refuses a loop whose level is not finer than that around it. The very same levels pass, as for gangs of several dimensions.
func (u *unit) checkLevel(p *pragma) {
	inner := levelsOf(p)
	for _, q := range u.pragmas {
		outer := levelsOf(q)
		if len(inner) == 0 || len(outer) == 0 || p.stmt == q.stmt || !within(p.stmt, q.stmt) || slices.Equal(inner, outer) || inner[0] > slices.Max(outer) {
			continue
		}
		clause, _ := p.Clause(levels[inner[0]])
		panic(refusal(u.at(clause.Pos), CodeLevel, fmt.Sprintf("a %s loop stands inside of the %s loop of line %d", clause.Name, levels[slices.Max(outer)], u.at(q.Pos).Line),
			"let gang stand outermost, then worker, then vector"))
	}
}

// levelsOf are the levels that a loop directive names, as indices of levels.
func levelsOf(p *pragma) (out []int) {
	for i, name := range levels {
		if p.Loop() && p.Has(name) {
			out = append(out, i)
		}
	}
	return out
}

// checkCollapse refuses collapse and tile of more loops than stand directly in one another.
func (u *unit) checkCollapse(p *pragma) {
	if n, ok := u.collapseOf(p); ok && directly(p.stmt, n) < n {
		clause := p.Clauses[slices.IndexFunc(p.Clauses, func(c directive.Clause) bool { return c.Name == "tile" || c.Name == "collapse" })]
		panic(refusal(u.at(clause.Pos), CodeLoop, fmt.Sprintf("%s names %d loops, and only %d stand directly in one another", clause.Name, n, directly(p.stmt, n)),
			"take what stands between them out, or name fewer"))
	}
}

// directly counts the loops that stand directly in one another, from a loop on, up to a number.
func directly(s *parser.Node, most int) int {
	for depth := 1; depth < most; depth++ {
		inner := statementsOf(s.Child(parser.FieldBody))
		if len(inner) != 1 || inner[0].Kind != parser.KindForStatement {
			return depth
		}
		s = inner[0]
	}
	return most
}
