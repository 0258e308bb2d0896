package sim

import (
	"github.com/smux-cuda/smux/model/gpu"
)

// machine is one SM with the launched TBs that are resident on it.
type machine struct {
	now     float64
	compute []fluid // of each part of the SM
	shared  server
	l2      server
	dram    server
	timed   queue // by cycle: warps that wait for something that takes a known time

	shape    shape
	programs []program // of a launched TB with all its v-TBs
	rest     []program // of the last one, where the grid does not fill it
	warps    []warp    // those of blocks[i] are i*shape.all() ...
	blocks   []block
	toStart  int // launched TBs that wait for a place
	full     int // of these, those with all their v-TBs
	groups   int // of v-TBs that TBs run one after the other, 0 where each runs one
	last     int // v-TBs of the last group where it is not full, else 0
	started  int
	interval float64 // cycles between the starts of two launched TBs on the SM at least
	free     float64 // the first in which another one can start
	finished int
	done     int // v-TBs that have ended, of all launched TBs

	sets      int     // of shared arrays in a launched TB, of policies with locks
	spin      float64 // instructions per cycle of a v-TB that waits for one
	lateWait  float64 // cycles until it sees that one is free
	table     smm     // of the hardware schemes
	added     float64 // instructions that are not the kernel's
	inRegion  int     // v-TBs in a region
	peakIn    int     // most v-TBs of one launched TB in a region at once
	peakAll   int     // most v-TBs of the SM in a region at once
	recording bool    // spans
	ended     float64 // cycle at which the last launched TB ended
	timeline  []Span
}

// warp is a warp of a launched TB.
type warp struct {
	pc      int32
	block   int32
	next    int32   // after this one in the list that it waits in, none at the end
	regions int32   // regions that it has come to
	fetched float64 // cycle at which all that it has fetched is there
	before  float64 // … but for the last
	alone   float64 // cycle at which its last instructions would have been issued if it had gone before all others
	vtb     int16
	part    int8    // of the SM, in which it stays
	weight  float64 // real warps that it stands for
	groups  int32   // that it runs after this one
	passing bool    // the last of them has no block for its v-TB, which passes its turns
	lead    bool    // the first of its v-TB, whose life the timeline shows
	prog    []op
	rates   []mix // of its ops
}

// none ends a list of warps.
const none = int32(-1)

// list is warps that wait for the same thing, in order.
type list struct{ first, last int32 }

var empty = list{none, none}

// block is a place on the SM and the launched TB that has it.
type block struct {
	number   int
	live     int // warps that have not ended
	barriers []barrier
	vtbs     []vtb
	freeSets int
	waiting  []int16 // v-TBs in the order in which they asked for a set
	inRegion int
}

type barrier struct {
	arrived int32
	waiting list
}

// vtb says where a v-TB stands with its region.
type vtb struct {
	queued   int32 // warps that wait for a set of arrays
	given    int32 // warps that have given it back
	region   int32 // number of the region that it is in or comes to next
	earlier  int32 // warps that are at the region after that one already
	asked    bool  // for a set
	holds    bool  // a set
	late     bool  // it had to wait for the set
	inRegion int32 // warps in a region
	live     int32 // warps that have not ended
	waiting  list  // queued
	early    list  // earlier
	span     Span  // what the timeline shows, while open
	open     bool
	loads    []ask // by the place of a load in the program, of the first warp that came to it
}

// ask records when a load was first asked for, by a warp with so many groups to go.
type ask struct {
	made   bool
	groups int32
	at     float64
}

// newMachine returns the SM of g with places for so many launched TBs.
func newMachine(g *gpu.GPU, places int, s shape) *machine {
	a := &g.Arch
	m := &machine{
		shared: server{rate: a.SharedPerCycle},
		dram:   server{rate: g.BytesPerCycle()},
		shape:  s,
		warps:  make([]warp, places*s.all()),
		blocks: make([]block, places),

		interval: a.BlockInterval * float64(g.SMs),
	}
	rates, each := make([]*mix, places*s.all()), partRates(a)
	for range parts(a) {
		m.compute = append(m.compute, newFluid(each, rates))
	}
	if g.L2Bytes > 0 && g.L2Bandwidth > 0 {
		m.l2.rate = g.L2BytesPerCycle()
	}
	for i := range m.blocks {
		m.blocks[i].barriers = make([]barrier, s.barriers())
		m.blocks[i].vtbs = make([]vtb, s.vtbs)
	}
	return m
}

