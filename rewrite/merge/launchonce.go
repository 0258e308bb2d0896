package merge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// What a merged launch says (its grid, its block, and how many blocks the grid of the
// original one has) is made once of what the original launch says, and has a name:
//
//	k<<<next(), 64>>>(a);
//	--> const auto smux_launch = smux::merge<2, 64>(next(), 64);
//	    k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);
//
// That asks for the launch to be a statement by itself, so that nothing else is evaluated before it. Where it is not,
// all is asked for again for each part, and must be repeatable. C++ evaluates the configuration before the kernel's
// arguments, but leaves open in which order its parts are. Where the grid's expression may do something, or say
// something else when it is asked again, it must not matter which compilers chose: the other parts must be made of
// numbers and of local variables that the grid's expression doesn't name and nothing else can reach.

// canName reports whether a part of a launch's configuration, the grid or the block, can be proved to be the same when it is
// evaluated before the launch.
func canName(part int, k *analysis.Kernel, launch *analysis.Launch, e *ir.Expr, host *ir.Func) bool {
	if statementOf(launch) == nil {
		return false
	}
	v := launch.View
	named := map[*ir.Var]bool{}
	name := func(t *ir.Expr) bool {
		if t.Var != nil {
			named[t.Var] = true
		}
		return true
	}
	e.Kids[part].Walk(name)
	for t := range host.Body.AllExprs() {
		if t.Op == ir.OpLambda { // it may hold a variable by reference, and be called from anywhere
			t.Lambda.WalkExprs(name)
		}
	}
	for i := range v.Config {
		if i == part || i == 1 && hasConstantBlock(k, launch) {
			continue // numbers, whatever they are called
		}
		if !standsAlone(k.Prog, host, e.Kids[i], named) {
			return false
		}
	}
	return true
}

// standsBeside reports whether what a launch that has no name for its grid says of grid and
// block stays, whatever the other parts of its configuration do.
func (l *LaunchProof) standsBeside(host *ir.Func, e *ir.Expr, parts int) bool {
	for _, other := range e.Kids[2:parts] {
		if l.Prog.Effect(host, other).Repeatable() {
			continue
		}
		named := map[*ir.Var]bool{}
		for t := range other.All() {
			if t.Var != nil {
				named[t.Var] = true
			}
		}
		if !standsAlone(l.Prog, host, e.Kids[0], named) || !standsAlone(l.Prog, host, e.Kids[1], named) {
			return false
		}
	}
	return true
}

// LaunchName is the variable that holds what a merged launch says.
const LaunchName = "smux_launch"

// nameLaunch has what a merged launch says asked for before it, and returns its name: launches of
// one function have different ones.
func (c launchChange) nameLaunch(b *edit.Buffer, merged string) (name string) {
	f, statement := c.File, statementOf(c.Launch)
	name = c.freshName()
	start, end := int(statement.Start), int(statement.End)
	line, sep := "const auto "+name+" = "+merged+";", " "
	alone := kit.FirstOnLine(f, start)
	if alone {
		sep = f.Newline() + kit.IndentAt(f, start)
	}
	if opensNoScope(f, c.View.Function, statement) {
		b.Insert(start, line+sep)
		return name
	}
	closing := " }"
	if alone && kit.EndOfLine(f, end) == kit.LineEnd(f, end) {
		closing, end = sep+"}", kit.EndOfLine(f, end) // which SetIn sets in
	} else {
		sep = " "
	}
	b.Insert(start, "{"+sep+line+sep)
	b.Insert(end, closing)
	return name
}

// freshName is the variable's name: with the number of the launch in its function after those
// that an earlier rewrite left there.
func (c launchChange) freshName() string {
	f, fn, n := c.File, c.View.Function, 1
	for _, other := range f.Launches {
		if other.Function == fn && other.Open < c.View.Open {
			n++
		}
	}
	body, last := string(f.Src[fn.Body.Start:fn.Body.End]), 0
	for i := 1; i <= len(f.Launches)+last; i++ {
		if _, macro := f.Macros.Lookup(numbered(i), c.View.Open); macro || len(kit.WordOffsets(body, numbered(i))) > 0 {
			last = i
		}
	}
	return numbered(last + n)
}

