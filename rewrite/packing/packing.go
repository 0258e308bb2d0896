// Package packing decides which of several arrays lie on the same bytes.
//
// Two arrays either may share bytes or may not. Where the arrays that may not are taken for the edges of a graph, a
// set of arrays that are all joined needs the sum of their sizes, and that bounds what any layout takes. Graphs that
// can be parted again and again into pieces with no edge between them, or with all (cographs: D. G. Corneil, H.
// Lerchs, L. Stewart Burlingham, "Complement reducible graphs", 1981), are packed into that bound: pieces with no
// edge lie on one another, pieces with all edges side by side. What can't be parted so is coloured, the largest array
// first: arrays of one colour lie on one another. That need not be the best.
package packing

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// Tree is a layout: one array, or several trees on one another or side by side.
type Tree struct {
	Array int     // where there are no Parts
	Union bool    // the parts begin at the same byte; else one lies after the other
	Parts []*Tree // larger ones first, but side by side those that leave the banks of the next as they are
}

// Pack lays out arrays of these sizes; apart tells of which two no byte may be the same,
// and is symmetric. It returns nil for none.
func Pack(sizes []int, apart func(a, b int) bool) *Tree {
	if len(sizes) == 0 {
		return nil
	}
	all := make([]int, len(sizes))
	for i := range all {
		all[i] = i
	}
	p := packer{sizes, apart}
	return p.relax(p.pack(all), 0)
}

// relax lays side by side what needs share no bytes, since there is room for it all: the
// layout gets no larger, and is simpler.
func (p packer) relax(t *Tree, room int) *Tree {
	arrays, sum := t.Arrays(), 0
	for _, a := range arrays {
		sum += p.sizes[a]
	}
	switch {
	case len(t.Parts) == 0:
		return t
	case sum <= room:
		each := lists.Map(arrays, func(a int) []int { return []int{a} })
		return p.tree(false, each)
	case t.Union:
		room = t.Size(p.sizes)
	default:
		room = 0
	}
	for i, part := range t.Parts {
		t.Parts[i] = p.relax(part, room)
	}
	return t
}

type packer struct {
	sizes []int
	apart func(a, b int) bool
}

func (p packer) pack(arrays []int) *Tree {
	if len(arrays) == 1 {
		return &Tree{Array: arrays[0]}
	}
	if parts := pieces(arrays, p.apart); len(parts) > 1 {
		return p.tree(true, parts)
	}
	if parts := pieces(arrays, func(a, b int) bool { return !p.apart(a, b) }); len(parts) > 1 {
		return p.tree(false, parts)
	}
	return p.tree(false, p.colours(arrays))
}

// banks is the bytes that all banks of shared memory hold side by side. What lies after
// a multiple of it begins at the bank that it would begin at by itself.
const banks = 128

// tree packs each of several sets of arrays.
func (p packer) tree(union bool, parts [][]int) *Tree {
	t := &Tree{Union: union}
	for _, arrays := range parts {
		t.Parts = append(t.Parts, p.pack(arrays))
	}
	slices.SortStableFunc(t.Parts, func(a, b *Tree) int {
		m, n := a.Size(p.sizes), b.Size(p.sizes)
		if m%banks == 0 != (n%banks == 0) && !union {
			return m%banks - n%banks
		}
		return n - m
	})
	return t
}

// pieces parts a graph into its connected components.
func pieces(arrays []int, joined func(a, b int) bool) (out [][]int) {
	left := slices.Clone(arrays)
	for len(left) > 0 {
		piece := []int{left[0]}
		left = left[1:]
		for i := 0; i < len(piece); i++ {
			rest := left[:0:0]
			for _, b := range left {
				if joined(piece[i], b) {
					piece = append(piece, b)
				} else {
					rest = append(rest, b)
				}
			}
			left = rest
		}
		slices.Sort(piece)
		out = append(out, piece)
	}
	return out
}

// colours parts arrays into sets of which no two are apart: each array, the largest
// first, joins the first set that it can.
func (p packer) colours(arrays []int) (out [][]int) {
	order := slices.Clone(arrays)
	slices.SortStableFunc(order, func(a, b int) int { return p.sizes[b] - p.sizes[a] })
next:
	for _, a := range order {
		for i, set := range out {
			if !slices.ContainsFunc(set, func(b int) bool { return p.apart(a, b) }) {
				out[i] = append(set, a)
				continue next
			}
		}
		out = append(out, []int{a})
	}
	return out
}

// Size returns the size of a layout, without what alignment adds.
func (t *Tree) Size(sizes []int) (n int) {
	if len(t.Parts) == 0 {
		return sizes[t.Array]
	}
	for _, part := range t.Parts {
		if size := part.Size(sizes); t.Union {
			n = max(n, size)
		} else {
			n += size
		}
	}
	return n
}

// Arrays are those of a layout, in its order.
func (t *Tree) Arrays() []int {
	if len(t.Parts) == 0 {
		return []int{t.Array}
	}
	var out []int
	for _, part := range t.Parts {
		out = append(out, part.Arrays()...)
	}
	return out
}

// Unions are the largest parts of a layout in which arrays lie on one another.
func (t *Tree) Unions() []*Tree {
	if t.Union {
		return []*Tree{t}
	}
	var out []*Tree
	for _, part := range t.Parts {
		out = append(out, part.Unions()...)
	}
	return out
}

// Each calls f for each two arrays that may have bytes in common.
func (t *Tree) Each(f func(a, b int)) {
	for i, part := range t.Parts {
		part.Each(f)
		if !t.Union {
			continue
		}
		for _, other := range t.Parts[:i] {
			for _, a := range other.Arrays() {
				for _, b := range part.Arrays() {
					f(a, b)
				}
			}
		}
	}
}
