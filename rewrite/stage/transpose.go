package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkTranspose proves that a store which threads side by side make far apart, and threads
// of another dimension of the block side by side, can be made by other threads of the block:
//
//	                                            __shared__ float out_tile[32][33];
//	if (x < w && y < h)                         if (x < w && y < h)
//	    out[x * h + y] = in[y * w + x];             out_tile[threadIdx.x][threadIdx.y] = in[y * w + x];
//	                                    -->     __syncthreads();
//	                                            {
//	                                                const int x = blockIdx.x * blockDim.x + threadIdx.y;
//	                                                const int y = blockIdx.y * blockDim.y + threadIdx.x;
//	                                                if (x < w && y < h)
//	                                                    out[x * h + y] = out_tile[threadIdx.y][threadIdx.x];
//	                                            }
//
// Each thread leaves its value in the tile, and after the barrier makes the store of one other
// thread: of the one whose number comes of its own by a permutation of the block. So
//
//   - the elements that are stored, the values, and the conditions are those of the original,
//     since the text of the subscript and of the conditions is evaluated for that other
//     thread (their forms must be known, so that they can be);
//   - what two threads store to one element without a barrier between them is in no order
//     in the original either. One thread's stores keep their order, as the barriers around
//     a store are between it and what the thread did before, and does after it;
//   - values are computed where they were: only the store itself moves.
//
// So nothing need be known of what else the kernel reads and writes. Reads that are apart are staged as arrays are
// that are read again (patternOf): that a block's elements lie side by side is enough.
func checkTranspose(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &transposeProof{copyProof: copyProof{Findings: kit.NewFindings(k, variant.Stage, opt)}}
	shape, ok := p.OneShape()
	if !ok {
		return nil, p.Reasons
	}
	p.forms = newIndexForms(k, shape)
	if p.find(); p.store != nil {
		p.Closed = true
		p.Note(k.File, k.View.Start, CodeStaged, "staged %s; %d bytes of shared memory more in each thread block", p.summary(), p.bytesOf(p.store))
		return p, nil
	}
	loads, why := checkApart(k, opt)
	if loads != nil {
		return loads, nil
	}
	if len(p.Reasons) == 0 {
		p.Reasons = why
	}
	return nil, p.Reasons
}

// transposeProof says which store is made by other threads of the block.
type transposeProof struct {
	copyProof
	store *blockStore
	place *copyPlace
	waits bool // what follows must find the elements stored
}

// blockStore is "out[subscript] = value;" of the kernel's own body, which threads along x
// make apart, and threads along dim side by side.
type blockStore struct {
	stagedLoad // of the element
	v          *ir.Var
	dim        int
	elem       int
}

// find finds the first store that can be made by other threads.
func (p *transposeProof) find() {
	k, f := p.Kernel, p.forms
	loops := f.uniformLoops()
	k.Func.Body.Walk(func(s *ir.Stmt) bool {
		if p.store != nil {
			return false
		}
		t := storeAt(s)
		if t == nil || p.Array != "" && t.v.Name != p.Array {
			return true
		}
		t.form = f.of(t.subscript)
		if !f.surround(&t.stagedLoad, loops) || !p.isApartStore(t) {
			return true
		}
		if code, why := p.Prove(t); why != "" {
			p.Refuse(k.File, t.whole.Range.Start, code, "the store to %s can't be made by other threads: %s", t.v.Name, why)
			return true
		}
		p.store = t
		return true
	})
}

// uniformLoops are the for loops that all threads of the block run alike, with a counter
// that their heads alone set. Their counters have symbols then.
func (f *indexForms) uniformLoops() map[*ir.Stmt]*countedLoop {
	loops := map[*ir.Stmt]*countedLoop{}
	for s := range f.k.Func.Body.All() {
		if s.Op != ir.StmtFor || s.Macro || s.Init == nil || s.Init.Op != ir.StmtDecl || len(s.Init.Vars) != 1 || s.Post == nil || s.LeavesEarly() {
			continue
		}
		v := s.Init.Vars[0]
		if v.Init == nil || v.Macro || v.AddrTaken || v.Type.Base != "int" || v.Type.Ptr > 0 || v.Type.Ref || v.Type.Volatile || len(v.Writes) != 1 {
			continue
		}
		if w := v.Writes[0]; w != s.Post || evaluate.VarUniformity(f.k, v) == analysis.ThreadVarying {
			continue
		}
		loops[s] = &countedLoop{stmt: s, v: v, low: v.Init, last: -1}
		f.counter(v)
	}
	return loops
}

