// Package content runs a kernel for all threads of a block with what is known of integers, and evaluates constants and
// the shapes of launches so.
package content

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// content runs a kernel of the new text for all threads of one v-TB at once, with what is known of integers: thread
// numbers, constants, loops over them. It follows which elements of shared arrays have certainly been written since
// the last acquire, by the thread itself or by others before a barrier, and asks that nothing else be read: an
// element that was written before the acquire may have been overwritten by another v-TB.
//
// In the first turn of a v-TB there is nothing from before: what is read there and was not written,
// nobody wrote, in the original neither.
//
// Where a condition is not known both branches are run, and only what both write has been written; a loop whose end
// is not known is run once with everything that it changes unknown, and what it writes is forgotten after it.
type content struct {
	al *kit.Alignment
	k  *kit.Kernel
	N  int // threads of a v-TB

	Arrays  map[*ir.Var]*Array
	sets    *written
	fixed   bool              // variables that are set once, by what is known, are known
	given   map[*ir.Var]Value // template parameters that the new text checks to be one number
	unset   map[*ir.Var]bool  // whether they are
	types   map[*ir.Expr]string
	shared  map[*ir.Expr]bool // whether one may be an address in shared memory, or a place there
	Reading bool              // reads are looked at: in a turn that is not the first
	once    bool              // there is only one turn
	later   bool              // a turn that wrote something lies after
	Turn    bool              // in a turn

	Over  map[*Array][]*Array // arrays with bytes in common (phases.go), nil for none
	Dirty map[*Array]bool     // those that may have been written
	Taken map[*Array]bool     // those whose bytes another one has taken since

	Frame      *frame
	kernelGone []bool // threads that left the kernel
	depth      int
	steps      int
	spent      bool
}

// Array is a shared array of the kernel.
type Array struct {
	v    *ir.Var
	dims []int // -1 for the extent of dynamic shared memory
	own  bool  // each v-TB has one: it is not used in turns
	nth  int   // number among the arrays
	size int
}

// written says for each array which elements have been written: all threads' writes before the last
// barrier, and each thread's since.
type written struct {
	seen []big.Int   // sets of elements
	own  [][]big.Int // by array, then thread
}

func (w *written) clone() *written {
	out := &written{make([]big.Int, len(w.seen)), make([][]big.Int, len(w.own))}
	for i := range w.seen {
		out.seen[i].Set(&w.seen[i])
		out.own[i] = make([]big.Int, len(w.own[i]))
		for t := range w.own[i] {
			out.own[i][t].Set(&w.own[i][t])
		}
	}
	return out
}

// both leaves what two histories have in common.
func (w *written) both(o *written) {
	for i := range w.seen {
		w.seen[i].And(&w.seen[i], &o.seen[i])
		for t := range w.own[i] {
			w.own[i][t].And(&w.own[i][t], &o.own[i][t])
		}
	}
}

// frame is a call in progress: the kernel's own, or that of a device function.
type frame struct {
	Vars     map[*ir.Var][]Value
	gone     []bool // threads that returned, or left the iteration or loop
	left     []bool // threads that left the innermost loop
	next     []bool // threads that left its iteration
	unsure   bool   // a jump whose condition is not known was met in the innermost loop
	returned *written
	result   []Value
}

const maxSteps = 8_000_000

// standing is the state of a kernel's run on one way, kept while another way is run.
type standing struct {
	sets                 *written
	vars                 map[*ir.Var][]Value
	gone, left, next     []bool
	reading, later, turn bool
}

// stand returns where the run stands.
func (c *content) stand() standing {
	f := c.Frame
	return standing{c.sets, f.Vars, f.gone, f.left, f.next, c.Reading, c.later, c.Turn}.clone()
}

// back takes the run back to where it stood.
func (c *content) back(s standing) {
	f := c.Frame
	s = s.clone()
	c.sets, c.Reading, c.later, c.Turn = s.sets, s.reading, s.later, s.turn
	f.Vars, f.gone, f.left, f.next = s.vars, s.gone, s.left, s.next
}

func (s standing) clone() standing {
	vars := make(map[*ir.Var][]Value, len(s.vars))
	for v, vals := range s.vars {
		vars[v] = slices.Clone(vals)
	}
	s.sets, s.vars, s.gone, s.left, s.next = s.sets.clone(), vars, slices.Clone(s.gone), slices.Clone(s.left), slices.Clone(s.next)
	return s
}

