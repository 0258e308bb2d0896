package parser

import (
	"bytes"
	"sort"
	"strings"
)

// kernelUse is a use of a macro that makes kernels, and what it is written out to. The
// macros that lead to the __global__ are expanded in it, those that are a body in braces, and no
// others: to the compiler the text means what the use means.
//
// All of it stands on one line, with the line breaks of the use after it, so that the
// lines of the file stay what they are.
type kernelUse struct {
	realSpan span         // in the original
	made     []LostKernel // where it is not written out
	out      []ppToken
	kernels  []int // of each __global__ in out, its number

	written span     // in Src, with the line breaks
	starts  []uint32 // in Src, of each token of out
	spelled []int    // in the original, of each token of out that stands in the use and once in out, -1 of any other
}

// expand fills out. It reports whether all that the use leads to is certain: one definition
// of each macro, that no build changes.
func (u *kernelUse) expand(f *File, makers map[string]bool) bool {
	certain := true
	x := &expander{lookup: func(name string) *Macro {
		m, ok := f.Macros.Lookup(name, u.realSpan.start)
		unclear := !ok || m.Ambiguous || m.Overridable
		if !makers[name] {
			if unclear || !strings.HasPrefix(m.Body, "{") {
				return nil
			}
			return m // a body
		}
		if unclear {
			certain = false
			return nil
		}
		return m
	}}
	out, err := x.expand(ppTokens(string(f.Src[u.realSpan.start:u.realSpan.end])), 0)
	if err != nil || !certain {
		return false
	}
	for i, t := range out {
		switch {
		case t.text == globalWord:
			u.kernels = append(u.kernels, i)
		case t.kind == tokIdent && makers[t.text] || t.text == "#" || strings.ContainsAny(t.text, "\n"):
			return false // a macro that names itself, or what can't stand on a line
		}
	}
	u.out = out
	return len(u.kernels) > 0 && len(u.kernels) <= u.realSpan.end-u.realSpan.start
}

// writtenOut returns the text of a file with the uses written out, and notes in them where.
func writtenOut(f *File, uses []kernelUse) []byte {
	var b bytes.Buffer
	at := 0
	for i := range uses {
		u := &uses[i]
		u.spell(f)
		b.Write(f.Src[at:u.realSpan.start])
		u.written.start = b.Len()
		for k, t := range u.out {
			if k > 0 && t.space && !(t.apart && staysApart(u.out[k-1], t)) {
				b.WriteByte(' ')
			}
			u.starts = append(u.starts, uint32(b.Len()))
			b.WriteString(t.text)
		}
		for range bytes.Count(f.Src[u.realSpan.start:u.realSpan.end], []byte{'\n'}) {
			b.WriteString(f.newline)
		}
		u.written.end = b.Len()
		at = u.realSpan.end
	}
	b.Write(f.Src[at:])
	return b.Bytes()
}

// spell finds where the tokens of the use itself stand, which are its arguments.
func (u *kernelUse) spell(f *File) {
	places := f.SpelledTokens(u.realSpan.start, u.realSpan.end)
	times := make([]int, len(places))
	for _, t := range u.out {
		if t.in == nil && t.at >= 0 && t.at < len(places) {
			times[t.at]++
		}
	}
	for _, t := range u.out {
		at := -1
		if t.in == nil && t.at >= 0 && t.at < len(places) && times[t.at] == 1 {
			at = places[t.at].Start
		}
		u.spelled = append(u.spelled, at)
	}
}

// staysApart reports whether two tokens do not join if nothing is between them: one of
// them is punctuation and the other is not, a dot and a number aside.
func staysApart(a, b ppToken) bool {
	return (a.kind == tokPunct) != (b.kind == tokPunct) && a.text != "." && b.text != "."
}

// Original returns the bytes of the file as it was read.
func (f *File) Original() []byte {
	if f.original != nil {
		return f.original
	}
	return f.Src
}

// OriginalOffset maps an offset in Src to the original.
func (f *File) OriginalOffset(at int) int {
	i := sort.Search(len(f.uses), func(i int) bool { return f.uses[i].written.start > at }) - 1
	if i < 0 {
		return at
	}
	u := &f.uses[i]
	if at >= u.written.end {
		return at - u.written.end + u.realSpan.end
	}
	if k := sort.Search(len(u.starts), func(k int) bool { return int(u.starts[k]) > at }) - 1; k >= 0 && u.spelled[k] >= 0 {
		return u.spelled[k] + min(at-int(u.starts[k]), len(u.out[k].text)) // an argument says it
	}
	kernel := sort.Search(len(u.kernels), func(k int) bool { return int(u.starts[u.kernels[k]]) > at }) - 1
	return u.realSpan.start + max(0, kernel)
}

// writtenOffset maps an offset in the original to Src.
func (f *File) writtenOffset(at int) int {
	i := sort.Search(len(f.uses), func(i int) bool { return f.uses[i].realSpan.start > at }) - 1
	if i < 0 {
		return at
	}
	u := &f.uses[i]
	if at >= u.realSpan.end {
		return at - u.realSpan.end + u.written.end
	}
	for k, start := range u.spelled {
		if start >= 0 && start <= at && at < start+len(u.out[k].text) {
			return int(u.starts[k]) + at - start
		}
	}
	if kernel := min(at-u.realSpan.start, len(u.kernels)-1); kernel > 0 {
		return int(u.starts[u.kernels[kernel]])
	}
	return u.written.start
}
