package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// staged is a global load of a region's leading definitions that is made before
// the region, into registers, or a declaration that moves with the loads.
type staged struct {
	moved     string // the declaration as it is, "" for a load
	typ, name string
	dim       string   // "[32]" where a loop makes the loads
	load      []string // the statements that make it
	under     bool     // a condition
}

// declaration is the text that declares the registers.
func (s staged) declaration() string { return s.typ + " " + s.name + s.dim + ";" }

// lines declare the registers and fill them.
func (s staged) lines() []string {
	switch {
	case s.moved != "":
		return []string{s.moved}
	case s.dim == "" && !s.under:
		return []string{"const " + s.typ + " " + s.load[0]}
	}
	return append([]string{s.declaration()}, s.load...)
}

// splitLoads moves the global loads of a region's leading definitions before
// it, and returns the lines to put there. v-TBs that wait for their turn then
// wait with the data already on its way.
func (p *Plan) splitLoads(b *Buffer, r *analysis.Region) []string {
	var lines []string
	for _, s := range p.stageLoads(b, r, true) {
		lines = append(lines, s.lines()...)
	}
	return lines
}

// stageLoads takes the global loads of a region's leading definitions out of it,
// as many as Variant.Stage says, and returns what has to be done before it instead.
// Declarations between them move if they may.
func (p *Plan) stageLoads(b *Buffer, r *analysis.Region, declarations bool) []staged {
	var out []staged
	for _, s := range p.Kernel.SplitsUpTo(r, p.Stage) {
		if s.Decl != nil {
			if !declarations {
				break // loads behind it may use it
			}
			line, ok := p.moveDeclaration(b, s)
			if !ok {
				break
			}
			out = append(out, staged{moved: line})
			continue
		}
		if p.editsIn(b, s.Load.Range) || s.Cond != nil && p.editsIn(b, s.Cond.Range) {
			continue // something inside changes, too
		}
		if l, ok := p.splitLoad(b, s); ok {
			out = append(out, l)
		}
	}
	return out
}

// splitLoad makes a register of what one store takes; ok is false where the text
// does not allow it.
func (p *Plan) splitLoad(b *Buffer, s analysis.Split) (out staged, ok bool) {
	f := p.Kernel.File
	// The right-hand side may be in parentheses that its range leaves out.
	rhs := ir.Range{Start: s.Store.Kids[0].Range.End, End: s.Store.Range.End}
	src := text(f, rhs)
	eq := topLevelEquals(src)
	if eq < 0 {
		return out, false
	}
	load, under := src[eq+1:], ""
	if s.Cond != nil {
		under = fmt.Sprintf("if (%s) ", text(f, s.Cond.Range))
		if s.Negated {
			under = fmt.Sprintf("if (!(%s)) ", text(f, s.Cond.Range))
		}
	}
	if s.Loop != nil {
		return p.splitLoop(b, s, ir.Range{Start: rhs.Start + eq + 1, End: rhs.End}, load, under)
	}
	name := p.temporary("v")
	b.Replace(rhs.Start+eq+1, rhs.End, " "+name)
	return staged{typ: s.Type, name: name, under: under != "", load: []string{fmt.Sprintf("%s%s =%s;", under, name, load)}}, true
}

// splitLoop makes an array of registers of what a loop stores. Where it takes
// only the first iterations' loads, the others stay where they are:
//
//	                                        float v[8];
//	#pragma unroll                          #pragma unroll
//	for (int r = 0; r < 32; ++r)      -->   for (int r = 0; r < 8; ++r) v[r] = a[r];
//	    tile[r] = a[r];                     #pragma unroll
//	                                        for (int r = 0; r < 32; ++r)
//	                                            tile[r] = r < 8 ? v[r] : a[r];
func (p *Plan) splitLoop(b *Buffer, s analysis.Split, rhs ir.Range, load, under string) (out staged, ok bool) {
	f := p.Kernel.File
	part := s.Count < s.Trips
	head := strings.TrimSpace(string(f.Src[s.Loop.Range.Start:s.Loop.Body.Range.Start]))
	end := fmt.Sprint(s.Count * s.Step)
	if part {
		if p.isTypeParameter(s.Type) {
			return out, false // the two sides of the ?: must be of one type
		}
		head = p.shortHead(s, end)
	}
	if strings.ContainsAny(head+load+under, "\n\r") || strings.Contains(head+load+under, "//") {
		return out, false
	}
	if s.Rolled {
		at := s.Loop.Range.Start
		if !firstOnLine(f, at) || p.editsIn(b, ir.Range{Start: at, End: at}) {
			return out, false
		}
		b.Insert(at, "#pragma unroll"+f.Newline()+indentAt(f, at))
	}
	name := p.temporary("v")
	slot := name + "[" + s.Counter.Name + "]"
	if s.Step > 1 {
		slot = fmt.Sprintf("%s[%s / %d]", name, s.Counter.Name, s.Step)
	}
	taken := slot
	if part {
		taken = fmt.Sprintf("%s < %s ? %s :%s", s.Counter.Name, end, slot, load)
	}
	b.Replace(rhs.Start, rhs.End, " "+taken)
	return staged{
		typ: s.Type, name: name, dim: fmt.Sprintf("[%d]", s.Count),
		load: []string{"#pragma unroll", fmt.Sprintf("%s %s%s =%s;", head, under, slot, load)},
	}, true
}

// shortHead is the head of a loop that counts like the split's, up to an end.
func (p *Plan) shortHead(s analysis.Split, end string) string {
	v := s.Counter
	declared := text(p.Kernel.File, ir.Range{Start: s.Loop.Init.Range.Start, End: v.Range.Start})
	step := "++" + v.Name
	if s.Step > 1 {
		step = fmt.Sprintf("%s += %d", v.Name, s.Step)
	}
	return fmt.Sprintf("for (%s%s = 0; %s < %s; %s)", declared, v.Name, v.Name, end, step)
}

// isTypeParameter reports whether a type is a parameter of the kernel's template.
func (p *Plan) isTypeParameter(name string) bool {
	for _, t := range p.Kernel.Func.TParams {
		if t.Name == name && t.Kind == ir.VarTemplateType {
			return true
		}
	}
	return false
}

// moveDeclaration takes a declaration out of a region; ok is false where the
// text around it changes, too.
func (p *Plan) moveDeclaration(b *Buffer, s analysis.Split) (line string, ok bool) {
	f := p.Kernel.File
	at := ir.Range{Start: s.Stmt.Range.Start, End: stmtEnd(f, s.Stmt)}
	line = text(f, at)
	if strings.Contains(line, "//") && strings.ContainsAny(line, "\n") {
		return "", false
	}
	if end := nextLine(f, at.End); firstOnLine(f, at.Start) && strings.TrimSpace(string(f.Src[at.End:end])) == "" {
		at = ir.Range{Start: lineStart(f, at.Start), End: end}
	}
	if p.editsIn(b, at) {
		return "", false
	}
	b.Replace(at.Start, at.End, "")
	return line, true
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
