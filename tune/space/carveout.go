package space

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/tune/record"
)

// carving is the statements in front of launches that set the carve-out. The
// driver takes the part of an SM's storage for shared memory from a preference of the
// kernel (cc 7.0 and later), which a program states in front of its launches, as the
// device may have been changed since:
//
//	                            cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
//	k<<<grid, block>>>(a); -->  k<<<grid, block>>>(a);
type carving map[*parser.File]*edit.Buffer

const carveStatement = "cudaFuncSetAttribute(%s, cudaFuncAttributePreferredSharedMemoryCarveout, %d);"

// carve plans the statements for the kernels of a group. The error is a
// *record.Failure: a launch is where no statement can be put, or the kernel can't be
// named there for certain.
func (c carving) carve(kernels []*analysis.Kernel, percent int) error {
	prog := kernels[0].Prog
	seen := map[*parser.Launch]bool{}
	for _, f := range prog.Parsed.Files {
		if bytes.Contains(f.Src, []byte("StreamBeginCapture")) {
			return noCarve(f, 0, "the program captures launches in graphs, which keep the carve-out of their making")
		}
	}
	for _, k := range kernels {
		for _, l := range k.Launches {
			if seen[l.View] {
				continue
			}
			seen[l.View] = true
			if err := c.launch(prog, k, l); err != "" {
				return noCarve(l.File, l.View.Open, err)
			}
			c.insert(l, percent)
		}
	}
	if len(seen) == 0 {
		k := kernels[0]
		return noCarve(k.File, k.View.Start, "no launch of it is in view")
	}
	return nil
}

func noCarve(f *parser.File, at int, why string) error {
	return &record.Failure{Kind: record.FailedRewrite, Text: fmt.Sprintf("no carve-out: %s: %s", f.Position(at), why)}
}

// launch returns what is against a statement in front of a launch, "" for nothing.
func (c carving) launch(prog *analysis.Program, k *analysis.Kernel, l *analysis.Launch) string {
	v := l.View
	switch {
	case v.Error != nil || v.Callee == nil || v.Function == nil:
		return "the launch could not be parsed"
	case !slices.Contains(prog.Parsed.Files, l.File):
		return "the launch is in a file that was not named for rewriting"
	case v.Function.IsKernel() || v.Function.IsDevice():
		return "the launch is made on the GPU"
	case !isStatement(l.File, v.Node):
		return "the launch is not a statement of its own"
	case overloaded(prog.Parsed, l.File, k.Name):
		return "several functions have the kernel's name"
	case !instantiates(v, k.View):
		return "the launch leaves the template's arguments to the compiler"
	}
	return ""
}

// isStatement reports whether a node is an expression statement whose text is all
// in the file, in a block, after a case, or as what an if or a loop runs.
func isStatement(f *parser.File, n *parser.Node) bool {
	s := n.Parent
	if s == nil || s.Kind != parser.KindExpressionStatement || s.Start != n.Start || f.Src[s.End-1] != ';' {
		return false
	}
	return inList(s) || runAlone(s)
}

// inList reports whether another statement can stand in front of one.
func inList(s *parser.Node) bool {
	if s.Parent == nil {
		return false
	}
	switch s.Parent.Kind {
	case parser.KindCompoundStatement, parser.KindCaseStatement:
		return true
	}
	return false
}

// runAlone reports whether a statement is what an if or a loop runs, without
// braces.
func runAlone(s *parser.Node) bool {
	if s.Parent == nil {
		return false
	}
	switch s.Parent.Kind {
	case parser.KindIfStatement, parser.KindElseClause, parser.KindForStatement, parser.KindForRangeLoop, parser.KindWhileStatement, parser.KindDoStatement:
		return true
	}
	return false
}

// overloaded reports whether a file sees several functions of a name, so that the
// name alone is not enough.
func overloaded(p *parser.Program, f *parser.File, name string) bool {
	defined := 0
	for _, g := range p.Reach(f) {
		for _, fn := range g.Functions {
			if fn.Name == name && fn.Body != nil && fn.Class == "" {
				defined++
			}
		}
	}
	return defined > 1
}

// instantiates reports whether a launch names an instance of a template by itself:
// all its arguments stand there, or have defaults.
func instantiates(l *parser.Launch, k *parser.Function) bool {
	if !k.IsTemplate {
		return true
	}
	given := 0
	if l.TemplateArgs != nil {
		for n := l.TemplateArgs.FirstNamed(); n != nil; n = n.NextNamed() {
			given++
		}
	}
	for i, p := range k.Template {
		if p.Pack || i >= given && p.Default == nil {
			return false
		}
	}
	return l.TemplateArgs != nil
}

// insert puts the statement in front of a launch: on a line of its own where the
// launch begins its line.
func (c carving) insert(l *analysis.Launch, percent int) {
	f, s := l.File, l.View.Node.Parent
	if c[f] == nil {
		c[f] = &edit.Buffer{}
	}
	text := fmt.Sprintf(carveStatement, f.Text(l.View.Callee), percent)
	start := int(s.Start)
	line := bytes.LastIndexByte(f.Src[:start], '\n') + 1
	indent := f.Src[line:start]
	switch {
	case runAlone(s):
		c[f].Insert(start, "{ "+text+" ")
		c[f].Insert(int(s.End), " }")
	case len(bytes.TrimSpace(indent)) == 0 && line > 0:
		c[f].Insert(start, text+f.Newline()+string(indent))
	default:
		c[f].Insert(start, text+" ")
	}
}
