package kit

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// EarlyLoad is a global load of a region's leading definitions that is made before
// the region, into registers, or a declaration that moves with the loads.
type EarlyLoad struct {
	moved     string // the declaration as it is, "" for a load
	typ, Name string
	dim       string   // "[32]" where a loop makes the loads
	LoadText  []string // the statements that make it
	under     bool     // a condition
	Computes  bool     // there is arithmetic after the loads
}

// Declaration is the text that declares the registers.
func (s EarlyLoad) Declaration() string { return s.typ + " " + s.Name + s.dim + ";" }

// Lines declare the registers and fill them.
func (s EarlyLoad) Lines() []string {
	switch {
	case s.moved != "":
		return []string{s.moved}
	case s.dim == "" && !s.under:
		return []string{"const " + s.typ + " " + s.LoadText[0]}
	}
	return append([]string{s.Declaration()}, s.LoadText...)
}

// LoadMove is a load of a region's leading definitions that can be made before the
// region, or a declaration between them that moves with the loads.
type LoadMove struct {
	motion.Split
	Taken    ir.Range // what changes: what the store takes, or the declaration, maybe with its line
	LoadText string   // the text of a load
	Under    string   // "if (…) " before it, "" where there is no condition
	head     string   // of the loop that makes it, "" for none
	Early    bool     // it stands after other uses of shared memory
}

// Describe names a load or declaration, as proofs are printed.
func (m LoadMove) Describe(f *parser.File) string {
	switch at := LineColumn(f, m.Stmt.Range.Start); {
	case m.Decl != nil:
		return fmt.Sprintf("declaration of %s at %s", m.Decl.Name, at)
	case m.Early:
		return fmt.Sprintf("%s load at %s", m.Type, LineColumn(f, m.Load.Range.Start))
	case m.Loop != nil:
		return fmt.Sprintf("%d of %d %s loads at %s", m.Count, m.Trips, m.Type, at)
	default:
		return fmt.Sprintf("%s load at %s", m.Type, at)
	}
}

// Places returns the places that the move of a load touches: a loop may get a pragma, too.
func (m LoadMove) Places() Ranges {
	if m.Loop == nil || !m.Rolled {
		return Ranges{m.Taken}
	}
	return Ranges{{Start: m.Loop.Range.Start, End: m.Loop.Range.Start}, m.Taken}
}

// MovableLoads are the global loads of a region's leading definitions whose text can be taken out of it, as many as
// Variant.Stage says. Declarations between them move if they may. touched are the places of other edits, which the
// loads and declarations must keep clear of.
func (p *Findings) MovableLoads(r *analysis.Region, declarations bool, touched Ranges) []LoadMove {
	var out []LoadMove
	for _, s := range motion.SplitsUpTo(p.Kernel, r, p.Stage) {
		m := LoadMove{Split: s}
		switch {
		case s.Decl != nil:
			if !declarations || !p.MovesDeclaration(&m, touched) {
				return out // loads after it may use it
			}
		case touched.Meet(s.Load.Range) || s.Cond != nil && touched.Meet(s.Cond.Range) || !p.movesLoad(&m, touched):
			continue // something inside changes, too, or the text does not allow it
		}
		touched = append(touched, m.Places()...)
		out = append(out, m)
	}
	return out
}

// movesLoad reports whether the text allows a register for what a store takes.
func (p *Findings) movesLoad(m *LoadMove, touched Ranges) bool {
	f := p.Kernel.File
	// The right-hand side may be in parentheses that its range leaves out.
	rhs := ir.Range{Start: m.Store.Kids[0].Range.End, End: m.Store.Range.End}
	src := Text(f, rhs)
	eq := TopLevelEquals(src)
	if eq < 0 {
		return false
	}
	m.Taken = ir.Range{Start: rhs.Start + eq + 1, End: rhs.End}
	m.LoadText = src[eq+1:]
	if m.Cond != nil {
		m.Under = fmt.Sprintf("if (%s) ", Text(f, m.Cond.Range))
		if m.Negated {
			m.Under = fmt.Sprintf("if (!(%s)) ", Text(f, m.Cond.Range))
		}
	}
	return m.Loop == nil || p.MovesOutOfLoop(m, touched)
}

// MovesOutOfLoop reports whether the text allows an array of registers for what a loop stores.
func (p *Findings) MovesOutOfLoop(m *LoadMove, touched Ranges) bool {
	f := p.Kernel.File
	m.head = strings.TrimSpace(string(f.Src[m.Loop.Range.Start:m.Loop.Body.Outer.Start]))
	if m.Count < m.Trips {
		if p.IsTypeParameter(m.Type) {
			return false // the two sides of the ?: must be of one type
		}
		m.head = shortHead(f, m.Split)
	}
	if all := m.head + m.LoadText + m.Under; strings.ContainsAny(all, "\n\r") || strings.Contains(all, "//") {
		return false
	}
	at := m.Loop.Range.Start
	return !m.Rolled || FirstOnLine(f, at) && !touched.Meet(ir.Range{Start: at, End: at})
}

