package cost

import (
	"cmp"
	"container/heap"
	"slices"
)

// A compiler does not compute in the order of the source: within a stretch without a barrier or a branch it is free
// but for what depends on one another. Where the order of the source takes more registers than a thread has on a full
// SM, ptxas looks for one that does with those. A window that moves over shared memory, in a loop that is laid out,
// is an example: several sums use each word, far apart in the source. In another order one sum runs ahead of the
// next, and all use the word at once.

// task is a computation, a load or a store in a stretch.
type task struct {
	place    int
	makes    *lifetime // nil of a store
	operands []*lifetime
	waits    int     // for so many operands, and the store that it must not pass
	next     []*task // that wait for it
	enables  int     // of these, those that wait for nothing else
	done     bool
}

// schedule orders the tasks of a stretch, one by one.
type schedule struct {
	live, most int
	made       map[*lifetime]*task
	left       map[*lifetime]int // tasks that still use it, one more where something after does
	users      map[*lifetime][]*task
	cheap      tasks // ready ones that take no more registers than they free
	dear       tasks
}

// tasks is a heap: those first of which the largest part of what waits for them can go on
// at once, then those that come first in the source.
type tasks []ranked

type ranked struct {
	*task
	share float64
}

func (h tasks) Len() int { return len(h) }
func (h tasks) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].share, h[i].share), cmp.Compare(h[i].place, h[j].place)) < 0
}
func (h tasks) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *tasks) Push(x any)   { *h = append(*h, x.(ranked)) }
func (h *tasks) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// fewest is the most words that are live at once where each stretch that needs more than
// enough in the order of the source is put into the order that needs few.
func (l *lifetimes) fewest(enough int) int {
	inOrder := l.live(false)
	most := 0
	bounds := append(slices.Compact(slices.Clone(l.stops)), l.at)
	all := l.tasks()
	for i, from := 0, 0; i < len(bounds); i++ {
		to := bounds[i]
		if to <= from {
			continue
		}
		peak := slices.Max(inOrder[from+1 : to+1])
		first, _ := slices.BinarySearchFunc(all, from+1, func(t *task, at int) int { return cmp.Compare(t.place, at) })
		behind, _ := slices.BinarySearchFunc(all, to+1, func(t *task, at int) int { return cmp.Compare(t.place, at) })
		if peak > enough {
			peak = min(peak, l.order(all[first:behind], from, to, inOrder[from], enough))
		}
		most = max(most, peak)
		from = to
	}
	return most
}

// tasks are all that a kernel computes, loads and stores, in the order of the source.
func (l *lifetimes) tasks() []*task {
	l.fuse()
	var out []*task
	for _, v := range l.of {
		if !v.needed || v.folds || v.fused {
			continue
		}
		t := &task{place: v.from, makes: v}
		for _, o := range v.of {
			t.operands = l.registers(o.id, t.operands)
		}
		out = append(out, t)
	}
	for _, u := range l.uses {
		out = append(out, &task{place: u.at, operands: l.registers(u.id, nil)})
	}
	slices.SortStableFunc(out, func(a, b *task) int {
		return cmp.Compare(a.place, b.place)
	})
	return out
}

// fuse makes products, and what a predicate selects, a part of the one value that uses
// them: the instruction that adds a product multiplies, too.
func (l *lifetimes) fuse() {
	users := map[*lifetime]int{}
	note := func(id, at int) {
		for _, v := range l.registers(id, nil) {
			if users[v]++; l.stretchOf(v.from) != l.stretchOf(at) {
				users[v]++ // it waits in a register
			}
		}
	}
	for _, v := range l.of {
		if v.needed && !v.folds {
			for _, o := range v.of {
				note(o.id, v.from)
			}
		}
	}
	for _, u := range l.uses {
		note(u.id, u.at)
	}
	for v, n := range users {
		v.fused = v.folding && n == 1
	}
}

// stretchOf is the number of the stretch that a place is in.
func (l *lifetimes) stretchOf(at int) int {
	n, _ := slices.BinarySearch(l.stops, at)
	return n
}

