package selection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Rows is the array of a kernel that co-vtb splits along its first dimension (PACT'12 §4.3), with the bytes of the
// others: those that v-TBs take turns with and those that each has for itself.
type Rows struct {
	Rows, RowBytes, Other, Own int

	kernel *analysis.Kernel
	apart  map[int]bool // by private rows: their definitions need no turn
}

// definesApart reports whether the definitions of so many private rows need no turn. The
// first call for a number asks the analysis.
func (r *Rows) definesApart(private int) bool {
	apart, known := r.apart[private]
	if !known && r.kernel != nil {
		if r.apart == nil {
			r.apart = map[int]bool{}
		}
		apart = merge.Delays(r.kernel, private)
		r.apart[private] = apart
	}
	return apart
}

// split returns the shared bytes of a launched block with a variant's private rows.
func (r *Rows) split(w Variant) int {
	return (w.Factor*w.PrivateRows+r.Rows-w.PrivateRows)*r.RowBytes + r.Other + w.Factor*r.Own
}

// Splits reports whether a variant splits an array, so that Private can be asked.
func Splits(w Variant) bool { return w.Rewriter == variant.CoVTB }

// rowsOf returns the array of a kernel that can be split, nil if there is none.
func rowsOf(k *analysis.Kernel) *Rows {
	if k == nil {
		return nil
	}
	rows, bytes, other, own, reasons := merge.Partition(k)
	if len(reasons) > 0 || rows < 2 || bytes < 1 {
		return nil
	}
	return &Rows{Rows: rows, RowBytes: bytes, Other: other, Own: own, kernel: k}
}

// errUnsplit reports that a kernel has no array that can be split.
var errUnsplit = errors.New("it has no shared array with rows to split")

// private returns the most private rows of a variant with which as many thread blocks run here as with any number of
// them: N·P + (S-P) rows fill what the SM would waste, while those that stay public wait in registers. Where enough
// is not 0 it is enough to run so many of the original thread blocks at once. One row at least stays public: without
// any, the variant is merge.
func (p Place) private(w Variant, enough int) (best int, err error) {
	if p.Rows == nil {
		return 0, errUnsplit
	}
	most := 0
	for n := range p.Rows.Rows {
		w.PrivateRows = n
		r, why := occupancy.Compute(p.GPU, occupancy.Demand{
			Threads:   w.Factor * p.Work.Threads,
			Registers: p.capped(p.Work.Registers + ownWords + p.ahead(w) + p.waits(w)),
			Shared:    p.Rows.split(w) + lockBytes(w),
		})
		if why != nil {
			err = why
			continue
		}
		vtbs := w.Factor * r.Blocks
		if enough > 0 {
			vtbs = min(vtbs, enough)
		}
		if vtbs >= most {
			most, best = vtbs, n
		}
	}
	if most > 0 {
		err = nil
	}
	return best, err
}

// Private returns the most private rows of a variant that cost no thread block in any place where the kernels run, by
// the original's registers and an estimate of what waits in more of them. The error tells why there are none.
func Private(kernels []*analysis.Kernel, w Variant, req Request) (int, error) {
	places, skipped := placesOfAll(kernels, req)
	if len(places) == 0 {
		return 0, errors.Join(skipped...)
	}
	least := 0
	for i, p := range places {
		res, err := req.Source.Original(p)
		if err != nil {
			return 0, err
		}
		work := *p.Work
		work.Registers, work.Shared = res.Registers, res.Shared
		p.Work = &work
		n, err := p.private(w, 0)
		if err != nil {
			return 0, fmt.Errorf("on %s: %w", p.GPU, err)
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least, nil
}

// divided replaces each variant of co-vtb that leaves the private rows open by one
// for each number of them that is best in some place; check reports what the kernels
// have against it. A variant for which there is none stands in out, excluded.
func (r *ranker) divided(ways []Variant, check func(Variant) error) (open []Variant, out []RankedVariant) {
	for _, w := range ways {
		if w.Rewriter != variant.CoVTB || w.PrivateRows != 0 {
			open = append(open, w)
			continue
		}
		candidates, why := r.privates(w)
		n := len(open)
		for _, private := range candidates {
			way := w
			way.PrivateRows = private
			if check != nil {
				if err := check(way); err != nil {
					why = err
					continue
				}
			}
			open = append(open, way)
		}
		if len(open) == n {
			out = append(out, RankedVariant{Variant: w, Excluded: why.Error()})
		}
	}
	return open, out
}

// askRows asks the analysis of the rows that variants make private, which only one may do at a time.
func (r *ranker) askRows(ways []Variant) {
	for _, p := range r.places {
		for _, w := range ways {
			if p.Rows != nil && Splits(w) {
				p.Rows.definesApart(w.PrivateRows)
			}
		}
	}
}

// privates returns the private rows that are best in the places, the most first: in each those that cost no thread
// block, and the most with which just more run than of the original. Why there are none is the error.
func (r *ranker) privates(w Variant) (list []int, why error) {
	why = errUnsplit
	for i, p := range r.places {
		most, err := p.private(w, 0)
		if err != nil {
			if why = err; !errors.Is(err, errUnsplit) {
				why = fmt.Errorf("on %s: %w", p.GPU, err)
			}
			continue
		}
		why = fmt.Errorf("on %s a private row would cost a thread block", p.GPU)
		more, err := p.private(w, r.base[i].Blocks+1)
		if err == nil {
			list = append(list, most, more)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return b - a })
	list = slices.DeleteFunc(slices.Compact(list), func(n int) bool { return n < 1 })
	return list, why
}