// run starts launched TBs as places get free, until all have ended.
func (m *machine) run() error {
	for i := range m.blocks {
		m.dispatch(int32(i))
	}
	for m.toStart > m.started || m.finished < m.started {
		w, ok := m.nextWarp()
		if !ok {
			return m.deadlock()
		}
		m.step(w)
	}
	return nil
}

// nextWarp goes on to the cycle at which a warp gets on.
func (m *machine) nextWarp() (w int32, ok bool) {
	first := &m.compute[0]
	for i := range m.compute {
		f := &m.compute[i]
		if f.stale {
			f.settle()
		}
		if f.due < first.due {
			first = f
		}
	}
	if m.timed.len() > 0 {
		if n := m.timed.top(); n.key <= first.due {
			m.timed.pop()
			m.now = n.key
			return n.warp, true
		}
	}
	if first.queue.len() == 0 {
		return 0, false
	}
	m.now = first.due
	return first.pop(), true
}

// dispatch starts the next launched TB at a place.
func (m *machine) dispatch(place int32) {
	if m.started == m.toStart {
		return
	}
	b := &m.blocks[place]
	programs := m.programs
	if m.started >= m.full {
		programs = m.rest
	}
	*b = block{number: m.started, live: len(programs) * m.shape.warps, barriers: b.barriers, vtbs: b.vtbs, freeSets: m.sets, waiting: b.waiting[:0]}
	m.started++
	for i := range b.barriers {
		b.barriers[i] = barrier{waiting: empty}
	}
	for v := range b.vtbs {
		clear(b.vtbs[v].loads)
		b.vtbs[v] = vtb{region: 1, waiting: empty, early: empty, loads: b.vtbs[v].loads}
	}
	first := place * int32(m.shape.all())
	groups := m.groupsOf(int(place))
	for v, prog := range programs {
		b.vtbs[v].live = int32(m.shape.warps)
		m.added += (prog.added + float64(groups)*prog.again) * float64(m.shape.real)
		for i := range m.shape.warps {
			w := first + int32(v*m.shape.warps+i)
			m.warps[w] = warp{block: place, next: none, vtb: int16(v), part: m.part(place, v, i), weight: m.shape.stands(i), groups: int32(groups), lead: i == 0, prog: prog.ops, rates: prog.rates[0]}
			if m.warps[w].weight < m.shape.stands(0) {
				m.warps[w].rates = prog.rates[1]
			}
		}
	}
	start := max(m.now, m.free)
	m.free = start + m.interval
	for i := range int32(b.live) {
		if start > m.now {
			m.timed.push(start, first+i)
		} else {
			m.step(first + i)
		}
	}
}

// groupsOf counts the groups that the TB of a place runs after its first one.
func (m *machine) groupsOf(place int) int {
	if m.groups == 0 {
		return 0
	}
	return (m.groups - 1 - place) / len(m.blocks)
}

// next has a warp go on with its next group. In the last group of a grid that fills it only partly, v-TBs without a
// block pass their turns on, which takes them no time: there the ring is a shorter one.
func (m *machine) next(w *warp, top int32) {
	if w.groups == 0 {
		return
	}
	w.groups--
	w.pc = top
	lastPlace := (m.groups - 1) % len(m.blocks)
	w.passing = w.groups == 0 && m.last > 0 && int(w.block) == lastPlace && int(w.vtb) >= m.last
	if w.passing {
		m.added -= m.programs[w.vtb].again * w.weight
	}
}

// part is the part of the SM of v-TB v's simulated warp i: a launched TB's warps go to the
// parts in turns, those of the next place where the ones of this place end.
func (m *machine) part(place int32, v, i int) int8 {
	return int8((int(place)*m.shape.vtbs*m.shape.real + v*m.shape.real + i) % len(m.compute))
}

