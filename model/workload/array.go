package workload

import "cmp"

// Array counts what a thread block reads of one array in global memory, or stores to.
type Array struct {
	Bytes float64 // each once
	// New is the part of these bytes, from 0 to 1, that the next thread block by x, y and z reads and this one does
	// not: 0 of an array that all read alike, 1 if nothing is shared or known.
	New [3]float64
}

// Compare orders arrays, the largest first.
func (a Array) Compare(b Array) int {
	return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.New[0], b.New[0]), cmp.Compare(a.New[1], b.New[1]), cmp.Compare(a.New[2], b.New[2]))
}

// Reuse is a part of what a thread block loads again.
type Reuse struct {
	Between float64 // bytes that the block loads between, at most
	Part    float64 // from 0 to 1, of all that is loaded again
}

// Kept is the part, from 0 to 1, of the bytes loaded again that a cache still has, where so many thread blocks go
// through it which load all bytes together. The cache must hold what lies between two loads of the same byte, of all
// these blocks; if unknown, all. It keeps a part of what does not fit, as random replacement does.
func (k *Kernel) Kept(blocks int, all, cache float64) float64 {
	if cache <= 0 {
		return 0
	}
	return keptOf(k.Again, blocks, all, cache)
}

func keptOf(again []Reuse, blocks int, all, cache float64) (kept float64) {
	if len(again) == 0 || all <= cache {
		return min(1, cache/max(1, all))
	}
	for _, r := range again {
		kept += r.Part * min(1, cache/max(1, min(all, r.Between*float64(blocks))))
	}
	return kept
}

// Union is the bytes that so many thread blocks read together, each byte once: the first ones of the grid, of which x
// counts fastest. Where the grid or the arrays are not known nothing is shared.
func (k *Kernel) Union(blocks int) float64 {
	if len(k.Arrays) == 0 || k.Grid[0] <= 0 {
		return k.Footprint * float64(blocks)
	}
	return k.union(k.Arrays, blocks)
}

// union is the bytes that so many thread blocks have together of arrays.
func (k *Kernel) union(arrays []Array, blocks int) (sum float64) {
	for _, a := range arrays {
		bytes, left := a.Bytes, blocks
		for d, n := range k.Grid {
			n = max(1, n)
			bytes *= 1 + float64(min(left, n)-1)*a.New[d]
			left = (left + n - 1) / n
		}
		sum += bytes
	}
	return sum
}

// Common is the part of its footprint, from 0 to 1, that a thread block finds in a cache which the whole grid shares,
// since others have read it: where active thread blocks run at once, and the cache holds so many bytes. Neighbours by
// x find what they share where the cache holds what the active ones read; neighbours by y where it holds a row of the
// grid, by z a plane. What does not fit is kept in part, as of random replacement.
func (k *Kernel) Common(active int, cache float64) float64 {
	if len(k.Arrays) == 0 || k.Grid[0] <= 0 || k.Footprint <= 0 || cache <= 0 {
		return 0
	}
	return 1 - k.fresh(k.Arrays, active, cache, k.Union)/k.Footprint
}

// fresh is the bytes of arrays that a thread block finds in no cache which the whole grid shares, where so many blocks have all
// bytes together that all says.
func (k *Kernel) fresh(arrays []Array, active int, cache float64, all func(blocks int) float64) (fresh float64) {
	between := [3]int{active, k.Grid[0], k.Grid[0] * max(1, k.Grid[1])}
	need := 0.0
	var kept [3]float64
	for d := range kept {
		need = max(need, all(between[d]))
		kept[d] = min(1, cache/need)
	}
	for _, a := range arrays {
		bytes := a.Bytes
		for d, n := range k.Grid {
			n = max(1, n)
			once := (1 + float64(n-1)*a.New[d]) / float64(n)
			bytes *= kept[d]*once + (1 - kept[d])
		}
		fresh += bytes
	}
	return fresh
}

// Joining tells what an L2 that holds so many bytes makes of stores where active thread blocks run at once: it has a sector until
// another takes its place, and passes it on to the DRAM once, however many stores fill it meanwhile. Own is the part, from 0
// to 1, of the bytes stored to sectors that the thread block has stored to before (Work.Joined); others is
// that of the rest, to sectors that other blocks store to, too.
func (k *Kernel) Joining(active int, cache float64) (own, others float64) {
	if cache <= 0 || len(k.Stored) == 0 {
		return 0, 0
	}
	all := func(blocks int) float64 {
		if k.Grid[0] > 0 {
			return k.Union(blocks) + k.union(k.Stored, blocks)
		}
		return (k.Footprint + bytesOf(k.Stored)) * float64(blocks)
	}
	own = keptOf(k.Joins, active, all(active), cache)
	if k.Grid[0] > 0 {
		others = 1 - k.fresh(k.Stored, active, cache, all)/bytesOf(k.Stored)
	}
	return own, others
}

func bytesOf(arrays []Array) (sum float64) {
	for _, a := range arrays {
		sum += a.Bytes
	}
	return sum
}

// Written is the bytes of a piece of work's stores that reach the DRAM, where of those that can be joined such parts are (Joining).
func (w *Work) Written(own, others float64) float64 {
	joined := min(w.Joined, w.Stores)
	return joined*(1-own) + (w.Stores-joined)*(1-others)
}
