package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// splitLoads moves the global loads of a region's leading definitions before
// it, and returns the declarations to put there. v-TBs that wait for their
// turn then wait with the data already on its way.
func (p *Plan) splitLoads(b *Buffer, r *analysis.Region) []string {
	f := p.Kernel.File
	var lines []string
	for _, s := range p.Kernel.Splits(r) {
		if p.editsIn(b, s.Load.Range) {
			continue // something inside changes, too
		}
		name := p.temporary("v")
		// The right-hand side may be in parentheses that its range leaves out.
		rhs := ir.Range{Start: s.Store.Kids[0].Range.End, End: s.Store.Range.End}
		src := text(f, rhs)
		eq := topLevelEquals(src)
		if eq < 0 {
			continue
		}
		if s.Loop == nil {
			lines = append(lines, fmt.Sprintf("const %s %s =%s;", s.Type, name, src[eq+1:]))
			b.Replace(rhs.Start+eq+1, rhs.End, " "+name)
			continue
		}
		head := strings.TrimSpace(string(f.Src[s.Loop.Range.Start:s.Loop.Then.Range.Start]))
		if strings.ContainsAny(head+src, "\n\r") || strings.Contains(head+src, "//") {
			continue
		}
		slot := name + "[" + s.Counter + "]"
		if s.Step > 1 {
			slot = fmt.Sprintf("%s[%s / %d]", name, s.Counter, s.Step)
		}
		lines = append(lines, fmt.Sprintf("%s %s[%d];", s.Type, name, s.Count), "#pragma unroll",
			head+" "+slot+" ="+src[eq+1:]+";")
		b.Replace(rhs.Start+eq+1, rhs.End, " "+slot)
	}
	return lines
}

// editsIn reports whether a range is being edited already.
func (p *Plan) editsIn(b *Buffer, r ir.Range) bool {
	for _, e := range b.edits {
		if e.Start < r.End && e.End > r.Start || e.Start == e.End && r.Start <= e.Start && e.Start <= r.End {
			return true
		}
	}
	return false
}

// changes reports whether an edit changes the text inside a range.
func (b *Buffer) changes(r ir.Range) bool {
	for _, e := range b.edits {
		if e.Start < r.End && e.End > r.Start {
			return true
		}
	}
	return false
}
