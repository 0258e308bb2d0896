package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// staged is a global load of a region's leading definitions that is made before
// the region, into registers.
type staged struct {
	typ, name string
	dim       string   // "[32]" where a loop makes the loads
	load      []string // the statements that make it
}

// declaration is the text that declares the registers.
func (s staged) declaration() string { return s.typ + " " + s.name + s.dim + ";" }

// lines declare the registers and fill them.
func (s staged) lines() []string {
	if s.dim == "" {
		return []string{"const " + s.typ + " " + s.load[0]}
	}
	return append([]string{s.declaration()}, s.load...)
}

// splitLoads moves the global loads of a region's leading definitions before
// it, and returns the declarations to put there. v-TBs that wait for their
// turn then wait with the data already on its way.
func (p *Plan) splitLoads(b *Buffer, r *analysis.Region) []string {
	var lines []string
	for _, s := range p.stageLoads(b, r) {
		lines = append(lines, s.lines()...)
	}
	return lines
}

// stageLoads takes the global loads of a region's leading definitions out of it
// and returns what has to be done before it instead.
func (p *Plan) stageLoads(b *Buffer, r *analysis.Region) []staged {
	f := p.Kernel.File
	var out []staged
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
			out = append(out, staged{typ: s.Type, name: name, load: []string{name + " =" + src[eq+1:] + ";"}})
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
		out = append(out, staged{
			typ: s.Type, name: name, dim: fmt.Sprintf("[%d]", s.Count),
			load: []string{"#pragma unroll", head + " " + slot + " =" + src[eq+1:] + ";"},
		})
		b.Replace(rhs.Start+eq+1, rhs.End, " "+slot)
	}
	return out
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
