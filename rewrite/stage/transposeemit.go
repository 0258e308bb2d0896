package stage

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Apply has each thread leave its value in the tile, and make the store of another one.
func (p *transposeProof) Apply() *kit.Edits {
	w := &copyEmitter{Emitter: kit.NewEmitter(p.Kernel), p: &p.copyProof, flags: map[*ir.Stmt]string{}}
	f, t := p.Kernel.File, p.store
	tile := w.Fresh(t.v.Name + "_tile")
	line := fmt.Sprintf("__shared__ %s %s", t.v.Type.Base, tile)
	extents := p.extents(t)
	for i, n := range extents {
		if i == len(extents)-1 {
			n += p.longer()
		}
		line += fmt.Sprintf("[%d]", n)
	}
	w.AtTop(append([]string{fmt.Sprintf("%s %s.", mark, p.summary()), line + ";"}, w.Checks(&p.Findings)...))
	w.raise(p.place)
	w.keep(p.place)
	var own [3]string
	for d := range own {
		own[d] = "threadIdx." + "xyz"[d:d+1]
	}
	w.Buffer(f).Replace(t.whole.Range.Start, t.whole.Range.End, tile+p.placeIn(t, own))
	top := p.place.stmt
	w.InsertAfter(f, kit.StmtEnd(f, top), top.Range.Start, p.Lines(tile, p.exchangeOf(t, w.Fresh))...)
	return w.Done()
}

// placeIn is the place of a thread's value in the tile.
func (p *transposeProof) placeIn(t *blockStore, thread [3]string) string {
	out := "[" + thread[0] + "][" + thread[t.dim] + "]"
	if rest := 3 - t.dim; p.forms.shape[rest] > 1 {
		out = "[" + thread[rest] + "]" + out
	}
	return out
}

// otherStore is the store of another thread: what is declared for it, under which condition
// it is made, the element, and the place of the value in the tile.
type otherStore struct {
	declared                 []string
	condition, element, from string
	problem                  string // why that thread can't be known, "" where it can
}

// exchangeOf writes the store that a thread makes for another one of the block.
func (p *transposeProof) exchangeOf(t *blockStore, fresh func(string) string) (out otherStore) {
	shape, side := p.forms.shape, "xyz"[t.dim:t.dim+1]
	other := [3]string{"threadIdx.x", "threadIdx.y", "threadIdx.z"}
	if shape[0] == shape[t.dim] {
		other[0], other[t.dim] = "threadIdx."+side, "threadIdx.x"
	} else {
		n := fresh("t")
		other[0], other[t.dim] = fresh("tx"), fresh("t"+side)
		out.declared = append(out.declared,
			fmt.Sprintf("const unsigned %s = threadIdx.%s * %d + threadIdx.x;", n, side, shape[0]),
			fmt.Sprintf("const unsigned %s = %s / %d, %s = %s %% %d;", other[0], n, shape[t.dim], other[t.dim], n, shape[t.dim]))
	}
	c := newCopyText(&p.copyProof, &copyPlace{stmt: p.place.stmt}, &stagedArray{v: t.v, model: &t.stagedLoad}, nil, loopTile{}, fresh)
	c.thread[0], c.thread[t.dim] = other[0], other[t.dim]
	c.keepNames(t.whole, map[*ir.Var]bool{})
	var conds []string
	for _, g := range p.comparisonsOf(t.conds) {
		c.keepNames(g.e, map[*ir.Var]bool{})
		conds = append(conds, c.compare(g, nil))
	}
	out.condition, out.element, out.problem = strings.Join(conds, " && "), c.text(t.whole), c.problem
	out.declared = append(out.declared, c.declared...)
	out.from = p.placeIn(t, other)
	return out
}

// Lines are the lines after the statement: a barrier, and the store of another thread.
func (p *transposeProof) Lines(tile string, x otherStore) []string {
	body := x.declared
	store := x.element + " = " + tile + x.from + ";"
	if x.condition != "" {
		body = append(body, "if ("+x.condition+")")
		store = "    " + store
	}
	lines := []string{"__syncthreads();"}
	if body = append(body, store); len(body) == 1 {
		lines = append(lines, store)
	} else {
		lines = append(lines, "{")
		for _, l := range body {
			lines = append(lines, "    "+l)
		}
		lines = append(lines, "}")
	}
	if p.waits {
		lines = append(lines, "__syncthreads();")
	}
	return lines
}

// comparisonsOf are the comparisons that conditions are conjunctions of.
func (p *transposeProof) comparisonsOf(conds []condition) []condition {
	cs, _ := p.forms.comparisons(conds)
	return lists.Map(cs, func(c comparison) condition { return c.condition })
}
