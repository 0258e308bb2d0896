package cost

import (
	"math"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// Line holds what a compiler emitted for a line of the source, in all copies that it made of it.
type Line struct {
	File   string // as the program names it
	Line   int
	In     int     // the line of the kernel's own body that it was inlined at, Line where it was not
	Issue  float64 // machine instructions
	Memory float64 // bytes that one thread moves by its accesses to shared and global memory; an atomic counts 4
	Waits  float64 // for loads from global memory; those that are under way together share one
	Loads  float64 // instructions that load from shared memory
}

// span is the lines that a loop takes.
type span struct {
	file     string
	from, to int
	loop     *ir.Stmt
	parent   *span
	kernel   bool // in the kernel's own body

	walked  lineWork // of its lines, inner loops left out
	emitted Line
}

// scale replaces the static instruction counts by those of a listing. A listing tells how many instructions stand in
// the code, not how often they run, and the compiler lays out several turns of a loop in a row, peels it, and keeps a
// remainder. For each loop of the source, the memory accesses of its lines tell how often its code runs: the bytes
// that the walk counted over the bytes that the code moves once, at most the turns of the loop. A loop without
// accesses runs as often as in the walk. Within a loop the walk's proportions stay. Words of shared memory that all
// lanes read, which stand side by side, pass together where the code loads several at a time. Batches of loads are
// the listing's in the same way: how many are under way together differs between forms of a kernel by more than what
// they compute.
func (x *walk) scale(lines []Line) {
	spans := x.spans()
	whole := &span{}
	at := func(p place) *span {
		if s := innermost(spans, p.file, p.line, false); s != nil {
			return s
		}
		if s := innermost(spans, x.line.file, p.in, true); s != nil {
			return s
		}
		return whole
	}
	for _, l := range lines {
		s := at(place{l.File, l.Line, l.In})
		s.emitted.Issue += l.Issue
		s.emitted.Memory += l.Memory
		s.emitted.Waits += l.Waits
		s.emitted.Loads += l.Loads
	}
	x.root.each(func(n *node) {
		for _, p := range n.places() {
			s, l := at(p).listed(whole), n.lines[p]
			s.walked.issue += l.issue
			s.walked.memory += l.memory
			s.walked.waits += l.waits
			s.walked.loads += l.loads
			s.walked.joined += l.joined
		}
	})
	x.root.each(func(n *node) {
		if n.lines == nil {
			return
		}
		static := n.work.Issue
		n.work.Issue, n.work.Waits = 0, 0
		for _, p := range n.places() {
			s, l := at(p).listed(whole), n.lines[p]
			if s.walked.issue > 0 {
				n.work.Issue += l.issue * s.emitted.Issue * x.times(s) / s.walked.issue
			}
			waits := 1.0 // what the walk counts, where the code shows none
			if s.walked.waits > 0 && s.emitted.Waits > 0 {
				waits = s.emitted.Waits * x.times(s) / s.walked.waits
			}
			n.work.Waits += l.waits * waits
			saved := l.joined * x.joinedOf(s)
			n.work.Shared -= saved
			n.work.Access -= saved
		}
		if static > 0 {
			n.work = n.work.OnUnits(n.work.Issue / static)
		}
	})
}

// joinedOf returns the part saved of the wavefronts that loads of several words at a time
// can save, by how many loads there are in the code.
func (x *walk) joinedOf(s *span) float64 {
	if s.walked.joined == 0 || s.emitted.Loads == 0 {
		return 0
	}
	fewer := s.walked.loads - s.emitted.Loads*x.times(s)
	return math.Max(0, math.Min(1, fewer/s.walked.joined))
}

// listed is the span, or the one around it, of which the listing holds anything.
func (s *span) listed(whole *span) *span {
	for ; s != nil; s = s.parent {
		if s.emitted.Issue > 0 {
			return s
		}
	}
	return whole
}

// times returns the number of times that the code of a span runs.
func (x *walk) times(s *span) float64 {
	if s == nil || s.loop == nil {
		return 1
	}
	run := x.turned[s.loop]
	if s.walked.memory > 0 && s.emitted.Memory > 0 {
		return math.Min(s.walked.memory/s.emitted.Memory, run.turns)
	}
	if run.emitted > 0 {
		return run.emitted
	}
	return x.times(s.parent)
}

// turned counts the runs of a loop's body: in turns of the source, and of the code, which lays out several of them.
type turned struct{ turns, emitted float64 }

// spans lists the loops of the functions that the kernel reaches.
func (x *walk) spans() []*span {
	var out []*span
	for _, fn := range x.k.Functions {
		of := map[*ir.Stmt]*span{}
		for s := range fn.Body.All() {
			if s.IsLoop() {
				from, to := fn.File.Position(s.Range.Start), fn.File.Position(max(s.Range.Start, s.Range.End-1))
				sp := &span{file: from.File, from: from.Line, to: to.Line, loop: s, kernel: fn == x.k.Func}
				for p := s.Parent; p != nil && sp.parent == nil; p = p.Parent {
					sp.parent = of[p]
				}
				of[s] = sp
				out = append(out, sp)
			}
		}
	}
	return out
}

// innermost finds the smallest loop around a line.
func innermost(spans []*span, file string, line int, kernelOnly bool) *span {
	var best *span
	for _, s := range spans {
		if s.file == file && s.from <= line && line <= s.to && (s.kernel || !kernelOnly) && (best == nil || s.to-s.from < best.to-best.from || s.parent == best) {
			best = s
		}
	}
	return best
}

// LiveWords estimates how many 32-bit words each source line of a kernel, and of the device functions that it
// reaches, keeps in registers: the most of all instructions of the line, of what each begins with and leaves.
// Registers is built from the same counts: of two lines the one with more is likelier to be where the kernel's
// registers come from. Positions have no column.
func LiveWords(k *analysis.Kernel, in *analysis.Instance) map[diag.Position]int {
	out := map[diag.Position]int{}
	if k.Unread() {
		return out
	}
	if in == nil {
		in = &analysis.Instance{}
	}
	x := newWalk(k, in, true)
	x.run()
	before := 0
	for i, words := range x.lives.live(false) {
		if p := x.lives.lines[i]; p.line > 0 {
			at := diag.Position{File: p.file, Line: p.line}
			out[at] = max(out[at], before, words)
		}
		before = words
	}
	return out
}