// Fit checks that no turn reads what an earlier one left behind.
func Fit(al *kit.Alignment) {
	n := al.Obj.Threads()
	if al.Kernel.Doubtful(kit.Turns) || al.Kernel.Doubtful(kit.Uniform) {
		return
	}
	if !takesSeveralTurns(al) && len(al.InRows) == 0 {
		al.Kernel.Show(kit.Content, "each v-TB takes one turn")
		return
	}
	if n == 0 {
		al.Kernel.Doubt(kit.Content, al.Texts.New.File, al.Obj.At, "which elements are written can't be told without the shape of a block")
		return
	}
	c := NewContent(al, n)
	c.once = !takesSeveralTurns(al)
	c.Declare()
	c.Run(al.Obj.At)
	if !al.Kernel.Doubtful(kit.Content) {
		al.Kernel.Show(kit.Content, "run for the threads of one block, with what is known of integers")
	}
}

// NewContent knows of nothing yet, for n threads.
func NewContent(al *kit.Alignment, n int) *content {
	c := &content{al: al, k: al.Kernel, N: n, Arrays: map[*ir.Var]*Array{}, unset: map[*ir.Var]bool{}, shared: map[*ir.Expr]bool{}, types: map[*ir.Expr]string{}, sets: &written{}, Frame: newFrame(n)}
	c.kernelGone = c.Frame.gone
	c.given = givenBy(al)
	return c
}

// givenBy returns what smux's checks, "static_assert(T == 8, …)", say of the template parameters of a function, in both texts.
func givenBy(al *kit.Alignment) map[*ir.Var]Value {
	given := map[*ir.Var]Value{}
	if al.New == nil || al.New.File != al.Texts.New.File || al.New.Body == nil {
		return given
	}
	params := al.New.TParams
	if al.Old != nil {
		params = slices.Concat(params, al.Old.TParams)
	}
	for _, p := range params {
		for _, s := range al.New.Body.List {
			us := al.Texts.UnitsOf(s)
			checked, _, ok := units.Match(us, "static_assert ( "+p.Name+" = = $ ,")
			if !ok || p.Kind != ir.VarTemplateValue || s.Macro || !kit.IsCheck(us) {
				continue
			}
			if n, err := strconv.ParseInt(checked[0], 0, 64); err == nil {
				given[p] = Converted(Integer(n), p.Type.Base)
			}
		}
	}
	return given
}

func newFrame(n int) *frame {
	return &frame{Vars: map[*ir.Var][]Value{}, gone: make([]bool, n), left: make([]bool, n), next: make([]bool, n), result: make([]Value, n)}
}

// Evaluator computes what is known of integers before anything has run: constants, variables that are set once by
// what is known, and the numbers of n threads of a block.
func Evaluator(al *kit.Alignment, n int) *content {
	c := NewContent(al, n)
	c.fixed = true
	return c
}

// Constant returns the number that an expression is in every thread before anything has run, false where it is not known.
func Constant(al *kit.Alignment, e *ir.Expr) (int64, bool) {
	v := Evaluator(al, 1).Constant(e)
	return v.N, v.Kind == IsInt
}

// Run runs the kernel for all threads.
func (c *content) Run(at int) {
	c.stmt(c.al.New.Body, slices.Repeat([]bool{true}, c.N))
	if c.spent {
		c.k.Doubt(kit.Content, c.al.Texts.New.File, at, "too much is computed of thread numbers to follow what is written where")
	}
}

// takesSeveralTurns reports whether a v-TB may come by an acquire more than once.
func takesSeveralTurns(al *kit.Alignment) bool {
	n := 0
	for s, r := range al.Roles {
		if r != kit.RoleAcquire && r != kit.RoleTurns {
			continue
		}
		n++
		for p := s.Parent; p != nil; p = p.Parent {
			if p.IsLoop() && al.Roles[p] != kit.RoleGroups {
				n++
			}
		}
	}
	return n > 1
}

// Declare finds the shared arrays.
func (c *content) Declare() {
	c.sets = &written{}
	for _, v := range c.al.New.Vars {
		dims := v.Dims
		if cp := c.al.Kernel.State.Copies[v.Name]; cp != nil && cp.Whole != nil {
			// The v-TB's or the slot's copy, which its threads know by the name of the original.
			if dims = cp.Whole.Dims; cp.Bytes == "" {
				dims = dims[1:]
			}
			if cp.Scalar {
				dims = []*ir.Expr{{Op: ir.OpInt, Int: 1}}
			}
			whole := *cp.Whole
			whole.Dims = dims
			c.k.State.Tainted[v] = c.k.State.Tainted[v] || !cp.ByID
			c.declareArray(v, &whole)
			c.Arrays[v].own = cp.ByID
		} else if v.Kind == ir.VarShared && !c.al.IsWhole(v) {
			c.declareArray(v, v)
		}
	}
	var more []*ir.Var // of functions, and at namespace scope
	for v := range c.k.State.Tainted {
		if v.Kind == ir.VarShared && c.Arrays[v] == nil && !c.al.IsWhole(v) {
			more = append(more, v)
		}
	}
	slices.SortFunc(more, func(a, b *ir.Var) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Range.Start, b.Range.Start))
	})
	for _, v := range more {
		c.declareArray(v, v)
	}
}

