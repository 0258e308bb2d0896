package space

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// carve puts statements in front of launches that set the kernel's preference for shared memory (cc 7.0 and later), as the
// device may have been changed since:
//
//	                            cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
//	k<<<grid, block>>>(a); -->  k<<<grid, block>>>(a);
//
// The error is a *record.Failure: no statement can stand there, or the kernel can't be named for certain.
func (d *draft) carve() error {
	if d.form.Carveout == 0 {
		return nil
	}
	kernels, err := d.kernels()
	if err != nil {
		return err
	}
	none := func(f *parser.File, at int, why string) error {
		return unavailable("no carve-out: %s: %s", f.Position(at), why)
	}
	prog, edits := kernels[0].Prog, map[*parser.File]*edit.Buffer{}
	for _, f := range prog.Parsed.Files {
		if bytes.Contains(f.Src, []byte("StreamBeginCapture")) {
			return none(f, 0, "the program captures launches in graphs, which keep the carve-out of their making")
		}
	}
	seen := map[*parser.Launch]bool{}
	for _, k := range kernels {
		for _, l := range k.Launches {
			if seen[l.View] {
				continue
			}
			seen[l.View] = true
			if why := uncarvable(prog, k, l); why != "" {
				return none(l.File, l.View.Open, why)
			}
			insertCarve(kit.BufferOf(edits, l.File), l, d.form.Carveout)
		}
	}
	if len(seen) == 0 {
		return none(kernels[0].File, kernels[0].View.Start, "no launch of it is in view")
	}
	return d.Edit(edits)
}

const carveStatement = "cudaFuncSetAttribute(%s, cudaFuncAttributePreferredSharedMemoryCarveout, %d);"

// uncarvable returns what is against a statement in front of a launch, "" for nothing.
func uncarvable(prog *analysis.Program, k *analysis.Kernel, l *analysis.Launch) string {
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

// isStatement reports whether a node is an expression statement, all in the file, in a block, a case, an if or a loop.
func isStatement(f *parser.File, n *parser.Node) bool {
	s := n.Parent
	if s == nil || s.Kind != parser.KindExpressionStatement || s.Start != n.Start || f.Src[s.End-1] != ';' {
		return false
	}
	return runAlone(s) || s.Parent != nil && (s.Parent.Kind == parser.KindCompoundStatement || s.Parent.Kind == parser.KindCaseStatement)
}

// runAlone reports whether a statement is the body of an if or a loop, without braces.
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

// overloaded reports whether a file sees several functions of a name, so that the name alone is not enough.
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

// instantiates reports whether a launch names an instance of a template: all arguments stand there, or have defaults.
func instantiates(l *parser.Launch, k *parser.Function) bool {
	if !k.IsTemplate {
		return true
	}
	if l.TemplateArgs == nil {
		return false
	}
	given := 0
	for n := l.TemplateArgs.FirstNamed(); n != nil; n = n.NextNamed() {
		given++
	}
	return !slices.ContainsFunc(k.Template, func(p parser.TemplateParam) bool { return p.Pack }) &&
		!slices.ContainsFunc(k.Template[min(given, len(k.Template)):], func(p parser.TemplateParam) bool { return p.Default == nil })
}

// insertCarve puts the statement in front of a launch: on a line of its own where the launch begins its line.
func insertCarve(b *edit.Buffer, l *analysis.Launch, percent int) {
	f, s := l.File, l.View.Node.Parent
	text := fmt.Sprintf(carveStatement, f.Text(l.View.Callee), percent)
	start := int(s.Start)
	switch {
	case runAlone(s):
		b.Insert(start, "{ "+text+" ")
		b.Insert(int(s.End), " }")
	case kit.FirstOnLine(f, start) && kit.LineStart(f, start) > 0:
		b.Insert(start, text+f.Newline()+kit.IndentAt(f, start))
	default:
		b.Insert(start, text+" ")
	}
}
