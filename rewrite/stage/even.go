package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// evenLoop is a loop in which each thread goes on from its own number in steps of the grid:
//
//	for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n; i += gridDim.y * blockDim.y) {
//	    if (j < m) {
//
// Threads of a block leave it in different iterations. It becomes one that they all run equally
// often, in which they can meet:
//
//	for (int i0 = blockIdx.y * blockDim.y; i0 < n; i0 += gridDim.y * blockDim.y) {
//	    const int i = i0 + threadIdx.y;
//	    if (i < n && j < m) {
//
// A thread does the same iterations as before: where its own number is below the bound so is that of
// the block's first thread, and where it is not the thread has none left, since a step is no less than
// a block is wide. Where the counter overflows, it does for both.
type evenLoop struct {
	stmt   *ir.Stmt
	v      *ir.Var
	thread *ir.Expr // in what the counter begins with
	sum    *ir.Expr // the sum that it is a part of, nil for none
	high   *ir.Expr
}

// evenLoops are the loops of a kernel that can be made even.
func evenLoops(k *analysis.Kernel, shape [3]int) (out []*evenLoop) {
	f := newIndexForms(k, shape)
	for s := range k.Func.Body.All() {
		if l := f.evenLoopOf(s); l != nil {
			out = append(out, l)
		}
	}
	return out
}

func (f *indexForms) evenLoopOf(s *ir.Stmt) *evenLoop {
	at, low, high, step := upward(s)
	if at == nil || s.Body.Op != ir.StmtCompound || s.Body.Macro || !startsLine(f.k, s) || barriers.BarrierIn(f.k, f.k.Func, s.Body) {
		return nil
	}
	l := &evenLoop{stmt: s, v: s.Init.Vars[0], high: high}
	if !l.findThread(f.k.File, low) || s.Body.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtGoto || t.Op == ir.StmtLabel || t.Op == ir.StmtUnknown }) {
		return nil
	}
	_, d := builtinOf(l.thread)
	own := polynomial.Of(f.threads[d])
	if !f.of(l.thread).Equal(own) { // all blocks have one thread there
		return nil
	}
	along, first, ok := f.alongGrid(f.of(low).Minus(own))
	if !ok || along != d || !f.isGrid(step, d) || !f.isSameForBlock(high) || !f.ordered(l.v, high, first) || !f.harmless(high) {
		return nil
	}
	return l
}

// findThread finds the one threadIdx that is added to something, and whose text can be taken out.
func (l *evenLoop) findThread(f *parser.File, low *ir.Expr) bool {
	for e := low; ; {
		if name, _ := builtinOf(e); name == "threadIdx" && !e.Macro {
			l.thread = e
			return true
		}
		if e.Macro {
			return false
		}
		switch {
		case e.Op == ir.OpCast && len(e.Kids) == 1:
			e = e.Kids[0]
		case e.Op == ir.OpBinary && e.Tok == "+":
			has := func(e *ir.Expr) bool {
				return e.Any(func(t *ir.Expr) bool { name, _ := builtinOf(t); return name == "threadIdx" })
			}
			a, b := e.Kids[0], e.Kids[1]
			if has(a) == has(b) || strings.TrimSpace(kit.Text(f, ir.Range{Start: a.Range.End, End: b.Range.Start})) != "+" {
				return false
			}
			l.sum = e
			if e = a; has(b) {
				e = b
			}
		default:
			return false
		}
	}
}

// low returns the counter's first value in the block's first thread.
func (l *evenLoop) low(f *parser.File) string {
	whole := l.v.Init.Range
	from, to, with := l.thread.Range.Start, l.thread.Range.End, "0"
	if l.sum != nil {
		a, b := l.sum.Kids[0], l.sum.Kids[1]
		switch {
		case b == l.thread:
			from, with = a.Range.End, ""
		case a == l.thread:
			to, with = b.Range.Start, ""
		}
	}
	return kit.Text(f, ir.Range{Start: whole.Start, End: from}) + with + kit.Text(f, ir.Range{Start: to, End: whole.End})
}

// makeEven writes the loop for all threads of a block, of which some set in what is in them stand around.
func (w *copyEmitter) makeEven(l *evenLoop, around int) {
	f, s := w.Of.File, l.stmt
	b := w.Buffer(f)
	first := w.Fresh(l.v.Name + "0")
	b.Replace(l.v.Range.Start, l.v.Range.End, first+" = "+l.low(f))
	for _, e := range []*ir.Expr{s.Cond.Kids[0], s.Post.Kids[0]} {
		b.Replace(e.Range.Start, e.Range.End, first)
	}
	inside := l.v.Name + " " + s.Cond.Tok + " " + kit.Text(f, l.high.Range)
	nl := f.Newline() + kit.IndentAt(f, s.Body.Range.Start) + strings.Repeat("    ", 1+around)
	own := nl + "const " + l.v.Type.Base + " " + l.v.Name + " = " + first + " + " + kit.Text(f, l.thread.Range) + ";"
	open := s.Body.Range.Start + 1
	if c := l.condition(); c != nil {
		b.Insert(open, own)
		b.Replace(c.Range.Start, c.Range.End, inside+" && "+operandOfAnd(f, c))
		return
	}
	end := kit.StmtEnd(f, s.Body) - 1
	b.Insert(open, own+nl+"if ("+inside+") {")
	closing, last := "    }"+nl[:len(nl)-4], kit.LineStart(f, end)
	if !kit.FirstOnLine(f, end) {
		closing, last = nl+"}"+nl[:len(nl)-4], end
	}
	w.indent(s.Body.Range.Start, last, "    ")
	b.Insert(end, closing)
}