// MovesDeclaration reports whether a declaration can be taken out of a region: not where
// the text around it changes, too.
func (p *Findings) MovesDeclaration(m *LoadMove, touched Ranges) bool {
	f := p.Kernel.File
	m.Taken = ir.Range{Start: m.Stmt.Range.Start, End: StmtEnd(f, m.Stmt)}
	m.LoadText = Text(f, m.Taken)
	if strings.Contains(m.LoadText, "//") && strings.ContainsAny(m.LoadText, "\n") {
		return false
	}
	if end := NextLine(f, m.Taken.End); FirstOnLine(f, m.Taken.Start) && strings.TrimSpace(string(f.Src[m.Taken.End:end])) == "" {
		m.Taken = ir.Range{Start: LineStart(f, m.Taken.Start), End: end}
	}
	return !touched.Meet(m.Taken)
}

// loadsEnd returns the bound of the loop's counter where only the first loads are made ahead.
func loadsEnd(s motion.Split) string { return fmt.Sprint(s.Count * s.Step) }

// shortHead is the head of a loop that counts like the split's, up to its last load.
func shortHead(f *parser.File, s motion.Split) string {
	v := s.Counter
	declared := Text(f, ir.Range{Start: s.Loop.Init.Range.Start, End: v.Range.Start})
	step := "++" + v.Name
	if s.Step > 1 {
		step = fmt.Sprintf("%s += %d", v.Name, s.Step)
	}
	return fmt.Sprintf("for (%s%s = 0; %s < %s; %s)", declared, v.Name, v.Name, loadsEnd(s), step)
}

// MoveLoads takes loads out of their region, and returns what has to be done before it instead.
func (w *Emitter) MoveLoads(b *edit.Buffer, moves []LoadMove) []EarlyLoad {
	var out []EarlyLoad
	made := map[string]string{} // names of the registers of early loads, by what loads them
	for _, m := range moves {
		switch name, again := made[m.Under+m.LoadText]; {
		case again && m.Early && m.Loop == nil && m.Decl == nil:
			b.Replace(m.Taken.Start, m.Taken.End, name)
		case m.Decl != nil:
			b.Replace(m.Taken.Start, m.Taken.End, "")
			out = append(out, EarlyLoad{moved: m.LoadText})
		case m.Loop != nil:
			s := w.moveOutOfLoop(b, m)
			s.Computes = m.Computes()
			out = append(out, s)
		default:
			name := w.Temporary("v")
			b.Replace(m.Taken.Start, m.Taken.End, m.space()+name)
			out = append(out, EarlyLoad{typ: m.Type, Name: name, under: m.Under != "", LoadText: []string{fmt.Sprintf("%s%s =%s;", m.Under, name, m.LoadText)}, Computes: m.Computes()})
			if m.Early {
				made[m.Under+m.LoadText] = name
			}
		}
	}
	return out
}

// space returns the text between a store's equals sign and the register; a load inside an
// expression has none to keep.
func (m LoadMove) space() string {
	if m.Early {
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
func (w *Emitter) moveOutOfLoop(b *edit.Buffer, m LoadMove) EarlyLoad {
	f := w.Of.File
	if at := m.Loop.Range.Start; m.Rolled {
		b.Insert(at, PragmaAt(f, at, "#pragma unroll"))
	}
	name := w.Temporary("v")
	slot := name + "[" + m.Counter.Name + "]"
	if m.Step > 1 {
		slot = fmt.Sprintf("%s[%s / %d]", name, m.Counter.Name, m.Step)
	}
	taken := slot
	if m.Count < m.Trips {
		taken = fmt.Sprintf("%s < %s ? %s :%s", m.Counter.Name, loadsEnd(m.Split), slot, m.LoadText)
	}
	b.Replace(m.Taken.Start, m.Taken.End, m.space()+taken)
	return EarlyLoad{
		typ: m.Type, Name: name, dim: fmt.Sprintf("[%d]", m.Count),
		LoadText: []string{"#pragma unroll", fmt.Sprintf("%s %s%s =%s;", m.head, m.Under, slot, m.LoadText)},
	}
}

// AllLines are the lines to put before a region for all that was taken out of it.
func AllLines(all []EarlyLoad) (lines []string) {
	for _, s := range all {
		lines = append(lines, s.Lines()...)
	}
	return lines
}

// Computes reports whether a load that is taken out of a region has arithmetic after it.
func (m LoadMove) Computes() bool {
	switch m.Load.Op {
	case ir.OpIndex, ir.OpDeref, ir.OpIdent, ir.OpMember:
		return false
	}
	return m.Decl == nil
}