// declareArray notes what a variable stands for: a shared array of the extents and type of another.
func (c *content) declareArray(v, as *ir.Var) {
	a := &Array{v: as, nth: len(c.sets.seen), size: 1}
	for _, d := range as.Dims {
		extent := -1
		if d != nil {
			if n := c.Constant(d); n.Kind == IsInt && n.N > 0 && n.N < 1<<20 {
				extent = int(n.N)
			}
		}
		a.dims = append(a.dims, extent)
		if extent < 0 || a.size < 0 || a.size*extent > 1<<20 {
			a.size = -1
		} else {
			a.size *= extent
		}
	}
	c.Arrays[v] = a
	c.sets.seen = append(c.sets.seen, big.Int{})
	c.sets.own = append(c.sets.own, make([]big.Int, c.N))
}

// Constant evaluates what no thread changes.
func (c *content) Constant(e *ir.Expr) Value {
	f := c.Frame
	c.Frame = newFrame(0)
	defer func() { c.Frame = f }()
	return c.Eval(e, 0)
}

// barrier makes what threads wrote known to all.
func (c *content) barrier() {
	for i := range c.sets.seen {
		for t := range c.sets.own[i] {
			c.sets.seen[i].Or(&c.sets.seen[i], &c.sets.own[i][t])
			c.sets.own[i][t].SetInt64(0)
		}
	}
}

// acquire forgets everything, release notes that there is something to forget.
func (c *content) acquire() {
	c.Turn, c.Reading = true, c.later && !c.once
	for i := range c.sets.seen {
		c.lose(i)
	}
}

// lose forgets what was written to an array.
func (c *content) lose(i int) {
	c.sets.seen[i], c.sets.own[i] = big.Int{}, make([]big.Int, c.N)
}

func (c *content) release() { c.Turn, c.Reading, c.later = false, false, true }

// read asks that a place was written since the acquire.
func (c *content) read(p *place, t, at int) {
	if !c.Reading || p.array.own || c.Over != nil && !c.Taken[p.array] {
		return
	}
	ok := true
	c.elements(p, func(i int) {
		ok = ok && i >= 0 && c.sets.seen[p.array.nth].Bit(i)+c.sets.own[p.array.nth][t].Bit(i) > 0
	})
	if !ok {
		c.k.Doubt(kit.Content, c.al.Texts.New.File, at, "an element of %s may be read here that was written before the turn, or it can't be told", p.array.v.Name)
	}
}

// readAny asks that everything was written: it is not known what is read.
func (c *content) readAny(t, at int) {
	arrays := slices.SortedFunc(maps.Values(c.Arrays), func(a, b *Array) int { return a.nth - b.nth })
	for _, a := range arrays {
		c.read(&place{array: a}, t, at)
	}
	c.overwrites(nil) // nor whether it is written
}

// write notes that a thread wrote an element, if it is known which.
func (c *content) write(p *place, t int) {
	c.overwrites(p.array)
	if !c.Turn || p.part || len(p.index) != len(p.array.dims) {
		return
	}
	for _, i := range p.index {
		if !i.known {
			return
		}
	}
	c.elements(p, func(i int) {
		if i >= 0 {
			own := &c.sets.own[p.array.nth][t]
			own.SetBit(own, i, 1)
		}
	})
}

// elements calls f with the number of every element that a place may be, -1 for one that is not known.
func (c *content) elements(p *place, f func(int)) {
	a := p.array
	var visit func(d, at int)
	visit = func(d, at int) {
		if d == len(a.dims) {
			f(at)
			return
		}
		extent := a.dims[d]
		if d < len(p.index) && p.index[d].known {
			n := p.index[d].n
			if n < 0 || extent >= 0 && n >= int64(extent) || n > 1<<20 {
				f(-1)
				return
			}
			visit(d+1, at*max(extent, 1)+int(n))
			return
		}
		if extent < 0 {
			f(-1)
			return
		}
		for n := range extent {
			visit(d+1, at*extent+n)
		}
	}
	if len(a.dims) > 1 && a.size < 0 || a.size > 1<<20 {
		f(-1)
		return
	}
	visit(0, 0)
}

// overwrites forgets what is known of the arrays whose bytes a write to one takes; to any one where it is nil. What
// nobody wrote nobody reads, so that nothing is taken of an array that was not written yet.
func (c *content) overwrites(a *Array) {
	if a == nil {
		for b := range c.Over {
			c.Dirty[b] = true
		}
	}
	for b, others := range c.Over {
		if a != nil && a != b {
			continue
		}
		for _, w := range others {
			c.Taken[w] = c.Taken[w] || c.Dirty[w]
			c.lose(w.nth)
		}
	}
	if a != nil && c.Over != nil {
		c.Dirty[a] = true
	}
}
