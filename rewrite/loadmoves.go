package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// staged is a global load of a region's leading definitions that is made before
// the region, into registers, or a declaration that moves with the loads.
type staged struct {
	moved     string // the declaration as it is, "" for a load
	typ, name string
	dim       string   // "[32]" where a loop makes the loads
	load      []string // the statements that make it
	under     bool     // a condition
	computes  bool     // there is arithmetic behind the loads
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

// loadMove is a load of a region's leading definitions that can be made before the
// region, or a declaration between them that moves with the loads.
type loadMove struct {
	analysis.Split
	taken ir.Range // what changes: what the store takes, or the declaration, maybe with its line
	load  string   // the text of a load
	under string   // "if (…) " before it, "" where there is no condition
	head  string   // of the loop that makes it, "" for none
	early bool     // it stands behind other uses of shared memory
}

// describe names a load or declaration, as proofs are printed.
func (m loadMove) describe(f *parser.File) string {
	switch at := lineColumn(f, m.Stmt.Range.Start); {
	case m.Decl != nil:
		return fmt.Sprintf("declaration of %s at %s", m.Decl.Name, at)
	case m.early:
		return fmt.Sprintf("%s load at %s", m.Type, lineColumn(f, m.Load.Range.Start))
	case m.Loop != nil:
		return fmt.Sprintf("%d of %d %s loads at %s", m.Count, m.Trips, m.Type, at)
	default:
		return fmt.Sprintf("%s load at %s", m.Type, at)
	}
}

// places are what the move of a load touches: a loop may get a pragma, too.
func (m loadMove) places() ranges {
	if m.Loop == nil || !m.Rolled {
		return ranges{m.taken}
	}
	return ranges{{Start: m.Loop.Range.Start, End: m.Loop.Range.Start}, m.taken}
}

// movableLoads are the global loads of a region's leading definitions whose text can be
// taken out of it, as many as Variant.Stage says. Declarations between them move if they
// may. touched are the places of other edits, which the loads and declarations must keep
// clear of.
func (p *findings) movableLoads(r *analysis.Region, declarations bool, touched ranges) []loadMove {
	var out []loadMove
	for _, s := range p.Kernel.SplitsUpTo(r, p.Stage) {
		m := loadMove{Split: s}
		switch {
		case s.Decl != nil:
			if !declarations || !p.movesDeclaration(&m, touched) {
				return out // loads behind it may use it
			}
		case touched.meet(s.Load.Range) || s.Cond != nil && touched.meet(s.Cond.Range) || !p.movesLoad(&m, touched):
			continue // something inside changes, too, or the text does not allow it
		}
		touched = append(touched, m.places()...)
		out = append(out, m)
	}
	return out
}

// movesLoad reports whether the text allows a register for what a store takes.
func (p *findings) movesLoad(m *loadMove, touched ranges) bool {
	f := p.Kernel.File
	// The right-hand side may be in parentheses that its range leaves out.
	rhs := ir.Range{Start: m.Store.Kids[0].Range.End, End: m.Store.Range.End}
	src := text(f, rhs)
	eq := topLevelEquals(src)
	if eq < 0 {
		return false
	}
	m.taken = ir.Range{Start: rhs.Start + eq + 1, End: rhs.End}
	m.load = src[eq+1:]
	if m.Cond != nil {
		m.under = fmt.Sprintf("if (%s) ", text(f, m.Cond.Range))
		if m.Negated {
			m.under = fmt.Sprintf("if (!(%s)) ", text(f, m.Cond.Range))
		}
	}
	return m.Loop == nil || p.movesOutOfLoop(m, touched)
}

// movesOutOfLoop reports whether the text allows an array of registers for what a loop
// stores.
func (p *findings) movesOutOfLoop(m *loadMove, touched ranges) bool {
	f := p.Kernel.File
	m.head = strings.TrimSpace(string(f.Src[m.Loop.Range.Start:m.Loop.Body.Outer.Start]))
	if m.Count < m.Trips {
		if p.isTypeParameter(m.Type) {
			return false // the two sides of the ?: must be of one type
		}
		m.head = shortHead(f, m.Split)
	}
	if all := m.head + m.load + m.under; strings.ContainsAny(all, "\n\r") || strings.Contains(all, "//") {
		return false
	}
	at := m.Loop.Range.Start
	return !m.Rolled || firstOnLine(f, at) && !touched.meet(ir.Range{Start: at, End: at})
}

// movesDeclaration reports whether a declaration can be taken out of a region: not where
// the text around it changes, too.
func (p *findings) movesDeclaration(m *loadMove, touched ranges) bool {
	f := p.Kernel.File
	m.taken = ir.Range{Start: m.Stmt.Range.Start, End: stmtEnd(f, m.Stmt)}
	m.load = text(f, m.taken)
	if strings.Contains(m.load, "//") && strings.ContainsAny(m.load, "\n") {
		return false
	}
	if end := nextLine(f, m.taken.End); firstOnLine(f, m.taken.Start) && strings.TrimSpace(string(f.Src[m.taken.End:end])) == "" {
		m.taken = ir.Range{Start: lineStart(f, m.taken.Start), End: end}
	}
	return !touched.meet(m.taken)
}

// loadsEnd is what the counter of the loop stays below where only the first loads are made ahead.
func loadsEnd(s analysis.Split) string { return fmt.Sprint(s.Count * s.Step) }

// shortHead is the head of a loop that counts like the split's, up to its last load.
func shortHead(f *parser.File, s analysis.Split) string {
	v := s.Counter
	declared := text(f, ir.Range{Start: s.Loop.Init.Range.Start, End: v.Range.Start})
	step := "++" + v.Name
	if s.Step > 1 {
		step = fmt.Sprintf("%s += %d", v.Name, s.Step)
	}
	return fmt.Sprintf("for (%s%s = 0; %s < %s; %s)", declared, v.Name, v.Name, loadsEnd(s), step)
}

// moveLoads takes loads out of their region, and returns what has to be done before it
// instead.
func (w *emitter) moveLoads(b *edit.Buffer, moves []loadMove) []staged {
	var out []staged
	made := map[string]string{} // names of the registers of early loads, by what loads them
	for _, m := range moves {
		switch name, again := made[m.under+m.load]; {
		case again && m.early && m.Loop == nil && m.Decl == nil:
			b.Replace(m.taken.Start, m.taken.End, name)
		case m.Decl != nil:
			b.Replace(m.taken.Start, m.taken.End, "")
			out = append(out, staged{moved: m.load})
		case m.Loop != nil:
			s := w.moveOutOfLoop(b, m)
			s.computes = m.computes()
			out = append(out, s)
		default:
			name := w.temporary("v")
			b.Replace(m.taken.Start, m.taken.End, m.space()+name)
			out = append(out, staged{typ: m.Type, name: name, under: m.under != "", load: []string{fmt.Sprintf("%s%s =%s;", m.under, name, m.load)}, computes: m.computes()})
			if m.early {
				made[m.under+m.load] = name
			}
		}
	}
	return out
}

// space is what stands between a store's equals sign and the register; a load inside an
// expression has none to keep.
func (m loadMove) space() string {
	if m.early {
		return ""
	}
	return " "
}

// moveOutOfLoop makes an array of registers of what a loop stores. Where it takes
// only the first iterations' loads, the others stay where they are:
//
//	                                        float v[8];
//	#pragma unroll                          #pragma unroll
//	for (int r = 0; r < 32; ++r)      -->   for (int r = 0; r < 8; ++r) v[r] = a[r];
//	    tile[r] = a[r];                     #pragma unroll
//	                                        for (int r = 0; r < 32; ++r)
//	                                            tile[r] = r < 8 ? v[r] : a[r];
func (w *emitter) moveOutOfLoop(b *edit.Buffer, m loadMove) staged {
	f := w.of.File
	if at := m.Loop.Range.Start; m.Rolled {
		b.Insert(at, "#pragma unroll"+f.Newline()+indentAt(f, at))
	}
	name := w.temporary("v")
	slot := name + "[" + m.Counter.Name + "]"
	if m.Step > 1 {
		slot = fmt.Sprintf("%s[%s / %d]", name, m.Counter.Name, m.Step)
	}
	taken := slot
	if m.Count < m.Trips {
		taken = fmt.Sprintf("%s < %s ? %s :%s", m.Counter.Name, loadsEnd(m.Split), slot, m.load)
	}
	b.Replace(m.taken.Start, m.taken.End, m.space()+taken)
	return staged{
		typ: m.Type, name: name, dim: fmt.Sprintf("[%d]", m.Count),
		load: []string{"#pragma unroll", fmt.Sprintf("%s %s%s =%s;", m.head, m.under, slot, m.load)},
	}
}

// allLines are the lines to put before a region for all that was taken out of it.
func allLines(all []staged) (lines []string) {
	for _, s := range all {
		lines = append(lines, s.lines()...)
	}
	return lines
}

// computes reports whether a load that is taken out of a region has arithmetic behind it.
func (m loadMove) computes() bool {
	switch m.Load.Op {
	case ir.OpIndex, ir.OpDeref, ir.OpIdent, ir.OpMember:
		return false
	}
	return m.Decl == nil
}
