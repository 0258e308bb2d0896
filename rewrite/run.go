// Package rewrite turns analysed kernels into edited source text. A rewriter proves first (Check): what can't be
// proved is refused with a code, a place and a reason. The Proof says which places change and how, and makes the
// edits mechanically (Apply). So whoever asks what can be done (Groups, CheckedVariants, Refusals) pays for proofs
// alone. Only where a kernel is rewritten twice (co-vtb) is there a text between, which the second proof is of.
//
// Promises: text outside the edits is kept byte for byte; a kernel, its launches, its declarations and the device
// functions it needs change together or not at all; a file in which nothing changes is not in the result.
//
// Departures from the design: a launch whose block size is not known is merged where its blocks fit, when the program
// runs, and stays as it is where not; one whose size is known is checked in every build and not in debug builds
// alone, because that costs nothing and a wrong size would hang; v-TBs in named mode are given the first turn by an
// arrival at start() and take the last one back in finish(), so that acquire and release are the same text
// everywhere.
package rewrite

import (
	"slices"
	"sort"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// run is one call of Run.
type run struct {
	*kit.Sources
	opt   Options
	steps map[stepOf]*afterStep       // see after
	back  map[stepOf][][]diag.Message // see backInMacros
}

// Run rewrites the kernels of a program that opt selects. It returns what changed and, for every selected kernel,
// what became of it; errors are internal ones or a rewriter's name that none has, never a property of the input.
func Run(parsed *parser.Program, opt Options) (*Result, error) {
	return RunAnalysed(passes.NewProgram(parsed, opt.Block), opt)
}

// RunAnalysed is Run for a program that is analysed already, with the block shape that
// opt says: who rewrites it in many ways need not look at it anew each time.
func RunAnalysed(prog *analysis.Program, opt Options) (*Result, error) {
	result, err := runAnalysed(prog, opt)
	if err != nil {
		return nil, err
	}
	return withoutMacros(prog, opt, result)
}

func runAnalysed(prog *analysis.Program, opt Options) (*Result, error) {
	c, err := runSteps(prog, opt)
	if err != nil {
		return nil, err
	}
	if c == nil {
		first, err := runOnce(prog, opt)
		if err != nil || opt.Then == nil {
			return first, err
		}
		c = NewChain(prog)
		if err := c.Add(first); err != nil {
			return nil, err
		}
	} else if opt.Then == nil {
		return c.Result(), nil
	}
	if _, err := RewriteIn(c, Options{Kernels: opt.Kernels, Runtime: opt.Runtime, Decisions: opt.Then}); err != nil {
		return nil, err
	}
	return c.Result(), nil
}

// runOnce makes one rewrite, whatever is to follow it.
func runOnce(prog *analysis.Program, opt Options) (*Result, error) {
	opt = opt.WithDefaults()
	if rewriter(opt.Rewriter) == nil {
		return nil, noRewriter(opt.Rewriter)
	}
	parsed, kernels := prog.Parsed, prog.Kernels()
	r := newRun(prog, opt)
	res := &Result{}
	var groups [][]*analysis.Kernel
	for _, g := range r.groups(kernels) {
		left := slices.IndexFunc(g, func(k *analysis.Kernel) bool { return !Matches(opt.Kernels, k.Name) })
		if left < 0 {
			groups = append(groups, g)
			continue
		}
		for _, k := range g {
			if Matches(opt.Kernels, k.Name) {
				why := diag.Message{Pos: kit.Position(k), Code: CodeMacro, Text: "a macro makes it together with kernel " + g[left].Name + ", which is not asked for"}
				res.Kernels = append(res.Kernels, KernelResult{Name: k.Name, Pos: kit.Position(k), Refused: []diag.Message{why}})
			}
		}
	}
	planned, err := r.rewriteAll(groups)
	if err != nil {
		return nil, err
	}
	edits := planned.edits
	res.Kernels = slices.Concat(res.Kernels, planned.results, lost(parsed, opt))
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

// planned holds what all kernels of a run come to.
type planned struct {
	applied []applied
	edits   map[*parser.File]*edit.Buffer
	results []KernelResult
}

// applied is the proof for a kernel with the edits that follow from it.
type applied struct {
	Proof
	*kit.Edits
}

// rewriteAll decides on all groups of kernels. Where two need a device function in
// two forms that can't stand beside each other, no turns are taken inside of it.
func (r *run) rewriteAll(groups [][]*analysis.Kernel) (*planned, error) {
	closed := map[*ir.Func]bool{}
	for {
		p := &planned{edits: map[*parser.File]*edit.Buffer{}}
		for _, group := range groups {
			opt, aside, err := r.decided(group)
			if err != nil {
				return nil, err
			}
			if aside != nil {
				p.results = append(p.results, aside...)
				continue
			}
			opt.Closed = closed
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
		for f, b := range own.Edits.Files {
			kit.BufferOf(p.edits, f).Append(b.Edits())
		}
	}
	for f, b := range g.launches {
		kit.BufferOf(p.edits, f).Append(b.Edits())
	}
}

// newRun prepares a run over an analysed program.
func newRun(prog *analysis.Program, opt Options) *run {
	return &run{Sources: kit.NewSources(prog), opt: opt}
}

// related parts kernels of one name into groups whose files have to do with
// each other: a launch may mean any kernel of a group.
func (r *run) related(ks []*analysis.Kernel) [][]*analysis.Kernel {
	var groups [][]*analysis.Kernel
	for _, k := range ks {
		placed := false
		for i, g := range groups {
			for _, o := range g {
				if r.Prog.Related(k.File, o.File) {
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

// lost reports the kernels that the parser saw a __global__ of and could not make a function of.
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
