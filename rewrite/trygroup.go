package rewrite

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
)

// choose rewrites a group of kernels as opt says, in the first sync mode that every
// one of them and all their launches allow.
func (r *run) choose(group []*analysis.Kernel, opt Options) (*appliedGroup, []KernelResult) {
	syncs := rewriter(opt.Rewriter).Syncs
	if opt.Sync != "" {
		syncs = []string{opt.Sync}
	}
	refused := make([][]diag.Message, len(group))
	for _, sync := range syncs {
		opt.Sync = sync
		proofs, reasons, ok := r.try(group, opt)
		if !ok && proofs != nil {
			// It fails at its launches, whatever the sync mode.
			for i := range group {
				refused[i] = reasons[i]
			}
			break
		}
		var g *appliedGroup
		if ok {
			g, reasons = proofs.applyGuarded()
		}
		if g != nil {
			results := make([]KernelResult, len(group))
			for i, proof := range proofs.all() {
				p := proof.Found()
				variant := opt.Variant
				// The rewriter's choices, where they were left to it.
				variant.PrivateRows, variant.Rounds, variant.Extents = p.PrivateRows, p.Rounds, p.Extents
				results[i] = KernelResult{Name: p.Kernel.Name, Pos: kit.Position(p.Kernel), Variant: variant, Notes: append(r.why(p.Kernel), p.Notes...)}
			}
			return g, results
		}
		for i := range group {
			refused[i] = mergeReasons(refused[i], reasons[i])
		}
	}
	results := make([]KernelResult, len(group))
	for i, k := range group {
		results[i] = KernelResult{Name: k.Name, Pos: kit.Position(k), Refused: refused[i]}
	}
	return nil, results
}

// groupProof is the proof for the launches of a group's kernels, by their names.
type groupProof []*merge.LaunchProof

func (g groupProof) all() (out []Proof) {
	for _, l := range g {
		out = append(out, l.Proofs...)
	}
	return out
}

// try checks a group of kernels for the one variant that opt says: no edit is made. The
// proof for launches comes back where it is these that can't follow, too.
func (r *run) try(group []*analysis.Kernel, opt Options) (groupProof, [][]diag.Message, bool) {
	proofs, reasons, ok := r.tryWrittenOut(group, opt)
	if !ok {
		others(group, reasons)
		return proofs, reasons, false
	}
	if against, can := r.backInMacros(group, opt); !can {
		return nil, against, false
	}
	return proofs, reasons, true
}

// tryWrittenOut is try, whatever it is that macros make.
func (r *run) tryWrittenOut(group []*analysis.Kernel, opt Options) (groupProof, [][]diag.Message, bool) {
	if steps := opt.Steps(); len(steps) > 1 {
		reasons, ok := r.trySteps(group, opt, steps)
		return nil, reasons, ok
	}
	var proofs groupProof
	var reasons [][]diag.Message
	can, launches := true, false
	for _, named := range sameNamed(group) {
		l, why, ok := r.tryName(named, opt)
		can, launches = can && ok, launches || !ok && l != nil
		if reasons = append(reasons, why...); l != nil {
			proofs = append(proofs, l)
		}
	}
	if !can && !launches {
		return nil, reasons, false
	}
	return proofs, reasons, can
}