// registers adds the values whose registers a use of a value reads.
func (l *lifetimes) registers(id int, to []*lifetime) []*lifetime {
	v := l.of[id]
	switch {
	case v == nil:
	case v.folds:
		for _, p := range v.parts {
			to = l.registers(p, to)
		}
	case v.fused:
		for _, o := range v.of {
			to = l.registers(o.id, to)
		}
	case !slices.Contains(to, v):
		to = append(to, v)
	}
	return to
}

// order runs the tasks of a stretch in an order that needs few registers, and returns how
// many words are live at most; it stops where these are more than enough. live are those at the stretch's begin. Of what is
// ready the compiler takes what frees registers first, then what lets most of its users go on.
func (l *lifetimes) order(of []*task, from, to, live, enough int) int {
	s := &schedule{live: live, made: map[*lifetime]*task{}, left: map[*lifetime]int{}, users: map[*lifetime][]*task{}}
	for _, t := range of {
		if t.makes != nil {
			s.made[t.makes], s.left[t.makes] = t, 0
		}
	}
	var store *task
	for _, t := range of {
		*t = task{place: t.place, makes: t.makes, operands: t.operands}
		for _, v := range t.operands {
			s.left[v]++
			s.users[v] = append(s.users[v], t)
			if m := s.made[v]; m != nil && m.place < t.place {
				t.waits++
				m.next = append(m.next, t)
			}
		}
		if store != nil && (t.makes == nil || t.makes.loads && t.makes.early > store.place) {
			t.waits++
			store.next = append(store.next, t)
		}
		if t.makes == nil {
			store = t
		}
	}
	for v := range s.left {
		if v.needed && v.to > to && v.from <= to {
			s.left[v]++
		}
	}
	for _, p := range l.spans {
		if p.from > from && p.from <= to && p.to > p.from {
			s.live += p.words
		}
	}
	s.most = s.live
	for _, t := range of {
		if t.waits == 1 {
			s.enabled(t)
		}
	}
	for _, t := range of {
		if t.waits == 0 {
			s.ready(t)
		}
	}
	for {
		t := s.take()
		if t == nil || s.most > enough {
			return s.most
		}
		s.run(t)
	}
}

// grows returns the number of further words that are live after a task.
func (s *schedule) grows(t *task) int {
	n := 0
	if t.makes != nil && s.left[t.makes] > 0 {
		n = t.makes.words
	}
	for _, v := range t.operands {
		if s.left[v] == 1 {
			n -= v.words
		}
	}
	return n
}

// ready puts a task that waits for nothing where it belongs.
func (s *schedule) ready(t *task) {
	if s.grows(t) <= 0 {
		heap.Push(&s.cheap, ranked{t, 0})
		return
	}
	heap.Push(&s.dear, ranked{t, float64(t.enables) / float64(max(1, len(t.next)))})
}

// enabled notes that a task waits for one other alone: that is worth more.
func (s *schedule) enabled(t *task) {
	for _, v := range t.operands {
		if m := s.made[v]; m != nil && !m.done && m.place < t.place {
			if m.enables++; m.waits == 0 {
				s.ready(m)
			}
		}
	}
}

// take is the task to run next; one may have been put up several times.
func (s *schedule) take() *task {
	for _, h := range []*tasks{&s.cheap, &s.dear} {
		for h.Len() > 0 {
			if t := heap.Pop(h).(ranked); !t.done {
				return t.task
			}
		}
	}
	return nil
}

func (s *schedule) run(t *task) {
	t.done = true
	s.live += s.grows(t)
	s.most = max(s.most, s.live)
	for _, v := range t.operands {
		if s.left[v]--; s.left[v] == 1 {
			for _, u := range s.users[v] { // the last one frees it
				if !u.done && u.waits == 0 {
					s.ready(u)
				}
			}
		}
	}
	for _, n := range t.next {
		switch n.waits--; n.waits {
		case 0:
			s.ready(n)
		case 1:
			s.enabled(n)
		}
	}
}
