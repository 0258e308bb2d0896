package registers

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeUnroll is a loop whose unroll factor can't be set.
const CodeUnroll diag.Code = "unroll"

// unrollLoops proves that unroll factors can be set.
//
//	for (…) …   -->   #pragma unroll 4
//	                  for (…) …
//
// A loop that is the body of an if or of another loop, or that has a label, gets
// braces: smux itself
// could not parse it otherwise. Pragmas are put last of all parts, so that nothing
// comes between one and its loop.
func (p *demoteProof) unrollLoops(r variant.Recipe) (out []unrolled) {
	done := map[*ir.Stmt]bool{}
	for _, u := range r.Unroll {
		fn, loop, ok := p.Kernel.Loop(u.Loop)
		switch {
		case !ok:
			p.Refuse(p.Kernel.File, p.Kernel.View.Start, CodeRecipe, "the recipe names a loop %q, which the kernel does not have", u.Loop)
			continue
		case done[loop]:
			p.Refuse(fn.File, loop.Range.Start, CodeRecipe, "the recipe names this loop twice")
			continue
		}
		done[loop] = true
		if why := demotion.NotUnrolled(p.Kernel, fn, loop); why != "" {
			p.Refuse(fn.File, loop.Range.Start, CodeUnroll, "%s", why)
			continue
		}
		out = append(out, unrolled{fn, loop, u.Factor})
	}
	return out
}

// unrolled is a loop that gets an unroll factor.
type unrolled struct {
	fn     *ir.Func
	loop   *ir.Stmt
	factor int
}

// setPragma puts the factor of a loop before it, in place of the one that is
// there.
func (w *demoteEmitter) setPragma(f *parser.File, loop *ir.Stmt, factor int) {
	b, at := w.Buffer(f), loop.Range.Start
	if start, end, ok := demotion.UnrollPragma(f, loop); ok {
		b.Replace(start, end, fmt.Sprintf("#pragma unroll %d", factor))
		return
	}
	pragma, nl := fmt.Sprintf("#pragma unroll %d", factor), f.Newline()
	if isBody(loop) {
		w.braced(f, loop, pragma)
		return
	}
	if !kit.FirstOnLine(f, at) {
		indent := kit.IndentAt(f, at)
		b.Insert(at, nl+indent+pragma+nl+indent)
		return
	}
	b.Insert(kit.LineStart(f, at), kit.IndentAt(f, at)+pragma+nl)
}

// isBody reports whether a statement is what an if or a loop governs, without
// braces, or what stands after a label.
func isBody(s *ir.Stmt) bool {
	parent := s.Parent
	if parent != nil && parent.Op == ir.StmtLabel {
		return parent.List[0] == s
	}
	return parent != nil && (parent.Op == ir.StmtIf && !parent.Preproc || parent.IsLoop()) && (parent.Body == s || parent.Else == s)
}

// braced puts braces around a loop, and a pragma inside them.
func (w *demoteEmitter) braced(f *parser.File, loop *ir.Stmt, pragma string) {
	b, at, nl := w.Buffer(f), loop.Range.Start, f.Newline()
	indent, outer := kit.IndentAt(f, at), kit.IndentAt(f, loop.Parent.Range.Start)
	switch {
	case !kit.FirstOnLine(f, at):
		b.Insert(at, "{"+nl+indent+pragma+nl+indent)
	case kit.OpensBody(f.Src, at):
		b.Insert(kit.LineBreakBefore(f.Src, at), " {")
		b.Insert(kit.LineStart(f, at), indent+pragma+nl)
	default:
		b.Insert(kit.LineStart(f, at), outer+"{"+nl+indent+pragma+nl)
	}
	end := kit.StmtEnd(f, loop)
	behind := kit.EndOfLine(f, end)
	close := nl + outer + "}"
	if behind < len(f.Src) && f.Src[behind] != '\n' && f.Src[behind] != '\r' {
		close = " }"
	}
	b.Insert(behind, close)
}
