package sim

// queue is a binary heap of warps by key; equal keys leave in the order in which
// they came, so that runs repeat exactly.
type queue struct {
	nodes []node
	count uint32
}

type node struct {
	key   float64
	order uint32 // enough for maxBlocks of the longest programs
	warp  int32
}

func (n node) before(o node) bool {
	return n.key < o.key || n.key == o.key && n.order < o.order
}

func (q *queue) len() int  { return len(q.nodes) }
func (q *queue) top() node { return q.nodes[0] }

func (q *queue) push(key float64, warp int32) {
	q.count++
	n := node{key, q.count, warp}
	q.nodes = append(q.nodes, n)
	i := len(q.nodes) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !n.before(q.nodes[parent]) {
			break
		}
		q.nodes[i] = q.nodes[parent]
		i = parent
	}
	q.nodes[i] = n
}

func (q *queue) pop() {
	last := len(q.nodes) - 1
	n := q.nodes[last]
	q.nodes = q.nodes[:last]
	if last == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.nodes[child+1].before(q.nodes[child]) {
			child++
		}
		if !q.nodes[child].before(n) {
			break
		}
		q.nodes[i] = q.nodes[child]
		i = child
	}
	q.nodes[i] = n
}

// server is a queue in front of something with a rate: first come, first served.
type server struct {
	rate float64 // per cycle; 0 serves at once
	free float64 // cycle at which it has served all that came
	busy float64 // cycles in all
}

// serve returns the cycle at which amount, come at now, has gone through.
func (s *server) serve(now, amount float64) float64 {
	if s.rate <= 0 {
		return now
	}
	took := amount / s.rate
	s.busy += took
	s.free = max(s.free, now) + took
	return s.free
}