// condition is that of the if which is all that the loop does, nil where it is more.
func (l *evenLoop) condition() *ir.Expr {
	if list := l.stmt.Body.List; len(list) == 1 {
		if s := list[0]; s.Op == ir.StmtIf && s.Else == nil && s.Init == nil && !s.Preproc && !s.Macro && !s.Cond.Macro {
			return s.Cond
		}
	}
	return nil
}

// evened is a proof of a kernel whose loops were made even first.
type evened struct {
	kit.Proof
	*kit.Findings
	chain *kit.Chain
}

// evenFile is the key of a file in which all kernels' loops are made even.
type evenFile struct{ *parser.File }

// evenChain is a program in which the loops of a file's kernels are even.
type evenChain struct {
	*kit.Chain
	changed map[*analysis.Kernel]bool
}

// evenedIn makes the loops of all kernels of a file even, once: so a file is read again once. It is nil
// if nothing is to be done.
func evenedIn(prog *analysis.Program, file *parser.File) *evenChain {
	return analysis.Once(&prog.Memo, evenFile{file}, func() *evenChain {
		c := &evenChain{kit.NewChain(prog), map[*analysis.Kernel]bool{}}
		edits := &edit.Buffer{}
		for _, k := range prog.Kernels() {
			if k.File == file {
				if b := evenEdits(k); b != nil {
					edits.Append(b.Edits())
					c.changed[k] = true
				}
			}
		}
		if len(c.changed) == 0 || c.Edit(map[*parser.File]*edit.Buffer{file: edits}) != nil {
			return nil
		}
		return c
	})
}

// evenEdits makes the loops of a kernel even, and declares its late values; nil where there are none.
func evenEdits(k *analysis.Kernel) *edit.Buffer {
	shape, ok := (&copyProof{Findings: kit.NewFindings(k, variant.Stage, kit.Options{})}).OneShape()
	if !ok || k.Unread() {
		return nil
	}
	loops, late := evenLoops(k, shape), lateValues(k)
	if len(loops)+len(late) == 0 {
		return nil
	}
	w := &copyEmitter{Emitter: kit.NewEmitter(k)}
	for _, l := range late {
		w.declare(l)
	}
	for i, l := range loops {
		around := 0
		for _, o := range loops[:i] {
			if o.condition() == nil && l.stmt.Inside(o.stmt) {
				around++
			}
		}
		w.makeEven(l, around)
	}
	return w.Buffer(k.File)
}

// checkEvened is the check of forms of stage for a kernel whose loops are made even first; nil
// where none can be, or nothing comes of it.
func checkEvened(k *analysis.Kernel, opt kit.Options, check func(*analysis.Kernel, kit.Options) (kit.Proof, []diag.Message)) (kit.Proof, []diag.Message) {
	c := evenedIn(k.Prog, k.File)
	if c == nil || !c.changed[k] {
		return nil, nil
	}
	now, err := c.Kernel(k)
	if err != nil {
		return nil, nil
	}
	p, why := check(now, opt)
	if p == nil {
		return nil, c.Messages(why)
	}
	found := *p.Found()
	found.Kernel, found.Notes = k, c.Messages(found.Notes)
	return &evened{p, &found, c.Chain}, nil
}

// Apply makes the loops even and the edits of the proof.
func (p *evened) Apply() *kit.Edits {
	edits := p.Proof.Apply()
	out := &kit.Edits{Files: map[*parser.File]*edit.Buffer{}, Includes: edits.Includes}
	c := p.chain.Clone()
	for f, b := range edits.Files {
		after, err := b.Apply(f.Src)
		if err == nil {
			err = c.Change(kit.FileResult{Name: f.Name, Before: f.Src, After: after, Edits: b.Edits()})
		}
		if err != nil {
			panic(err) // the edits of one kernel do not overlap
		}
	}
	own := p.Kernel.View.Body
	outside := func(e edit.Edit) bool { return e.Start < int(own.Start) || e.End > int(own.End) } // of other kernels
	out.Files[p.Kernel.File] = edit.NewBuffer(slices.DeleteFunc(slices.Clone(c.Files[p.Kernel.File.Name].Edits), outside))
	return out
}

func (p *evened) String() string { return p.Proof.String() }

// What the findings say is of the kernel as it is.

func (p *evened) Found() *kit.Findings    { return p.Findings }
func (p *evened) Files() []*parser.File   { return p.Findings.Files() }
func (p *evened) Functions() []*ir.Func   { return nil }
func (p *evened) Runtime() []runtime.Part { return nil }
