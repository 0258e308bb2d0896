package verify

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/smux-cuda/smux/internal/prose"
)

// Difference is the first place at which two runs of a kind differ. Want is the original's.
type Difference struct {
	Copy    int    `json:"copy,omitempty"`    // number of the copy, from 1
	Element int    `json:"element,omitempty"` // index in the copy, from 0
	Type    string `json:"type,omitempty"`    // of the element
	Line    int    `json:"line,omitempty"`    // of standard output, from 1
	Want    string `json:"want"`
	Got     string `json:"got"`

	what   string // copy 2: float 7
	passes bool   // it is of a word that the host gets again, the same at last, and of nothing that it prints
	pc     uint64 // of the copy in the program that got it
	wantPC uint64 // in the original
}

// String returns the difference in words.
func (d *Difference) String() string { return d.in("the original") }

// in words the difference from something: the original, or another run of it.
func (d *Difference) in(reference string) string {
	return fmt.Sprintf("%s is %s, in %s %s", d.what, d.Got, reference, d.Want)
}

// Compared counts what was found equal of two copy logs.
type Compared struct {
	Copies int
	Bytes  int64 // in them; what a log holds by its hash alone counts as well
	// Changed counts those of these bytes that aren't memory of the device that a launch has left as it was.
	Changed int64
}

// CompareCopies compares the copy log of a run with the original's, copy by copy, and returns the first difference or
// nil, with what was equal up to there. Both are read as streams. The error is that of a log that can't be read, such
// as one that breaks off.
func CompareCopies(got, want io.Reader, tolerance Tolerance) (*Difference, Compared, error) {
	var equal Compared
	g, w := newCopyLog(got), newCopyLog(want)
	for {
		hw, err := w.next()
		if err != nil {
			return nil, equal, err
		}
		hg, err := g.next()
		if err != nil {
			return nil, equal, err
		}
		if hw == nil && hg == nil {
			return nil, equal, nil
		}
		if d := compareHeaders(hg, hw, w.read); d != nil {
			return d, equal, nil
		}
		if hg == nil || hw == nil { // compareHeaders has said so
			return nil, equal, nil
		}
		d, err := compareData(g, w, hg, hw, tolerance)
		if err != nil {
			return nil, equal, err
		}
		if d != nil {
			d.Copy, d.pc, d.wantPC = w.read, hg.PC, hw.PC
			return d, equal, nil
		}
		equal.Copies++
		equal.Bytes += int64(hw.Bytes)
		if hw.Flags&unchanged == 0 {
			equal.Changed += int64(hw.Bytes)
		}
	}
}

// alikeCopies reports whether two logs of a host with several threads hold the same copies, and whether any two hold them but for single words before the
// last one of a place, such as the flag that ends a loop of launches.
func alikeCopies(got, want io.Reader) (anyOrder, atLast bool, err error) {
	anyOrder, atLast = true, true
	all, ends := map[string]int{}, map[string]int{}
	for step, log := range map[int]io.Reader{1: got, -1: want} {
		records, err := recordsOf(log)
		if err != nil {
			return false, false, err
		}
		last := map[uint64]int{} // of each place
		for i, h := range records {
			last[h.PC] = i
		}
		for i, h := range records {
			copied := fmt.Sprint(h.What, h.Bytes, h.Hash)
			if all[copied] += step; h.Bytes > 8 || last[h.PC] == i {
				ends[copied] += step
			}
		}
		anyOrder = anyOrder && len(records) > 0 && records[len(records)-1].Flags&ofSeveralThreads != 0
	}
	for copied, n := range all {
		anyOrder, atLast = anyOrder && n == 0, atLast && ends[copied] == 0
	}
	return anyOrder, atLast, nil
}

// compareHeaders finds copies that cannot be compared at all: one is
// missing, or they are of different kinds or lengths.
func compareHeaders(got, want *copyHeader, number int) *Difference {
	describe := func(h *copyHeader) string {
		if h == nil {
			return "missing"
		}
		return fmt.Sprintf("a %s of %s", h.What, prose.Count(int(h.Bytes), "byte"))
	}
	if got == want || got != nil && want != nil && got.What == want.What && got.Bytes == want.Bytes {
		return nil
	}
	d := &Difference{Copy: number, Want: describe(want), Got: describe(got)}
	if want == nil {
		d.Copy = number + 1
	} else {
		d.wantPC = want.PC
	}
	if got != nil {
		d.pc = got.PC
	}
	d.what = fmt.Sprintf("copy %d", d.Copy)
	return d
}

