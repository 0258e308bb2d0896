package stage

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Apply declares the copies, fills them at the kernel's start, and has the reads read them.
func (p *tableProof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	top := []string{fmt.Sprintf("%s %s.", mark, p.summary())}
	for _, t := range p.tables {
		t.copied = w.Fresh(t.name + "_tile")
		line := fmt.Sprintf("__shared__ %s %s", t.v.Type.Base, t.copied)
		for _, d := range t.dims {
			line += fmt.Sprintf("[%d]", d)
		}
		top = append(top, line+";")
	}
	for _, t := range p.tables {
		top = append(top, p.fill(&w, t)...)
	}
	w.AtTop(append(append(top, "__syncthreads();"), w.Checks(&p.Findings)...))
	for _, t := range p.tables {
		for _, r := range t.reads {
			p.read(&w, t, r)
		}
	}
	return w.Done()
}

// fill are the lines by which all threads copy a table.
func (p *tableProof) fill(w *kit.Emitter, t *stagedTable) []string {
	n := t.elements()
	assign := func(i string) string {
		at := "[" + strings.Join(subscriptsOf(t.dims, i), "][") + "]"
		return fmt.Sprintf("%s%s = %s%s;", t.copied, at, t.name, at)
	}
	switch {
	case p.shape[0] > 0 && p.shape[0] == p.threads && n == p.threads:
		return []string{assign("threadIdx.x")}
	case p.shape[0] > 0 && p.shape[0] == p.threads && n < p.threads:
		return []string{fmt.Sprintf("if (threadIdx.x < %d)", n), "    " + assign("threadIdx.x")}
	}
	i := w.Fresh("i")
	delete(w.Used, i) // each copy has a loop of its own
	thread, step := p.thread()
	return []string{fmt.Sprintf("for (unsigned %s = %s; %s < %d; %s += %s)", i, thread, i, n, i, step), "    " + assign(i)}
}

// thread are the texts of a thread's number in its block, and of how many there are.
func (p *tableProof) thread() (number, threads string) {
	s := p.shape
	switch {
	case s[0] == 0:
		return "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x", "blockDim.x * blockDim.y * blockDim.z"
	case s[2] > 1:
		number = fmt.Sprintf("(threadIdx.z * %d + threadIdx.y) * %d + threadIdx.x", s[1], s[0])
	case s[1] > 1:
		number = fmt.Sprintf("threadIdx.y * %d + threadIdx.x", s[0])
	default:
		number = "threadIdx.x"
	}
	return number, fmt.Sprint(p.threads)
}

// read has a read use the copy, where its subscripts lie inside.
func (p *tableProof) read(w *kit.Emitter, t *stagedTable, r *tableRead) {
	f := p.Kernel.File
	b := w.Buffer(f)
	whole, name := r.whole.Range, r.index.Root().Range
	if len(r.asks) > 0 {
		var inside []string
		subs := outermostFirst(r.index)
		for n, i := range r.asks {
			as := "unsigned"
			if r.wide[n] {
				as = "unsigned long long"
			}
			inside = append(inside, fmt.Sprintf("(%s)%s < %d", as, inParens(f.Src, subs[i]), t.dims[i]))
		}
		b.Insert(whole.Start, "("+strings.Join(inside, " && ")+" ? ")
		defer b.Insert(whole.End, " : "+kit.Text(f, whole)+")")
	}
	if r.whole == r.index {
		b.Replace(name.Start, name.End, t.copied)
		return
	}
	b.Replace(whole.Start, name.End, t.copied)
	b.Replace(r.index.Range.End, whole.End, "")
}

// inParens is the text of an expression, in parentheses where an operator in it
// binds less than a cast.
func inParens(src []byte, e *ir.Expr) string {
	s := string(src[e.Range.Start:e.Range.End])
	switch e.Op {
	case ir.OpIdent, ir.OpInt, ir.OpIndex, ir.OpMember:
		return s
	case ir.OpCall:
		if !e.Implicit {
			return s
		}
	}
	return "(" + s + ")"
}