// storeAt is the store that a statement is, nil for any other.
func storeAt(s *ir.Stmt) *blockStore {
	if s.Op != ir.StmtExpr || s.Macro || s.Expr == nil || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" || s.Expr.Macro {
		return nil
	}
	l := loadAt(s.Expr.Kids[0])
	if l == nil || l.whole.Op != ir.OpIndex || l.subscript.Macro {
		return nil
	}
	v := l.whole.Kids[0].Var
	if v.Type.PtrConst || v.Type.Volatile || len(v.Writes) > 0 || v.AddrTaken {
		return nil
	}
	l.stmt = s
	return &blockStore{stagedLoad: *l, v: v}
}

// leastSide is the least number of bytes that threads must store side by side to be worth a barrier: a sector.
const leastSide = 32

// isApartStore finds along which dimension a store's elements lie side by side, where they don't along x.
func (p *transposeProof) isApartStore(t *blockStore) bool {
	f := p.forms
	if t.form.IsLost() || f.shape[0] == 1 {
		return false
	}
	isThread := func(s *polynomial.Symbol) bool { return slices.Contains(f.threads[:], s) }
	var by [3]polynomial.Polynomial
	for d, s := range f.threads {
		var ok bool
		if by[d], _, ok = t.form.Linear(s); !ok || by[d].Has(isThread) {
			return false
		}
	}
	if !isApart(by[0]) {
		return false
	}
	if t.elem = elementOf(p.Kernel, t.v.Type.Base); t.elem == 0 {
		return false
	}
	for d := 1; d < 3; d++ {
		n, is := by[d].Constant()
		if is && n == 1 && (f.shape[d]*t.elem >= leastSide || p.Array != "" && f.shape[d] > 1) {
			t.dim = d
			return true
		}
	}
	return false
}

// isApart reports whether threads of neighbouring numbers have elements apart by a stride.
func isApart(stride polynomial.Polynomial) bool {
	n, is := stride.Constant()
	return !stride.IsLost() && (!is || n < -1 || n > 1)
}

// Prove finds the place of the exchange, and says what is against it.
func (p *transposeProof) Prove(t *blockStore) (code diag.Code, why string) {
	k, f := p.Kernel, p.forms
	// What is the same for the block holds for the other thread, too.
	t.conds = slices.DeleteFunc(slices.Clone(t.conds), func(c condition) bool { return uniformity.Of(k, k.Func, c.e) != analysis.ThreadVarying })
	if _, ok := f.comparisons(t.conds); !ok {
		return CodeStageGuard, "a condition around it is no comparison of sums of thread numbers, counters and values that stay the same"
	}
	top, why := f.topOf(t.stmt)
	if why != "" {
		return CodeStagePlace, why
	}
	p.place = &copyPlace{stmt: top, inLoop: inLoop(top.Parent)}
	if why := f.clear(p.place); why != "" {
		return CodeStagePlace, why
	}
	if slices.ContainsFunc(p.place.flags, func(f placeFlag) bool { return f.returns }) && f.inWarps() {
		return CodeStagePlace, "threads of a warp exchange values after a return"
	}
	if f.waits() {
		return CodeStagePlace, "a loop waits for another thread of the block"
	}
	if len(p.place.flags) > 0 && top.Parent.List[len(top.Parent.List)-1] != top {
		return CodeStagePlace, "statements follow it under the same condition"
	}
	if !startsLine(p.Kernel, top) {
		return CodeStagePlace, "it is part of a line"
	}
	p.waits = p.place.inLoop
	for s := top; s.Parent != nil; s = s.Parent {
		p.waits = p.waits || s.Parent.Op == ir.StmtCompound && s.Parent.List[len(s.Parent.List)-1] != s
	}
	if why := p.exchangeOf(t, func(name string) string { return name }).problem; why != "" {
		return CodeStageGuard, why
	}
	if why := p.room(p.bytesOf(t)); why != "" {
		return kit.CodeSharedSize, why
	}
	return "", ""
}

