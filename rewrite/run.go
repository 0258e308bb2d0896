// Package rewrite turns analysed kernels into edited source text. A rewriter
// proves first (Check) and edits mechanically then; what can't be proved is
// refused with a code, a place and a reason (design §5).
//
// Promises: text outside the edits is kept byte for byte; a kernel, its
// launches, its declarations and the device functions it needs change together
// or not at all; a file in which nothing changes is not in the result.
//
// Departures from the design: a launch whose block size is not known is merged
// where its blocks fit, when the program runs, and stays as it is where not; one
// whose size is known is checked in every build and not in debug builds alone,
// because that costs nothing and a wrong size would hang; v-TBs in named mode are given the first turn by an arrival
// at start() and take the last one back in finish(), so that acquire and
// release are the same text everywhere.
package rewrite

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// run is one call of Run.
type run struct {
	prog     *analysis.Program
	opt      Options
	headers  []*parser.File // files for context
	editable map[*parser.File]bool
	used     map[*parser.File]map[string]bool // see usedNames
}

// Run rewrites the kernels of a program that opt selects. It returns what
// changed and, for every selected kernel, what became of it; errors are
// internal ones, never a property of the input.
func Run(parsed *parser.Program, opt Options) (*Result, error) {
	return RunAnalysed(analysis.NewProgram(parsed, opt.Block), opt)
}

// RunAnalysed is Run for a program that is analysed already, with the block shape that
// opt says: who rewrites it in many ways need not look at it anew each time.
func RunAnalysed(prog *analysis.Program, opt Options) (*Result, error) {
	first, err := runOnce(prog, opt)
	if err != nil || opt.Then == nil {
		return first, err
	}
	c := NewChain(prog)
	if err := c.Add(first); err != nil {
		return nil, err
	}
	if _, err := c.Rewrite(Options{Kernels: opt.Kernels, Runtime: opt.Runtime, Decisions: opt.Then}); err != nil {
		return nil, err
	}
	return c.Result(), nil
}

// runOnce makes one rewrite, whatever is to follow it.
func runOnce(prog *analysis.Program, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	if rewriter(opt.Rewriter) == nil {
		return nil, noRewriter(opt.Rewriter)
	}
	parsed, kernels := prog.Parsed, prog.Kernels()
	r := newRun(prog, kernels, opt)
	res := &Result{}
	byName := map[string][]*analysis.Kernel{}
	var names []string
	for _, k := range kernels {
		if !Matches(opt.Kernels, k.Name) {
			continue
		}
		if byName[k.Name] == nil {
			names = append(names, k.Name)
		}
		byName[k.Name] = append(byName[k.Name], k)
	}
	var groups [][]*analysis.Kernel
	for _, name := range names {
		groups = append(groups, r.related(byName[name])...)
	}
	planned, err := r.planAll(groups)
	if err != nil {
		return nil, err
	}
	edits := planned.edits
	res.Kernels = append(planned.results, lost(parsed, opt)...)
	if err := r.placeFunctions(planned.applied, edits); err != nil {
		return nil, err
	}
	if err := r.emit(planned.applied, edits, res); err != nil {
		return nil, err
	}
	order := map[string]int{}
	for i, f := range parsed.Files {
		order[f.Name] = i
	}
	sort.SliceStable(res.Kernels, func(i, j int) bool {
		a, b := res.Kernels[i].Pos, res.Kernels[j].Pos
		if a.File != b.File {
			return order[a.File] < order[b.File]
		}
		return a.Line < b.Line
	})
	return res, nil
}

// planned is what all kernels of a run come to.
type planned struct {
	applied []applied
	edits   map[*parser.File]*Buffer
	results []KernelResult
}

// applied is the proof for a kernel with the edits that follow from it.
type applied struct {
	Proof
	*Edits
}

// planAll plans all groups of kernels. Where two plans need a device function in
// two forms that can't stand beside each other, no turns are taken inside of it.
func (r *run) planAll(groups [][]*analysis.Kernel) (*planned, error) {
	closed := map[*ir.Func]bool{}
	for {
		p := &planned{edits: map[*parser.File]*Buffer{}}
		for _, group := range groups {
			opt, aside, err := r.decided(group)
			if err != nil {
				return nil, err
			}
			if aside != nil {
				p.results = append(p.results, aside...)
				continue
			}
			opt.closed = closed
			chosen, results := r.choose(group, opt)
			p.results = append(p.results, results...)
			if chosen != nil {
				p.add(chosen)
			}
		}
		again := atOdds(p.applied)
		if len(again) == 0 {
			return p, nil
		}
		for _, fn := range again {
			closed[fn] = true
		}
	}
}

