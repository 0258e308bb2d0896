package acc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// Mapping says how the threads of a kernel share the iterations of a nest of loops.
type Mapping struct {
	// Loops are the loops that have a dimension of the thread block, that along x first: their
	// numbers from the outermost, which is 0. Each thread runs all iterations of the others.
	Loops []int
	Block []int // the extents of the thread block along these
	// Blocks is the largest number of thread blocks where they are combined (Nest.Combined); 0 for
	// what Translate takes by itself, and where as many are launched as there are iterations.
	Blocks int
}

// Equal reports whether two mappings are the same.
func (m Mapping) Equal(o Mapping) bool {
	return slices.Equal(m.Loops, o.Loops) && slices.Equal(m.Block, o.Block) && m.Blocks == o.Blocks
}

// Threads is the number of threads of a block.
func (m Mapping) Threads() int {
	n := 1
	for _, b := range m.Block {
		n *= b
	}
	return n
}

// Shape spells the thread block, and how many there are where that is chosen: 32x8, grid 1728.
func (m Mapping) Shape() string {
	out := strings.Join(lists.Map(m.Block, strconv.Itoa), "x")
	if m.Blocks > 0 {
		return fmt.Sprintf("%s, grid %d", out, m.Blocks)
	}
	return out
}

// Nest is a nest of parallel loops that became a kernel, and what else it could have become.
type Nest struct {
	Kernel string
	Pos    diag.Position // of the outermost loop
	Loops  []string      // the counters, that of the outermost first
	// Gangs counts those of Loops, from the outermost, that have a thread block for each iteration;
	// the last is then that whose iterations its threads share. 0 where threads have all.
	Gangs int
	// Trips are the iterations of each loop; where they depend on a variable, by what Assumed says.
	Trips   []int64
	Known   bool     // Trips are those of the program
	Assumed []string // values of variables that Trips, or Options.Count, take
	Uneven  bool     // what an iteration does depends on its number
	// Combined is set where the thread blocks' results are combined, and no directive says how many there
	// are: then Mapping.Blocks counts.
	Combined bool
	// Mappings are those that the directives leave open, that of Options first.
	Mappings []Mapping
	Cached   []Cached // arrays that directives ask to have in shared memory
}

// mapping is a Mapping with the loops themselves.
type mapping struct {
	Mapping
	order []*loop
}

func (m mapping) axis(l *loop) int { return slices.Index(m.order, l) }

// mapped is the mapping of a nest that was asked for, or the default, noted with what is possible beside it.
func (e *emitter) mapped(k *kernelStep, kernel string) mapping {
	var all []Mapping
	if k.phases == nil {
		all = e.mappings(k)
	} else {
		all = e.laneMappings(k)
	}
	combined := len(k.reductions) > 0 && e.gangs(k) == ""
	if asked, ok := e.options.Mappings[kernel]; ok {
		like := Mapping{Loops: asked.Loops, Block: asked.Block}
		if i := slices.IndexFunc(all, like.Equal); i >= 0 {
			chosen := all[i]
			all = slices.Insert(slices.Delete(all, i, i+1), 0, chosen)
			if combined {
				all[0].Blocks = asked.Blocks
			}
		}
	}
	out, loops := mapping{Mapping: all[0]}, k.nest
	nest := Nest{Kernel: kernel, Pos: e.translation.place(loops[0].node), Known: true, Mappings: all, Combined: combined, Cached: e.translation.cachedIn(loops[0].node)}
	if k.phases != nil {
		loops, nest.Gangs = append(slices.Clone(loops), k.lanes[0]), len(k.nest)
		out.order = slices.Clone(k.nest)
		slices.Reverse(out.order)
	} else {
		out.order = lists.Map(all[0].Loops, func(i int) *loop { return k.nest[i] })
	}
	for _, l := range loops {
		n, exact := e.assumed.iterations(l)
		nest.Loops, nest.Trips, nest.Known = append(nest.Loops, l.counter.name), append(nest.Trips, n), nest.Known && exact
		if p := e.translation.loopOver(l.node); p != nil && k.phases == nil && out.axis(l) < 0 {
			e.translation.say(e.translation.place(l.node), CodeSequential, "this loop runs in the order of the C program: the model gives the loops around it, or in it, threads enough",
				"nothing needs to be done; a clause vector gives it threads in any case")
		}
	}
	nest.Assumed, nest.Uneven = e.assumed.told, e.assumed.uneven
	e.Nests = append(e.Nests, nest)
	return out
}

// usualLanes is the number of threads that share loops in the body of a gang's loop.
const usualLanes = 128

// laneMappings are the thread blocks for a nest whose iterations have one each.
func (e *emitter) laneMappings(k *kernelStep) []Mapping {
	with := func(threads int) Mapping { return Mapping{Loops: []int{len(k.nest)}, Block: []int{threads}} }
	if n := e.askedOfLanes(k); n > 0 {
		return []Mapping{with(n)}
	}
	usual := usualLanes
	trips, known := e.assumed.iterations(k.lanes[0])
	for known && usual > 32 && trips <= int64(usual)/2 {
		usual /= 2
	}
	out := []Mapping{with(usual)}
	for _, n := range alongX {
		if n != usual && (!known || n == 32 || int64(n) < 2*trips) {
			out = append(out, with(n))
		}
	}
	return out
}

// shapes are the thread blocks of nests of one, two and three loops where nobody says more.
var shapes = [][]int{{256}, {32, 8}, {32, 4, 2}}

// processors is the number of SMs of the largest GPUs at the time of writing; thread blocks get no smaller than fewest threads for them.
const processors, fewest = 132, 64

