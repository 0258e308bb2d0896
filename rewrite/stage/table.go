package stage

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkTable proves that small arrays which threads read at places that data decides can be
// copied to shared memory as a whole, at the kernel's start.
//
//	__constant__ int codes[256];                 __shared__ int codes_tile[256];
//	                                             for (int i = threadIdx.x; i < 256; i += 128)
//	                                                 codes_tile[i] = codes[i];
//	                                     -->     __syncthreads();
//	… codes[text[i] & 255] …                     … codes_tile[text[i] & 255] …
//
// The proof has four parts:
//
//   - all elements that are copied exist: the array is declared with its extent, or the
//     host function that launches the kernel allocates what is behind the parameter, by a
//     number of bytes that is known, in each launch in view. That threads read elements up to
//     255 proves nothing: perhaps no thread reads the last ones (extentOf);
//   - nobody writes the array while the kernel runs;
//   - a subscript stays inside of the copy, as masks, types, remainders and conditions around
//     the read show; else the read asks whether it does, and goes to the array where not;
//   - all threads are at the kernel's first statement, before any of them leaves.
//
// Reads that are the same for all threads stay where they are: the constant cache serves
// them at once. So do reads in device functions, and in macros.
func checkTable(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &tableProof{Findings: kit.NewFindings(k, variant.Stage, opt)}
	for _, in := range k.Instances {
		if in.Launch == nil {
			p.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "no launch of it is in view")
			return nil, p.Reasons
		}
	}
	p.threads = usualThreads
	if shape, ok := (&copyProof{Findings: kit.NewFindings(k, variant.Stage, opt)}).OneShape(); ok {
		p.shape, p.threads, p.Closed = shape, shape[0]*shape[1]*shape[2], true
	}
	p.find()
	if len(p.tables) == 0 {
		if len(p.Reasons) == 0 {
			p.Refuse(k.File, k.View.Start, CodeNoReuse, "threads read no array of known extent at places that data decides")
		}
		return nil, p.Reasons
	}
	p.Reasons = nil
	p.Note(k.File, k.View.Start, CodeStaged, "staged %s; %d bytes of shared memory more in each thread block", p.summary(), p.bytes())
	return p, nil
}

// usualThreads are those of a thread block whose shape is not known.
const usualThreads = 256

// mostTable is the largest size in bytes of a table that nobody asks for by name.
const mostTable = 16 << 10

// manyReads stands for the iterations of a loop that runs as often as data says.
const manyReads = 64

// tableProof says which arrays are copied as a whole.
type tableProof struct {
	kit.Findings
	shape   [3]int // of all blocks, 0 where they differ or it is not known
	threads int
	tables  []*stagedTable
}

// stagedTable is an array that is copied as a whole.
type stagedTable struct {
	name   string
	v      *ir.Var
	dims   []int // its extents, the first subscript's first
	elem   int   // bytes of an element
	reads  []*tableRead
	copied string // the name of the copy
}

// tableRead is a read of an element, t[i] or __ldg(&t[i]).
type tableRead struct {
	whole *ir.Expr // what is evaluated
	index *ir.Expr // the subscript expression in it
	stmt  *ir.Stmt
	conds []condition
	times int // how often a thread reads here, about
	// asks are the subscripts of which it is not proved that they stay inside, by number.
	asks []int
	wide []bool // of these, those that may have 64 bits
}

func (t *stagedTable) elements() int {
	n := 1
	for _, d := range t.dims {
		n *= d
	}
	return n
}

func (t *stagedTable) bytes() int { return t.elements() * t.elem }

// find finds the tables.
func (p *tableProof) find() {
	var order []*ir.Var
	reads := map[*ir.Var][]*tableRead{}
	p.readsIn(func(v *ir.Var, r *tableRead) {
		if len(reads[v]) == 0 {
			order = append(order, v)
		}
		reads[v] = append(reads[v], r)
	})
	asked := false
	for _, v := range order {
		if p.Array == "" || v.Name == p.Array {
			asked = true
			p.Take(v, reads[v])
		}
	}
	if p.Array != "" && !asked {
		p.Refuse(p.Kernel.File, p.Kernel.View.Start, CodeNoReuse, "the kernel reads no array %s at places that data decides", p.Array)
	}
}

