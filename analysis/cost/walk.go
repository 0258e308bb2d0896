package cost

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// walk is one pass over a kernel, as one thread block runs it: all threads at
// once, with the numbers that are known, counting what each warp issues.
type walk struct {
	k     *analysis.Kernel
	in    *analysis.Instance
	shape [3]int
	n     int // threads per block
	block [3]int64
	grid  [3]int64 // 0 where not known

	busy   map[*ir.Var]bool // constants whose initialiser is under evaluation
	ids    [3]*lanes        // threadIdx
	mask   mask             // threads that run the current code
	dead   mask             // threads that have left it for good
	share  float64
	weight float64 // how often the current code runs, where it stands for more than one turn
	maybe  int     // conditions around the current code that are not known

	root *node
	body *node // what the current code is counted in
	slot *node // the piece of work of body that counts now
	line place
	mute int // counting is off

	// What the compiler has computed already, by identity.
	memo    map[operation]int
	sums    map[int][2]int               // the terms of a sum
	held    map[*object]map[access]value // what registers hold of memory
	oneSide []holding                    // what of it was loaded or stored on the sides under way
	side    int                          // of a branch that the compiler does not decide, 0 outside of any: its identity
	lastID  int

	// Loads under way.
	batch     int // the open one
	lastBatch int
	waiting   *node     // the piece of work that the open batch waits in
	waitingAt place     // the line of its first load
	pending   []float64 // loads since the last wait, by depth - 1

	loops []*loopState
	path  string // of calls, to tell places apart

	fragmentSizes map[*ir.Var][2]float64 // rows and columns

	objects    map[*ir.Var]*object
	footprints map[*object]*footprint
	sectors    int     // that these remember
	large      bool    // Options.Large
	clock      float64 // bytes of the lines that were loaded, each as often as it was
	reuse      reuse
	stored     map[*object]*footprint // what was stored to, at times of clock + storing
	storing    float64                // bytes of the sectors that were stored to, each once
	joins      reuse
	hits       map[pattern]hits    // sectors of accesses, by warp
	passes     map[pattern]float64 // wavefronts of accesses

	facts     *evaluate.Facts
	types     map[string]string // the kernel's template type parameters
	templates map[cell]value    // and its template numbers
	named     map[string]ctype  // types of the program
	members   map[string]int    // of structs, in the order in which they were met

	starts  map[*ir.Stmt]*analysis.Region // regions by their first statement
	splits  map[*ir.Expr]bool             // assignments whose loads move before the region
	earlyIn map[*analysis.Region]bool     // regions with such assignments
	region  *analysis.Region
	ahead   *node // the early work of the region
	copying copyBatch

	moving

	// compiling is set if nothing is known but what the compiler knows, and that lifetimes are noted.
	compiling   bool
	lives       *lifetimes
	callsOut    bool                // it calls a function that is not inlined
	turned      map[*ir.Stmt]turned // how often loops ran
	assumptions []string
	guessed     bool // one of them is how often a loop runs
	budget      int  // expressions that may still be evaluated with full care
}

// moving holds the parts of the code that a rewrite moves (Moved): loads, statements that compute what they store, these stores,
// and statements that are run after their region.
type moving struct {
	early    map[*ir.Expr]bool
	computed map[*ir.Stmt]bool
	stores   map[*ir.Expr]bool
	late     map[*ir.Stmt]bool
	inTurn   *node // while a statement is computed ahead: the piece of work that its stores count in
	reads    *node // while one is run after: that its reads of shared arrays do
}

// operation names a computation by its operands.
type operation struct {
	op   string
	a, b int
	x, y int64
}

// access names a place in an object.
type access struct {
	id    int
	add   int64
	bytes int
}

// loopState is an enclosing loop or switch under way.
type loopState struct {
	stmt      *ir.Stmt
	first     int  // the batch that was open when the loop began
	chained   bool // a load's address comes from a load of the turn before
	branching bool // it loads under a condition
	left      mask // threads that broke out
	skipped   mask // threads that go on with the next turn
	samples   int
	maybe     int   // conditions around it that are not known
	level     int   // loops around it
	turn      int64 // the one under way, of those that are not flattened
	flat      bool  // the compiler knows its turns apart
	over      bool

	words    int // that the loads of the turn under way bring
	from, to int // where these are
}

// frame is one activation of a function.
type frame struct {
	x      *walk
	fn     *ir.Func
	caller *frame
	types  map[string]string // template type parameters
	cells  map[cell]value
	alias  map[*ir.Var]lvalue
	result value
	log    map[cell]value // what cells held before the branch under way
	depth  int
}