// TopOf is the outermost statement around a store after which threads can meet: the store is the last that it does.
func (f *indexForms) topOf(s *ir.Stmt) (top *ir.Stmt, why string) {
	varies := func(e *ir.Expr) bool { return uniformity.Of(f.k, f.k.Func, e) == analysis.ThreadVarying }
	top = s
	for {
		q := top.Parent
		switch {
		case q == nil:
			return nil, "it stands in no list of statements"
		case q.Op == ir.StmtCompound && (q.Parent == nil || q.Parent.IsLoop() || q.Parent.Op == ir.StmtIf && !varies(q.Parent.Cond)):
			if top.Any(func(t *ir.Stmt) bool {
				return t.Op == ir.StmtReturn || t.Op == ir.StmtContinue || t.Op == ir.StmtBreak || t.Op == ir.StmtGoto
			}) {
				return nil, "a statement around it leaves the kernel or a loop"
			}
			return top, ""
		case q.Op == ir.StmtCompound:
			if q.List[len(q.List)-1] != top {
				return nil, "statements follow it under the same condition"
			}
		case q.Op == ir.StmtIf:
			if q.Preproc || q.Macro || q.Init != nil || barriers.BarrierIn(f.k, f.k.Func, q) {
				return nil, "the condition around it can't be taken apart"
			}
		case q.IsLoop():
			return nil, "the loop's body has no braces to put a barrier in"
		default:
			return nil, "a statement around it is neither a loop nor a condition"
		}
		top = q
	}
}

// extents are those of the tile, the slowest first: the dimension that takes no part, x, and
// that along which elements lie side by side, without the padding.
func (p *transposeProof) extents(t *blockStore) []int {
	out := []int{p.forms.shape[0], p.forms.shape[t.dim]}
	if n := p.forms.shape[3-t.dim]; n > 1 {
		out = append([]int{n}, out...)
	}
	return out
}

// longer is the elements that the tile's rows are longer by: the threads of a warp leave their values down a column.
func (p *transposeProof) longer() int {
	if p.Pad == 0 {
		return 1
	}
	return max(p.Pad, 0)
}

func (p *transposeProof) bytesOf(t *blockStore) int {
	n := t.elem
	extents := p.extents(t)
	extents[len(extents)-1] += p.longer()
	for _, e := range extents {
		n *= e
	}
	return n
}

func (p *transposeProof) summary() string {
	return fmt.Sprintf("%s (stored side by side along %s)", p.store.v.Name, "xyz"[p.store.dim:p.store.dim+1])
}

// String names the store, the tile and the place of the exchange.
func (p *transposeProof) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\t%s at %s: tile of", p.Title(), p.store.v.Name, p.At(p.store.whole.Range.Start))
	for _, n := range p.extents(p.store) {
		fmt.Fprintf(&b, " %d", n)
	}
	fmt.Fprintf(&b, ", exchanged after %s", p.At(p.place.stmt.Range.Start))
	return b.String()
}

// checkApart proves that arrays can be staged whose elements neighbours read far apart, and the block side by side.
func checkApart(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	return checkStagingOf(k, opt, readApart)
}

// isApart reports whether neighbours read an array's elements far apart, and other threads or
// iterations those beside them.
func (p *copyProof) isApart(a *stagedArray) bool {
	apart, beside := false, false
	for _, x := range a.axes {
		n, is := x.stride.Constant()
		apart = apart || x.dim == 0 && p.forms.shape[0] > 1 && isApart(x.stride)
		beside = beside || x.dim != 0 && is && n == 1 && p.extent(x)*a.elem >= leastSide
	}
	return apart && beside
}

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
