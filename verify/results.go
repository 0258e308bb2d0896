package verify

import (
	"io"
	"maps"
	"math"
	"slices"
)

// What a C program that follows its directives leaves in the arrays that come back from a device is compared with what a CUDA
// program copies from one. The CUDA program may copy more, in another order and less often: what the C program leaves in
// an array at last has to be among its copies of that length. Where it has none of that length nothing is
// known of the array.

// compareResults compares the results of a C program with the copies of a run, and counts those that are equal.
func (r *run) compareResults(got, want string, tolerance Tolerance) (*Difference, error) {
	g, w, err := openLogs(got, want)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	defer w.Close()
	copies, err := recordsOf(g)
	if err != nil {
		return nil, err
	}
	results, err := recordsOf(w)
	if err != nil {
		return nil, err
	}
	last := map[uint64]logged{} // by address
	for _, o := range results {
		last[o.PC] = o
	}
	for _, o := range slices.SortedFunc(maps.Values(last), func(a, b logged) int { return a.number - b.number }) {
		var first *Difference
		for _, c := range slices.Backward(copies) {
			if c.Bytes != o.Bytes {
				continue
			}
			d, err := compareData(c.log(g), o.log(w), &c.copyHeader, &o.copyHeader, tolerance)
			if err != nil {
				return nil, err
			}
			if d == nil {
				r.results++
				first = nil
				break
			}
			if d.Copy, d.pc = c.number, c.PC; first == nil || d.Element > first.Element { // the one most like it
				first = d
			}
		}
		if first != nil {
			return first, nil
		}
	}
	return nil, nil
}

// logged is a record of a log, with its number and place.
type logged struct {
	copyHeader
	number int
	at     int64 // of its data
}

// log reads the data of the record.
func (o *logged) log(f io.ReaderAt) *copyLog {
	l := newCopyLog(io.NewSectionReader(f, o.at, math.MaxInt64-o.at))
	l.left, l.read = o.Stored, o.number
	return l
}

// recordsOf lists the records of a log.
func recordsOf(f io.Reader) (out []logged, err error) {
	l := newCopyLog(f)
	at := int64(0)
	for {
		h, err := l.next()
		if h == nil || err != nil {
			return out, err
		}
		at += copyHeaderBytes
		out = append(out, logged{*h, l.read, at})
		at += int64(h.Stored)
	}
}

// copyHeaderBytes is the size of a copyHeader in a log.
const copyHeaderBytes = 56