// Take stages a table where that can be proved.
func (p *tableProof) Take(v *ir.Var, reads []*tableRead) {
	k := p.Kernel
	at := reads[0].whole.Range.Start
	t := &stagedTable{name: v.Name, v: v}
	if v.Kind == ir.VarParam && p.Array == "" && p.Scheme == "" {
		return // no table that anybody speaks of
	}
	if v.Type.Volatile || v.AddrTaken && v.Kind == ir.VarParam || !uniformity.Unchanging(k, k.Func, v) && !writesElsewhere(k, v) {
		p.Refuse(k.File, at, CodeStageWrites, "the memory of %s may be written while the kernel runs", v.Name)
		return
	}
	var why string
	if t.dims, t.elem, why = p.extentOf(v); why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied as a whole: %s", v.Name, why)
		return
	}
	p.shorten(t, reads)
	times := 0
	for i, r := range reads {
		if slices.ContainsFunc(reads[:i], func(o *tableRead) bool { return kit.Text(k.File, o.index.Range) == kit.Text(k.File, r.index.Range) }) {
			r.times = 0 // a thread has it already
		}
		if len(kit.Subscripts(r.index)) == len(t.dims) && p.bounded(t, r) {
			t.reads = append(t.reads, r)
			times += r.times
		}
	}
	switch why := p.room(t.bytes()); {
	case len(t.reads) == 0:
		p.Refuse(k.File, at, CodeStageGuard, "can't prove that a subscript of %s is in bounds, and a check can't evaluate it a second time", v.Name)
	case p.Array == "" && p.Scheme == "" && times*p.threads < leastReuse*t.elements():
		p.Refuse(k.File, at, CodeNoReuse, "%s has %d elements, and a thread block reads it about %d times", v.Name, t.elements(), times*p.threads)
	case why != "":
		p.Refuse(k.File, at, kit.CodeSharedSize, "%s takes %d bytes: %s", v.Name, t.bytes(), why)
	case p.Array == "" && p.bytes()+t.bytes() > mostTable:
		p.Refuse(k.File, at, kit.CodeSharedSize, "%s takes %d bytes, more than %d in all are staged where --array names it", v.Name, t.bytes(), mostTable)
	default:
		p.tables = append(p.tables, t)
	}
}

// shorten leaves out elements at the end that no read reaches.
func (p *tableProof) shorten(t *stagedTable, reads []*tableRead) {
	if len(t.dims) != 1 {
		return
	}
	most := int64(0)
	for _, r := range reads {
		most = max(most, evaluate.RangeOf(p.Kernel, p.Kernel.Func, r.index.Kids[1], p.knownAt(r)).Max)
	}
	if most >= 0 && most < int64(t.dims[0]) {
		t.dims[0] = int(most) + 1
	}
}

// room says why so many bytes more of shared memory can't be added, "" where they can.
func (p *tableProof) room(bytes int) string {
	s := &copyProof{Findings: p.Findings}
	return s.room(p.bytes() + bytes)
}

// bytes are those of all tables.
func (p *tableProof) bytes() (sum int) {
	for _, t := range p.tables {
		sum += t.bytes()
	}
	return sum
}

// extentOf finds how many elements an array has for certain: by its declaration, or by the
// allocation behind a parameter in all launches.
func (p *tableProof) extentOf(v *ir.Var) (dims []int, elem int, why string) {
	k := p.Kernel
	for i, in := range k.Instances {
		f := evaluate.FactsOf(k, in)
		size := f.SizeOf(k.Func, ir.Type{Base: v.Type.Base})
		if size <= 0 || i > 0 && size != elem || !f.Trivial(k.Func, ir.Type{Base: v.Type.Base}) {
			return nil, 0, "the size of its elements is unknown, or a constructor makes them"
		}
		elem = size
	}
	if v.Kind == ir.VarParam {
		return nil, 0, "the number of a pointer's elements is unknown: the program's allocations may differ from run to run"
	}
	if v.Redeclared || v.Macro || v.Extern && v.Dims == nil {
		return nil, 0, "it is declared more than once, or in a macro"
	}
	for d, e := range v.Dims {
		n, ok := int64(0), false
		switch {
		case e != nil:
			n, ok = evaluate.ConstantAlike(k, k.Func, e)
		case d == 0 && v.Init != nil && v.Init.Op == ir.OpInitList && len(v.Dims) == 1:
			n, ok = int64(len(v.Init.Kids)), true
			for _, kid := range v.Init.Kids {
				ok = ok && kid.Op != ir.OpUnknown && kid.Op != ir.OpMixed && kid.Op != ir.OpAssign && kid.Op != ir.OpInitList
			}
		}
		if !ok || n <= 0 || n > math.MaxInt32 {
			return nil, 0, "its extent is not a number"
		}
		dims = append(dims, int(n))
	}
	return dims, elem, ""
}

// summary says what is staged and how often it is read.
func (p *tableProof) summary() string {
	var out []string
	for _, t := range p.tables {
		times := 0
		for _, r := range t.reads {
			times += r.times
		}
		out = append(out, fmt.Sprintf("%s (%d elements, read about %d times by a block)", t.name, t.elements(), times*p.threads))
	}
	return strings.Join(out, ", ")
}

// String names the tables with their extents, and what of their reads is asked for.
func (p *tableProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, t := range p.tables {
		fmt.Fprintf(&b, "\n\t%s: %d elements", t.name, t.elements())
		for _, r := range t.reads {
			inside := "inside"
			if len(r.asks) > 0 {
				inside = "asks"
			}
			fmt.Fprintf(&b, ", %s %s", p.At(r.whole.Range.Start), inside)
		}
	}
	return b.String()
}

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