func numbered(i int) string {
	if i == 1 {
		return LaunchName
	}
	return LaunchName + strconv.Itoa(i)
}

// opensNoScope reports whether a declaration can stand before a statement as it is: in a list of statements that no
// jump enters, after a whole statement. What else stands before it may be the head of a loop, in a macro, too.
func opensNoScope(f *parser.File, fn *parser.Function, statement *parser.Node) bool {
	list := statement.Parent
	if list == nil || list.Kind != parser.KindCompoundStatement || fn == nil || fn.Body == nil || list.Parent != nil && list.Parent.Kind == parser.KindSwitchStatement {
		return false
	}
	if holds(fn.Body, parser.KindLabeledStatement) || holds(list, parser.KindCaseStatement) {
		return false
	}
	tokens := parser.TokensBetween(f.Src, int(list.Start), int(statement.Start))
	if len(tokens) == 0 {
		return false
	}
	last := tokens[len(tokens)-1]
	line := strings.TrimSpace(string(f.Src[kit.LineStart(f, last.Start):last.Start]))
	return strings.Contains(";{}", string(f.Src[last.Start:last.End])) && !strings.HasPrefix(line, "#")
}

func holds(n *parser.Node, kind parser.Kind) (found bool) {
	n.Walk(func(n *parser.Node) bool {
		found = found || n.Kind == kind
		return !found
	})
	return found
}

// longLine is the number of columns of a line that a person sees side by side with another.
const longLine = 120

// breakLine puts the kernel's arguments on a line of their own where the line of a launch became too long.
func (c launchChange) breakLine(b *edit.Buffer, before int) {
	f, args := c.File, c.View.Node.Child(parser.FieldArguments)
	if args == nil {
		return
	}
	start, end := kit.LineStart(f, int(args.Start)), kit.LineEnd(f, int(args.Start))
	columns := end - start
	for _, e := range b.Edits()[before:] {
		if e.Start < start || e.End > end {
			continue
		}
		text := e.New
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
		columns += len(text) - (e.End - e.Start)
	}
	first := args.FirstNamed()
	if c.View.Call != "" {
		first = c.firstPassed()
	}
	at := int(c.View.Node.Start)
	if statement := statementOf(c.Launch); statement != nil {
		at = int(statement.Start)
	}
	if columns <= longLine || first == nil || !kit.FirstOnLine(f, at) || kit.LineStart(f, int(first.Start)) != start {
		return
	}
	gap := int(first.Start)
	for f.Src[gap-1] == ' ' {
		gap--
	}
	b.Replace(gap, int(first.Start), f.Newline()+kit.IndentAt(f, start)+kit.UnitOf(f.Src))
}

// firstPassed returns what a call of the runtime passes first to the kernel, nil for nothing.
func (c launchChange) firstPassed() *parser.Node {
	if v := c.View; v.Packed != nil {
		return v.Packed
	}
	if passed := c.View.Arguments(); len(passed) > 0 {
		return passed[0]
	}
	return nil
}

// hasConstantBlock reports whether the block of a launch is known from the program's text.
func hasConstantBlock(k *analysis.Kernel, launch *analysis.Launch) bool {
	for _, in := range launches.InstancesOf(k, launch) {
		if _, known := in.BlockShape(); !known || in.Told {
			return false
		}
	}
	return true
}

// standsAlone reports whether an expression of the host depends on nothing but numbers and on
// variables that nobody else can reach, and none of those that are named elsewhere.
func standsAlone(prog *analysis.Program, host *ir.Func, e *ir.Expr, named map[*ir.Var]bool) bool {
	does := prog.Effect(host, e)
	return does.Anywhere() && !slices.ContainsFunc(does.Reads, func(v *ir.Var) bool { return named[v] || v.AddrTaken })
}