// spread is the usual thread block of a nest, smaller where some SMs would be idle and an iteration has loops of its own.
func (e *emitter) spread(k *kernelStep, loops []int) []int {
	block := slices.Clone(shapes[len(k.nest)-1])
	for d := len(block) - 1; len(e.translation.boundsIn(k.body)) > 0 && (Mapping{Block: block}).Threads() > fewest; block[d] /= 2 {
		blocks := int64(1)
		for d, l := range loops {
			n, known := e.assumed.iterations(k.nest[l])
			if blocks *= (n + int64(block[d]) - 1) / int64(block[d]); !known {
				return block
			}
		}
		if blocks >= processors {
			return block
		}
		for block[d] == 1 {
			d--
		}
	}
	return block
}

// most is the largest number of threads of a block.
const most = 1024

// along are the extents of a thread block in a dimension: whole warps where neighbours along x are neighbours in memory.
var (
	alongX      = []int{32, 64, 128, 256, 512, 1024}
	alongApart  = []int{8, 16, 32, 64, 128, 256, 512, 1024}
	alongOthers = []int{1, 2, 4, 8, 16, 32}
)

// mappings are those that the directives of a nest leave open, the default first.
func (e *emitter) mappings(k *kernelStep) []Mapping {
	score, must := e.neighbours(k), 0 // a bit for each loop that a directive collapses, or gives a level
	for _, g := range e.governed(k) {
		for _, l := range g.loops {
			if len(g.loops) > 1 || len(levelsOf(g.pragma)) > 0 {
				must |= 1 << l
			}
		}
	}
	x := len(k.nest) - 1
	for i := x; i >= 0; i-- {
		if score[i] > score[x] {
			x = i
		}
	}
	subsets := 1 << len(k.nest)
	if tile := e.tile(k); tile != nil { // which has its own extents for each loop, the innermost last
		return []Mapping{{Loops: placed(k, len(k.nest)-1, subsets-1), Block: tile}}
	}
	asked := e.asked(k)
	usual := Mapping{Loops: placed(k, x, subsets-1)}
	usual.Block = e.spread(k, usual.Loops)
	apart := func(b []int) (sum float64) { // from the usual block, along x above all
		for i, n := range usual.Block {
			sum += math.Abs(math.Log2(float64(b[i])/float64(n))) / float64(1+i)
		}
		return sum
	}
	if len(asked) > 0 {
		usual.Block = slices.MinFunc(e.blocks(k, usual.Loops, score, asked), func(a, b []int) int { return cmp.Compare(apart(a), apart(b)) })
	}
	out := []Mapping{usual}
	for subset := 1; subset < subsets; subset++ {
		for x := range k.nest {
			if subset&must != must || subset&(1<<x) == 0 {
				continue
			}
			loops := placed(k, x, subset)
			for _, b := range e.blocks(k, loops, score, asked) {
				if m := (Mapping{Loops: loops, Block: b}); !m.Equal(usual) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// placed are the loops of a nest that a subset has a bit for, from the innermost, which changes places with the one along x.
func placed(k *kernelStep, x, subset int) (out []int) {
	for i := len(k.nest) - 1; i >= 0; i-- {
		if subset&(1<<i) != 0 {
			out = append(out, i)
		}
	}
	at := slices.Index(out, x)
	out[0], out[at] = out[at], out[0]
	return out
}

// neighbours counts for each loop of a nest the accesses in which iterations beside one another are neighbours in memory.
func (e *emitter) neighbours(k *kernelStep) []int {
	score := make([]int, len(k.nest))
	f := newForms(e.translation.unit, k.nest[0].node)
	for _, a := range e.translation.accessesOf(k.body) {
		if len(a.subs) == 0 || a.subs[len(a.subs)-1] == nil {
			continue
		}
		p := f.of(a.subs[len(a.subs)-1], 0)
		for i, l := range k.nest {
			if c, ok := factor(p, f.symbol(l.counter, 0)); ok && (c == 1 || c == -1) {
				score[i]++
			}
		}
	}
	return score
}

// blocks are the thread blocks that are worth a look for loops in their dimensions.
func (e *emitter) blocks(k *kernelStep, loops, score []int, asked []governed) (out [][]int) {
	var extend func(block []int, threads int)
	extend = func(block []int, threads int) {
		d := len(block)
		if d == len(loops) {
			whole := threads%32 == 0 || len(k.reductions) == 0 // a reduction needs whole warps
			if whole && (threads >= 32 || len(asked) > 0) && lists.All(asked, func(s governed) bool { return s.fits(block, loops) }) {
				out = append(out, slices.Clone(block))
			}
			return
		}
		for _, n := range e.extents(k, loops, d, score, asked) {
			if threads*n <= most {
				extend(append(block, n), threads*n)
			}
		}
	}
	extend(nil, 1)
	return out
}

// extents are those that a thread block may have along a dimension.
func (e *emitter) extents(k *kernelStep, loops []int, d int, score []int, asked []governed) (out []int) {
	l := loops[d]
	for _, s := range asked {
		if slices.Contains(s.loops, l) {
			for n := 1; n <= s.threads; n++ {
				whole := n%32 == 0 || d > 0 || score[l] == 0 || s.threads%32 != 0
				if s.threads%n == 0 && whole {
					out = append(out, n)
				}
			}
			return out
		}
	}
	switch {
	case len(asked) > 0:
		return []int{1} // the threads are those of the other loops
	case d > 0:
		out = alongOthers
	case score[l] > 0:
		out = alongX
	default:
		out = alongApart
	}
	// More than the loop has iterations would only wait, but for whole warps.
	if n, known := e.constantIterations(k.nest[l]); known {
		out = slices.DeleteFunc(slices.Clone(out), func(b int) bool { return b > 32 && int64(b) >= 2*n || d > 0 && b > 1 && int64(b) >= 2*n })
	}
	return out
}
