package stage

import (
	"fmt"
	"maps"
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
	defer func(was map[string]bool) { w.Used = was }(maps.Clone(w.Used)) // each copy has a loop of its own
	if p.shape[0] == 0 {
		i := w.Fresh("i")
		return []string{fmt.Sprintf("for (unsigned %s = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; %s < %d; %s += blockDim.x * blockDim.y * blockDim.z)", i, i, n, i), "    " + assign(i)}
	}
	i, by := byNumber(p.shape, n, w.Fresh)
	c := elementCopy{head: by.head, condition: by.guard, declared: []string{by.declared}, stores: []string{assign(i)}}
	return c.Lines()
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

// inParens is the text of an expression, in parentheses where an operator in it binds less than a cast.
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