// add adds the edits of a group.
func (p *planned) add(g *appliedGroup) {
	p.applied = append(p.applied, g.kernels...)
	for _, own := range g.kernels {
		for f, b := range own.Edits.files {
			bufferOf(p.edits, f).Append(b.edits)
		}
	}
	for f, b := range g.launches {
		bufferOf(p.edits, f).Append(b.edits)
	}
}

// newRun prepares a run over an analysed program; kernels are all its kernels.
func newRun(prog *analysis.Program, kernels []*analysis.Kernel, opt Options) *run {
	r := &run{prog: prog, opt: opt, editable: map[*parser.File]bool{}, used: map[*parser.File]map[string]bool{}}
	for _, f := range prog.Parsed.Files {
		r.editable[f] = true
	}
	for _, h := range prog.Parsed.Headers {
		r.headers = append(r.headers, h)
	}
	sort.Slice(r.headers, func(i, j int) bool { return r.headers[i].Name < r.headers[j].Name })
	return r
}

func bufferOf(m map[*parser.File]*Buffer, f *parser.File) *Buffer {
	if m[f] == nil {
		m[f] = &Buffer{}
	}
	return m[f]
}

// Selects reports whether a kernel is among those that the options name.
func (o Options) Selects(kernel string) bool { return Matches(o.Kernels, kernel) }

// Matches reports whether one of some globs matches the name of a kernel, or there are none.
func Matches(globs []string, name string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if ok, err := filepath.Match(g, name); ok && err == nil {
			return true
		}
	}
	return false
}

// related parts kernels of one name into groups whose files have to do with
// each other: a launch may mean any kernel of a group.
func (r *run) related(ks []*analysis.Kernel) [][]*analysis.Kernel {
	var groups [][]*analysis.Kernel
	for _, k := range ks {
		placed := false
		for i, g := range groups {
			for _, o := range g {
				if r.prog.Related(k.File, o.File) {
					groups[i] = append(groups[i], k)
					placed = true
					break
				}
			}
			if placed {
				break
			}
		}
		if !placed {
			groups = append(groups, []*analysis.Kernel{k})
		}
	}
	return groups
}

// choose plans a group of kernels as opt says, in the first sync mode that every
// one of them and all their launches allow.
func (r *run) choose(group []*analysis.Kernel, opt Options) (*appliedGroup, []KernelResult) {
	syncs := rewriter(opt.Rewriter).Syncs
	if opt.Sync != "" {
		syncs = []string{opt.Sync}
	}
	refused := make([][]diag.Message, len(group))
	for _, sync := range syncs {
		opt.Sync = sync
		l, reasons, ok := r.try(group, opt)
		if !ok && l != nil {
			// It fails at its launches, whatever the sync mode.
			for i := range group {
				refused[i] = reasons[i]
			}
			break
		}
		var g *appliedGroup
		if ok {
			g, reasons = l.applyGuarded()
		}
		if g != nil {
			results := make([]KernelResult, len(group))
			for i, proof := range l.proofs {
				p := proof.found()
				variant := opt.Variant
				variant.PrivateRows = p.PrivateRows // the rewriter's choice, where it was left to it
				results[i] = KernelResult{Name: p.Kernel.Name, Pos: position(p.Kernel), Variant: variant, Notes: append(r.why(p.Kernel), p.notes...)}
			}
			return g, results
		}
		for i := range group {
			refused[i] = mergeReasons(refused[i], reasons[i])
		}
	}
	results := make([]KernelResult, len(group))
	for i, k := range group {
		results[i] = KernelResult{Name: k.Name, Pos: position(k), Refused: refused[i]}
	}
	return nil, results
}

