package sim

import (
	"fmt"
	"strings"
)

// append puts a warp at the end of a list.
func (m *machine) append(l *list, id int32) {
	m.warps[id].next = none
	if l.first == none {
		l.first = id
	} else {
		m.warps[l.last].next = id
	}
	l.last = id
}

// release lets all warps of a list go on after a wait.
func (m *machine) release(l *list, wait float64) {
	for id := l.first; id != none; {
		next := m.warps[id].next
		m.timed.push(m.now+wait, id)
		id = next
	}
	*l = empty
}

// sync has a warp wait at a barrier, or completes it.
func (m *machine) sync(id int32, o *op) {
	b := &m.blocks[m.warps[id].block].barriers[o.barrier]
	m.append(&b.waiting, id)
	m.complete(b, o)
}

func (m *machine) complete(b *barrier, o *op) {
	if b.arrived++; b.arrived < o.parties {
		return
	}
	b.arrived = 0
	if b.waiting.first != none {
		wait := m.warps[b.waiting.first].waits()
		m.release(&b.waiting, wait)
	}
}

// waits returns the latency of the op that a warp waits in.
func (w *warp) waits() float64 { return w.prog[w.pc-1].wait }

// take has a warp wait for shared arrays; the first of its v-TB asks for them. By a lock all go on together, since
// the leader tells them at their barrier; by the SM's table each goes on as it comes, once its v-TB has the arrays.
func (m *machine) take(id int32) {
	w := &m.warps[id]
	v := &m.blocks[w.block].vtbs[w.vtb]
	if w.regions++; w.regions > v.region {
		m.append(&v.early, id)
		v.earlier++
		return
	}
	m.append(&v.waiting, id)
	v.queued++
	if !v.holds && !v.asked {
		m.ask(w.block, w.vtb)
		return
	}
	m.admit(v)
}

// admit lets warps into the region of a v-TB that has the arrays.
func (m *machine) admit(v *vtb) {
	if !v.holds || v.queued == 0 || m.table.need == 0 && v.queued < int32(m.shape.warps) {
		return
	}
	v.queued = 0
	wait := m.warps[v.waiting.first].waits()
	if v.late {
		wait += m.lateWait
	}
	m.release(&v.waiting, wait)
}

// ask queues a v-TB for arrays and serves the queue.
func (m *machine) ask(at int32, number int16) {
	b := &m.blocks[at]
	b.vtbs[number].asked = true
	if m.table.need > 0 {
		m.table.waiting = append(m.table.waiting, claim{at, number})
		m.serveTable()
		return
	}
	b.waiting = append(b.waiting, number)
	m.serveSets(at)
	if v := &b.vtbs[number]; !v.holds {
		v.late = true
		m.compute[m.part(at, int(number), 0)].spin(m.now, m.spin)
	}
}

func (m *machine) grant(v *vtb) {
	v.asked, v.holds = false, true
	m.admit(v)
}

func (m *machine) serveSets(at int32) {
	b := &m.blocks[at]
	for len(b.waiting) > 0 && b.freeSets > 0 {
		v := &b.vtbs[b.waiting[0]]
		if v.late {
			m.compute[m.part(at, int(b.waiting[0]), 0)].spin(m.now, -m.spin)
		}
		b.waiting = append(b.waiting[:0], b.waiting[1:]...)
		b.freeSets--
		m.grant(v)
	}
}

// smm is the SM's table of shared memory for the hardware schemes (PACT'12 §5):
// bytes for regions, given first come, first served.
type smm struct {
	free, used, peak int
	need             int // of one region
	waiting          []claim
}

// claim is a v-TB that waits for shared memory.
type claim struct {
	block int32
	vtb   int16
}

func (m *machine) serveTable() {
	t := &m.table
	for len(t.waiting) > 0 && t.free >= t.need {
		c := t.waiting[0]
		t.waiting = append(t.waiting[:0], t.waiting[1:]...)
		t.free -= t.need
		t.used += t.need
		t.peak = max(t.peak, t.used)
		m.grant(&m.blocks[c.block].vtbs[c.vtb])
	}
}

// give returns the arrays with a v-TB's last warp. Warps that have come to the
// next region already ask for them anew, after those that wait.
func (m *machine) give(w *warp) {
	b := &m.blocks[w.block]
	v := &b.vtbs[w.vtb]
	if v.given++; v.given < int32(m.shape.warps) {
		return
	}
	v.given, v.holds, v.late = 0, false, false
	v.region++
	v.waiting, v.queued = v.early, v.earlier
	v.early, v.earlier = empty, 0
	if m.table.need > 0 {
		m.table.free += m.table.need
		m.table.used -= m.table.need
		m.serveTable()
	} else {
		b.freeSets++
		m.serveSets(w.block)
	}
	if v.queued > 0 && !v.asked {
		m.ask(w.block, w.vtb)
	}
}

// enter and leave keep count of the v-TBs that have a warp in a region.
func (m *machine) enter(w *warp) {
	b := &m.blocks[w.block]
	v := &b.vtbs[w.vtb]
	if v.inRegion++; v.inRegion > 1 {
		return
	}
	b.inRegion++
	m.inRegion++
	m.peakIn = max(m.peakIn, b.inRegion)
	m.peakAll = max(m.peakAll, m.inRegion)
}

func (m *machine) leave(w *warp) {
	b := &m.blocks[w.block]
	v := &b.vtbs[w.vtb]
	if v.inRegion--; v.inRegion == 0 {
		b.inRegion--
		m.inRegion--
	}
}

// deadlock is the error about launched TBs that are resident while none can go on.
func (m *machine) deadlock() error {
	var waiting []string
	for i := range m.warps {
		w := &m.warps[i]
		if w.pc == 0 {
			continue
		}
		where := ""
		switch o := w.prog[w.pc-1]; o.kind {
		case opSync:
			where = fmt.Sprintf("barrier %d", o.barrier)
		case opTake:
			where = "a set of shared arrays"
		default:
			continue
		}
		waiting = append(waiting, fmt.Sprintf("warp %d of v-TB %d of thread block %d waits for %s",
			i%m.shape.warps, w.vtb, m.blocks[w.block].number, where))
	}
	return fmt.Errorf("deadlock in cycle %.0f: %s", m.now, strings.Join(waiting, "; "))
}