// cell is a scalar that lives in a register: a variable, an element of a local array, a member.
type cell struct {
	v      *ir.Var
	index  int64
	member string
}

func (c cell) compare(d cell) int {
	return cmp.Or(cmp.Compare(c.v.Range.Start, d.v.Range.Start), cmp.Compare(c.v.Name, d.v.Name), cmp.Compare(c.index, d.index), cmp.Compare(c.member, d.member))
}

func (x *walk) fresh() int {
	x.lastID++
	return x.lastID
}

// unknown is an unknown value.
func (x *walk) unknown(t ctype) value {
	v := value{typ: t, id: x.fresh()}
	x.appears(v.id, v.words())
	return v
}

// issue counts warp instructions.
func (x *walk) issue(n float64) { x.count(workload.Work{Issue: n}, 0) }

// count adds work of the active warps; a lane moves memory bytes by it. It returns the counts of
// the line, and how often the work is done; nil where it is not counted.
func (x *walk) count(w workload.Work, memory float64) (*lineWork, float64) {
	if x.mute > 0 || x.share == 0 {
		return nil, 0
	}
	s := x.current()
	if w.Shared > 0 && w.Access > 0 && x.reads != nil {
		s = x.reads
	}
	f := x.weight * x.share
	s.work = s.work.Add(w.Scale(f))
	l := s.lines[x.line]
	if l == nil {
		l = &lineWork{}
		s.lines[x.line] = l
	}
	l.issue += w.Issue * f
	l.memory += memory * f
	return l, f
}

// current returns the piece of work that counts now.
func (x *walk) current() *node {
	if x.slot == nil {
		var key any = "start"
		if x.body.visited && len(x.body.kids) > 0 && x.body.at < len(x.body.kids) {
			key = behind{x.body.kids[x.body.at]}
		}
		x.open(key)
	}
	return x.slot
}

// behind keys the work after a barrier, a loop or a region.
type behind struct{ n *node }

// open starts or finds a piece of work.
func (x *walk) open(key any) {
	x.slot = x.body.child(workload.KindWork, key, x.line.in)
	x.body.visited = true
	if x.slot.lines == nil {
		x.slot.lines = map[place]*lineWork{}
	}
}

// structure counts a barrier, or enters a loop or region; the caller leaves it.
func (x *walk) structure(kind workload.Kind, key any, line int) *node {
	x.wait(1)
	n := x.body.child(kind, key, line)
	x.body.visited = true
	x.slot = nil
	return n
}

// inside runs f with its work counted in n.
func (x *walk) inside(n *node, f func()) {
	outer := x.body
	x.body, x.slot, n.at, n.visited = n, nil, 0, false
	f()
	x.wait(1)
	x.body, x.slot = outer, nil
}

// restrict sets the threads that run what follows.
func (x *walk) restrict(m mask) {
	if x.dead != nil {
		m = slices.Clone(m)
		if m == nil {
			m = make(mask, x.n)
			for i := range m {
				m[i] = true
			}
		}
		for i := range m {
			m[i] = m[i] && !x.dead[i]
		}
	}
	x.mask = m
	x.share = float64(m.warps(x.n)) / float64((x.n+hardware.WarpSize-1)/hardware.WarpSize)
}

// wait ends a batch of loads; turns of a loop whose loads go together share one.
func (x *walk) wait(turns float64) {
	for _, n := range x.pending {
		if n == 0 {
			continue
		}
		rounds := 1.0
		for b := n * turns; b > maxBatch; b -= maxBatch {
			rounds++
		}
		if x.waiting != nil {
			waits := min(rounds, n*turns) / turns * x.weight
			x.waiting.work.Waits += waits
			l := x.waiting.lines[x.waitingAt]
			if l == nil {
				l = &lineWork{}
				x.waiting.lines[x.waitingAt] = l
			}
			l.waits += waits
		}
	}
	x.waiting = nil
	x.pending = x.pending[:0]
	x.lastBatch++
	x.batch = x.lastBatch
}

// assume notes a guess once.
func (x *walk) assume(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	x.assumptions = lists.Add(x.assumptions, text)
}

// at sets the line that work is counted for and returns what restores it.
func (f *frame) at(offset int) (restore func()) {
	old := f.x.line
	p := f.fn.File.Position(offset)
	f.x.line = place{p.File, p.Line, p.Line}
	if f.depth > 0 {
		f.x.line.in = old.in
	}
	return func() { f.x.line = old }
}