// mergeReasons joins what two sync modes have against a kernel: reasons that
// hold for both come first, and once.
func mergeReasons(a, b []diag.Message) []diag.Message {
	out := append([]diag.Message{}, a...)
next:
	for _, m := range b {
		for _, o := range out {
			if o == m {
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}

// try checks a group of kernels for the one variant that opt says: no edit is made. The
// proof for launches comes back where it is these that can't follow, too.
func (r *run) try(group []*analysis.Kernel, opt Options) (*launchPlan, [][]diag.Message, bool) {
	l := &launchPlan{run: r, name: group[0].Name}
	reasons := make([][]diag.Message, len(group))
	ok := true
	rw := rewriter(opt.Rewriter)
	for i, k := range group {
		p, why := checked(rw, k, opt)
		if len(why) == 0 {
			why = r.outOfReach(p)
			l.proofs = append(l.proofs, p)
		}
		reasons[i], ok = why, ok && len(why) == 0
	}
	if !ok {
		// A kernel that could be rewritten alone is held back by its namesakes.
		for i, k := range group {
			if len(reasons[i]) == 0 {
				reasons[i] = []diag.Message{{Pos: position(k), Code: CodeOverload, Text: "another kernel of this name can't be rewritten, and a launch may mean either"}}
			}
		}
		return nil, reasons, false
	}
	needsLaunches := func(p Proof) bool { return p.found().closed || p.found().slotWords > 0 }
	if !rw.InPlace || rw.Closed || slices.ContainsFunc(l.proofs, needsLaunches) {
		l.checkGuarded()
	}
	if len(l.reasons) > 0 {
		for i := range group {
			reasons[i] = l.reasons
		}
		return l, reasons, false
	}
	return l, reasons, true
}

// outOfReach says which files must change for a proof that were not named for rewriting.
func (r *run) outOfReach(p Proof) (reasons []diag.Message) {
	k := p.found().Kernel
	if !r.editable[k.File] {
		reasons = append(reasons, diag.Message{Pos: k.File.Position(k.View.Start), Code: CodeFile, Text: "the kernel is in a file that was not named for rewriting"})
	}
	files := p.files()
	slices.SortFunc(files, func(a, b *parser.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range slices.Compact(files) {
		if !r.editable[f] {
			reasons = append(reasons, diag.Message{Pos: position(k), Code: CodeFile, Text: "it needs edits in " + f.Name})
		}
	}
	for _, fn := range p.functions() {
		if !r.editable[fn.File] {
			at := fn.File.Position(fn.View.Start)
			reasons = append(reasons, diag.Message{Pos: at, Code: CodeFile, Text: "device function " + fn.View.Name + " must change, in a file that was not named for rewriting"})
		}
	}
	return reasons
}

// checked is what a rewriter says of a kernel. A defect of the rewriter keeps it from
// this kernel, and no other rewriter from it nor it from other kernels.
func checked(rw *Rewriter, k *analysis.Kernel, opt Options) (p Proof, reasons []diag.Message) {
	if rw == nil {
		return nil, []diag.Message{{Pos: position(k), Code: analysis.CodeInternal, Text: noRewriter(opt.Rewriter).Error()}}
	}
	defer func() {
		if v := recover(); v != nil {
			p, reasons = nil, defect(k, v)
		}
	}()
	return rw.Check(k, opt)
}

// checkGuarded is check, of which a defect keeps the rewriter from these kernels alone.
func (l *launchPlan) checkGuarded() {
	defer func() {
		if v := recover(); v != nil {
			l.reasons = append(l.reasons, defect(l.first().Kernel, v)...)
		}
	}()
	l.check()
}

// appliedGroup is all edits for a group of kernels: their own, and those of launches and
// declarations.
type appliedGroup struct {
	kernels  []applied
	launches map[*parser.File]*Buffer
}

// applyGuarded makes the edits of a group. A defect, which is never a property of the
// input, keeps the rewriter from these kernels alone.
func (l *launchPlan) applyGuarded() (g *appliedGroup, reasons [][]diag.Message) {
	defer func() {
		if v := recover(); v != nil {
			g, reasons = nil, nil
			for _, p := range l.proofs {
				reasons = append(reasons, defect(p.found().Kernel, v))
			}
		}
	}()
	g = &appliedGroup{}
	for _, p := range l.proofs {
		g.kernels = append(g.kernels, applied{p, p.Apply()})
	}
	g.launches = l.apply()
	return g, nil
}

// defect is the reason against a kernel that a panic is.
func defect(k *analysis.Kernel, panicked any) []diag.Message {
	return []diag.Message{{Pos: position(k), Code: analysis.CodeInternal, Text: diag.Panicked(panicked)}}
}

func position(k *analysis.Kernel) diag.Position { return k.File.Position(nameOffset(k.View)) }

// nameOffset is where a kernel's name stands.
func nameOffset(k *parser.Function) int {
	if d := k.Declared; d != nil {
		return int(d.Start)
	}
	return k.Start
}

// lost reports the kernels that the parser saw a __global__ of and could not
// make a function of.
func lost(parsed *parser.Program, opt Options) []KernelResult {
	var out []KernelResult
	for _, f := range parsed.Files {
		for _, l := range f.Lost {
			if !Matches(opt.Kernels, l.Name) {
				continue
			}
			pos := f.Position(l.Mark.Start)
			m := diag.Message{Pos: pos, Code: analysis.CodeSyntax, Text: "smux can't parse this kernel"}
			if l.Macro != "" {
				m.Code, m.Text = CodeMacro, "macro "+l.Macro+" makes this kernel, and its text can't be changed for one of them"
			}
			out = append(out, KernelResult{Name: l.Name, Pos: pos, Refused: []diag.Message{m}})
		}
	}
	return out
}
