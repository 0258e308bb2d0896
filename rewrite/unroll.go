package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// CodeUnroll is a loop whose unroll factor can't be set.
const CodeUnroll diag.Code = "unroll"

// unrollLoops plans unroll factors.
//
//	for (…) …   -->   #pragma unroll 4
//	                  for (…) …
//
// A loop that does not begin its line gets a _Pragma. It is called last of all
// parts, so that nothing comes between a pragma and its loop.
func (p *Plan) unrollLoops(r Recipe) {
	done := map[*ir.Stmt]bool{}
	for _, u := range r.Unroll {
		fn, loop, ok := p.Kernel.Loop(u.Loop)
		switch {
		case !ok:
			p.refuse(p.Kernel.File, p.Kernel.View.Start, CodeRecipe, "the recipe names a loop %q, which the kernel does not have", u.Loop)
			continue
		case done[loop]:
			p.refuse(fn.File, loop.Range.Start, CodeRecipe, "the recipe names this loop twice")
			continue
		}
		done[loop] = true
		if why := demotion.NotUnrolled(p.Kernel, fn, loop); why != "" {
			p.refuse(fn.File, loop.Range.Start, CodeUnroll, "%s", why)
			continue
		}
		p.setPragma(fn.File, loop, u.Factor)
	}
}

// setPragma puts the factor of a loop before it, in place of the one that is
// there.
func (p *Plan) setPragma(f *parser.File, loop *ir.Stmt, factor int) {
	b, at := p.buffer(f), loop.Range.Start
	if start, end, ok := demotion.UnrollPragma(f, loop); ok {
		b.Replace(start, end, fmt.Sprintf("#pragma unroll %d", factor))
		return
	}
	if !firstOnLine(f, at) {
		b.Insert(at, fmt.Sprintf("_Pragma(\"unroll %d\") ", factor))
		return
	}
	b.Insert(lineStart(f, at), fmt.Sprintf("%s#pragma unroll %d%s", indentAt(f, at), factor, f.Newline()))
}