// tryName is try for kernels of one name and a variant of one step.
func (r *run) tryName(group []*analysis.Kernel, opt Options) (*merge.LaunchProof, [][]diag.Message, bool) {
	l := &merge.LaunchProof{Sources: r.Sources, Name: group[0].Name}
	reasons := make([][]diag.Message, len(group))
	ok := true
	rw := rewriter(opt.Rewriter)
	if rw == nil {
		for i, k := range group {
			reasons[i] = []diag.Message{{Pos: kit.Position(k), Code: analysis.CodeInternal, Text: noRewriter(opt.Rewriter).Error()}}
		}
		return nil, reasons, false
	}
	for i, k := range group {
		p, why := rw.Prove(k, opt)
		switch {
		case len(why) == 0:
			why = append(r.outOfReach(p), p.Found().Uncheckable()...)
			l.Proofs = append(l.Proofs, p)
		case onlyNoShared(why) && p != nil:
			l.Proofs = append(l.Proofs, p)
		}
		reasons[i], ok = why, ok && len(why) == 0
	}
	if len(l.Proofs) == len(group) && !slices.ContainsFunc(reasons, func(why []diag.Message) bool { return !onlyNoShared(why) }) {
		l.CheckGuarded()
		for i := range group {
			reasons[i] = append(reasons[i], l.Beside()...)
		}
	}
	if !ok {
		// A kernel that could be rewritten alone is held back by its namesakes.
		for i, k := range group {
			if len(reasons[i]) == 0 {
				reasons[i] = []diag.Message{{Pos: kit.Position(k), Code: kit.CodeOverload, Text: "another kernel of this name can't be rewritten, and a launch may mean either"}}
			}
		}
		return nil, reasons, false
	}
	needsLaunches := func(p Proof) bool {
		f := p.Found()
		return f.Closed || f.SlotWords > 0 || f.NeedsMore() && f.Cooperative()
	}
	if !rw.InPlace || rw.Closed || slices.ContainsFunc(l.Proofs, needsLaunches) {
		l.CheckGuarded()
	}
	if len(l.Reasons) > 0 {
		for i := range group {
			reasons[i] = l.Reasons
		}
		return l, reasons, false
	}
	return l, reasons, true
}

// onlyNoShared reports whether a kernel is left alone because there is nothing to multiplex.
func onlyNoShared(why []diag.Message) bool { return len(why) == 1 && why[0].Code == CodeNoShared }

// outOfReach says which files must change for a proof that were not named for rewriting.
func (r *run) outOfReach(p Proof) (reasons []diag.Message) {
	k := p.Found().Kernel
	if !r.Editable[k.File] {
		reasons = append(reasons, diag.Message{Pos: k.File.Position(k.View.Start), Code: kit.CodeFile, Text: "the kernel is in a file that was not named for rewriting"})
	}
	files := p.Files()
	slices.SortFunc(files, func(a, b *parser.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range slices.Compact(files) {
		if !r.Editable[f] {
			reasons = append(reasons, diag.Message{Pos: kit.Position(k), Code: kit.CodeFile, Text: "it needs edits in " + f.Name})
		}
	}
	for _, fn := range p.Functions() {
		if !r.Editable[fn.File] {
			at := fn.File.Position(fn.View.Start)
			reasons = append(reasons, diag.Message{Pos: at, Code: kit.CodeFile, Text: "device function " + fn.View.Name + " must change, in a file that was not named for rewriting"})
		}
	}
	return reasons
}

// appliedGroup is all edits for a group of kernels: their own, and those of launches and declarations.
type appliedGroup struct {
	kernels  []applied
	launches map[*parser.File]*edit.Buffer
}

// applyGuarded makes the edits of a group. A defect, which is never a property of the
// input, keeps the rewriter from these kernels alone.
func (proofs groupProof) applyGuarded() (g *appliedGroup, reasons [][]diag.Message) {
	defer func() {
		if v := recover(); v != nil {
			g, reasons = nil, nil
			for _, p := range proofs.all() {
				reasons = append(reasons, kit.Defect(p.Found().Kernel, v))
			}
		}
	}()
	g = &appliedGroup{launches: map[*parser.File]*edit.Buffer{}}
	for _, l := range proofs {
		for _, p := range l.Proofs {
			g.kernels = append(g.kernels, applied{p, p.Apply()})
		}
		for f, b := range l.Apply() {
			kit.BufferOf(g.launches, f).Append(b.Edits())
		}
	}
	return g, nil
}

// mergeReasons joins what two sync modes have against a kernel: reasons that hold for both come first, and once.
func mergeReasons(a, b []diag.Message) []diag.Message {
	return lists.Distinct(slices.Concat(a, b))
}
