package registers

import (
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
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
func (p *demoteProof) unrollLoops(r variant.Recipe) (out []unrolled) {
	done := map[*ir.Stmt]bool{}
	for _, u := range r.Unroll {
		fn, loop, ok := named.Loop(p.Kernel, u.Loop)
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

// setPragma puts the factor of a loop before it, in place of the one that is there.
func (w *demoteEmitter) setPragma(f *parser.File, loop *ir.Stmt, factor int) {
	pragma := kit.Unrolled(factor)
	if start, end, ok := demotion.UnrollPragma(f, loop); ok {
		w.Buffer(f).Replace(start, end, pragma)
		return
	}
	w.PutPragma(f, loop, pragma)
}
