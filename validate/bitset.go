package validate

// bitset is a set of elements of an array.
type bitset []uint64

func (b bitset) has(i int) bool { return i>>6 < len(b) && b[i>>6]>>(i&63)&1 == 1 }

// with returns the set with an element more; it may change b.
func (b bitset) with(i int) bitset {
	for i>>6 >= len(b) {
		b = append(b, 0)
	}
	b[i>>6] |= 1 << (i & 63)
	return b
}

// or returns the union; it may change b.
func (b bitset) or(c bitset) bitset {
	for len(b) < len(c) {
		b = append(b, 0)
	}
	for i, w := range c {
		b[i] |= w
	}
	return b
}

// and returns the intersection; it changes b.
func (b bitset) and(c bitset) bitset {
	for i := range b {
		if i < len(c) {
			b[i] &= c[i]
		} else {
			b[i] = 0
		}
	}
	return b
}

func (b bitset) clone() bitset { return append(bitset(nil), b...) }