// step lets a warp go on until it has to wait.
func (m *machine) step(id int32) {
	w := &m.warps[id]
	for int(w.pc) < len(w.prog) {
		o := &w.prog[w.pc]
		w.pc++
		if w.lead && m.recording && o.takesTime() {
			m.record(w, o.span, o.label)
		}
		if w.passing && o.works() {
			continue
		}
		switch o.kind {
		case opIssue:
			w.alone = m.now + o.wait
			m.compute[w.part].add(m.now, o.mix[slots]*w.weight, &w.rates[w.pc-1], o.wait, id)
			return
		case opShared:
			m.timed.push(m.shared.serve(m.now, o.amount*w.weight)+o.wait, id)
			return
		case opLoad:
			m.timed.push(m.fetch(o, w.weight)+o.wait-m.sooner(w, o), id)
			return
		case opStore:
			m.fetch(o, w.weight)
		case opFetch:
			w.before = w.fetched
			w.fetched = max(w.fetched, m.fetch(o, w.weight)+o.wait)
		case opAwait:
			due := w.fetched
			if o.prior {
				due = w.before
			}
			if due > m.now {
				m.timed.push(due, id)
				return
			}
		case opSync:
			m.sync(id, o)
			return
		case opArrive:
			m.complete(&m.blocks[w.block].barriers[o.barrier], o)
		case opTake:
			m.take(id)
			return
		case opGive:
			m.give(w)
		case opEnter:
			m.enter(w)
		case opLeave:
			m.leave(w)
		case opNext:
			m.next(w, o.top)
		}
	}
	m.exit(w)
}

// sooner returns how much less a warp waits for a load because another warp of its v-TB has come to it before.
func (m *machine) sooner(w *warp, o *op) float64 {
	if o.late <= 0 {
		return 0
	}
	v := &m.blocks[w.block].vtbs[w.vtb]
	if len(v.loads) != len(w.prog) {
		v.loads = make([]ask, len(w.prog))
	}
	first := &v.loads[w.pc-1]
	if !first.made || first.groups != w.groups {
		*first = ask{made: true, groups: w.groups, at: min(w.alone, m.now)}
	}
	return min(o.late, m.now-first.at)
}

// fetch moves the bytes of so many warps and returns the cycle at which the slowest path is done.
func (m *machine) fetch(o *op, warps float64) float64 {
	done := m.l2.serve(m.now, o.amount*warps)
	if o.pipe > 0 {
		done = max(done, m.shared.serve(m.now, o.pipe*warps))
	}
	if o.dram > 0 {
		done = max(done, m.dram.serve(m.now, o.dram*warps))
	}
	return done
}

// exit ends a warp; the last of a launched TB makes room for the next.
func (m *machine) exit(w *warp) {
	b := &m.blocks[w.block]
	if w.lead && m.recording {
		m.endSpan(w)
	}
	if b.vtbs[w.vtb].live--; b.vtbs[w.vtb].live == 0 {
		m.done++
	}
	if b.live--; b.live > 0 {
		return
	}
	m.finished++
	m.ended = m.now
	m.dispatch(w.block)
}

// SpanKind is the activity of a v-TB during a span.
type SpanKind uint8

// The kinds of spans.
const (
	Compute SpanKind = iota // outside regions
	Memory                  // waits for global memory, outside regions
	Region                  // inside a region, whatever it does there
	Wait                    // for a barrier, for its turn, or for shared memory
)

var spanNames = [...]string{"compute", "memory", "region", "wait"}

func (k SpanKind) String() string { return spanNames[k] }

// MarshalText gives the name that String gives.
func (k SpanKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Span is a while in the life of a v-TB, as its first warp sees it.
type Span struct {
	TB         int // launched TB, in order of dispatch
	VTB        int // v-TB in it, from 0
	Slot       int // place on the SM that the launched TB has for its life
	Kind       SpanKind
	Start, End float64 // cycles
	Label      string  // of the step it begins with
}

// record notes that a v-TB does something of a kind from now on.
func (m *machine) record(w *warp, kind SpanKind, label string) {
	v := &m.blocks[w.block].vtbs[w.vtb]
	if v.open && v.span.Kind == kind {
		return
	}
	m.endSpan(w)
	v.open = true
	v.span = Span{TB: m.blocks[w.block].number, VTB: int(w.vtb), Slot: int(w.block), Kind: kind, Start: m.now, Label: label}
}

// endSpan closes the span that a v-TB is in.
func (m *machine) endSpan(w *warp) {
	v := &m.blocks[w.block].vtbs[w.vtb]
	if v.open && m.now > v.span.Start {
		v.span.End = m.now
		m.timeline = append(m.timeline, v.span)
	}
	v.open = false
}
