package reuse

// set is a set of addresses: open addressing, because counting distinct
// addresses is where the search for candidates spends its time.
type set struct {
	slots []int64
	used  []bool
	n     int
}

func newSet(expected int) *set {
	size := 64
	for size < 2*expected {
		size *= 2
	}
	return &set{slots: make([]int64, size), used: make([]bool, size)}
}

func (s *set) add(a int64) {
	if 2*s.n >= len(s.slots) {
		s.grow()
	}
	for i := s.home(a); ; i = (i + 1) & (len(s.slots) - 1) {
		switch {
		case !s.used[i]:
			s.slots[i], s.used[i] = a, true
			s.n++
			return
		case s.slots[i] == a:
			return
		}
	}
}

func (s *set) home(a int64) int {
	h := uint64(a) * 0x9e3779b97f4a7c15
	return int(h>>32) & (len(s.slots) - 1)
}

func (s *set) grow() {
	old := *s
	*s = set{slots: make([]int64, 2*len(old.slots)), used: make([]bool, 2*len(old.slots))}
	for i, used := range old.used {
		if used {
			s.add(old.slots[i])
		}
	}
}