// compareData compares the data of two copies of the same length.
func compareData(g, w *copyLog, hg, hw *copyHeader, tolerance Tolerance) (*Difference, error) {
	if hg.Hash == hw.Hash {
		return nil, nil // the rest is passed over unread
	}
	e := hw.Element
	size := e.size()
	if hw.Bytes%uint64(size) != 0 {
		e, size = elementBytes, 1
	}
	var bufG, bufW [1 << 15]byte // a multiple of every element's size
	stored := min(hg.Stored, hw.Stored)
	for at := uint64(0); at < stored; {
		n := int(min(stored-at, uint64(len(bufG))))
		if err := g.data(bufG[:n]); err != nil {
			return nil, err
		}
		if err := w.data(bufW[:n]); err != nil {
			return nil, err
		}
		if i := firstDifference(bufG[:n], bufW[:n], e, tolerance); i >= 0 {
			d := &Difference{Element: int(at)/size + i, Type: e.String(),
				Want: e.text(bufW[i*size : (i+1)*size]), Got: e.text(bufG[i*size : (i+1)*size])}
			d.what = fmt.Sprintf("%s: %s %d", hw.name(w.read), d.Type, d.Element)
			return d, nil
		}
		at += uint64(n)
	}
	if stored == hw.Bytes {
		return nil, nil // within the tolerance
	}
	d := &Difference{Want: fmt.Sprintf("hash %016x", hw.Hash), Got: fmt.Sprintf("hash %016x", hg.Hash), what: hw.name(w.read)}
	if g, w := hg.state(), hw.state(); g != w {
		d.what, d.Got, d.Want = d.what+",", g, w
	} else if stored > 0 {
		d.what += fmt.Sprintf(" after byte %d, where the log of copies was full,", stored)
	}
	return d, nil
}

// firstDifference returns the index of the first element that differs, or -1.
func firstDifference(got, want []byte, e element, tolerance Tolerance) int {
	if bytes.Equal(got, want) {
		return -1
	}
	size := e.size()
	for i := 0; (i+1)*size <= len(want); i++ {
		g, w := got[i*size:(i+1)*size], want[i*size:(i+1)*size]
		if bytes.Equal(g, w) {
			continue
		}
		if !tolerance.IsZero() && e >= elementF32 && e <= elementBF16 && tolerance.equal(e.float(g), e.float(w)) {
			continue
		}
		return i
	}
	return -1
}

// compareStdout returns the first line of standard output that differs, or nil.
func compareStdout(got, want []byte, tolerance Tolerance) *Difference {
	return compareLines(got, want, "output", tolerance)
}

// compareLines returns the first line of a stream that differs, or nil.
func compareLines(got, want []byte, stream string, tolerance Tolerance) *Difference {
	if bytes.Equal(got, want) {
		return nil
	}
	for line := 1; len(got) > 0 || len(want) > 0; line++ {
		var g, w []byte
		var moreG, moreW bool
		g, got, moreG = cutLine(got)
		w, want, moreW = cutLine(want)
		if moreG == moreW && tolerance.EqualLines(g, w) {
			continue
		}
		return &Difference{Line: line, what: fmt.Sprintf("line %d of the %s", line, stream), Want: printed(w, moreW), Got: printed(g, moreG)}
	}
	return nil
}

// cutLine returns the first line with its newline; ok is false where there is none.
func cutLine(text []byte) (line, rest []byte, ok bool) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:], true
	}
	return text, nil, len(text) > 0
}

// shownBytes is the number of bytes shown of a differing line.
const shownBytes = 120

// printed returns a line as messages quote it.
func printed(line []byte, ok bool) string {
	if !ok {
		return "missing"
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > shownBytes {
		return fmt.Sprintf("%q…", line[:shownBytes])
	}
	return fmt.Sprintf("%q", line)
}

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
		near := tolerance
		if near.Rel > 0 && o.Element >= elementF32 && o.Element <= elementBF16 {
			near.Abs = max(near.Abs, near.Rel*o.largest(w))
		}
		for _, c := range slices.Backward(copies) {
			if c.Bytes != o.Bytes {
				continue
			}
			d, err := compareData(c.log(g), o.log(w), &c.copyHeader, &o.copyHeader, near)
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

// largest is the largest finite value of a record of floating-point numbers: of sums in another order as much may be left where
// larger values cancel.
func (o *logged) largest(f io.ReaderAt) (most float64) {
	data := make([]byte, o.Stored)
	if o.log(f).data(data) != nil {
		return 0
	}
	for p := range slices.Chunk(data, o.Element.size()) {
		if len(p) == o.Element.size() {
			if x := math.Abs(o.Element.float(p)); !math.IsInf(x, 0) && !math.IsNaN(x) {
				most = max(most, x)
			}
		}
	}
	return most
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
