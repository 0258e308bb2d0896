package rewrite

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
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
				p := proof.found()
				variant := opt.Variant
				// The rewriter's choices, where they were left to it.
				variant.PrivateRows, variant.Rounds = p.PrivateRows, p.Rounds
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
	return distinct(slices.Concat(a, b))
}

// groupProof is the proof for the launches of a group's kernels, by their names.
type groupProof []*launchProof

func (g groupProof) all() (out []Proof) {
	for _, l := range g {
		out = append(out, l.proofs...)
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
func (r *run) tryName(group []*analysis.Kernel, opt Options) (*launchProof, [][]diag.Message, bool) {
	l := &launchProof{run: r, name: group[0].Name}
	reasons := make([][]diag.Message, len(group))
	ok := true
	rw := rewriter(opt.Rewriter)
	for i, k := range group {
		p, why := checked(rw, k, opt)
		switch {
		case len(why) == 0:
			why = append(r.outOfReach(p), p.found().uncheckable()...)
			l.proofs = append(l.proofs, p)
		case onlyNoShared(why) && p != nil:
			l.proofs = append(l.proofs, p)
		}
		reasons[i], ok = why, ok && len(why) == 0
	}
	if len(l.proofs) == len(group) && !slices.ContainsFunc(reasons, func(why []diag.Message) bool { return !onlyNoShared(why) }) {
		l.checkGuarded()
		for i := range group {
			reasons[i] = append(reasons[i], l.beside()...)
		}
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
	needsLaunches := func(p Proof) bool {
		f := p.found()
		return f.closed || f.slotWords > 0 || f.needsMore() && f.cooperative()
	}
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

// onlyNoShared reports whether a kernel is left alone because there is nothing to multiplex.
func onlyNoShared(why []diag.Message) bool { return len(why) == 1 && why[0].Code == CodeNoShared }

// beside are the reasons of launches that a kernel has which could not be merged anyway: whoever asks for
// another rewriter, because this one finds no shared memory, should know of them.
func (l *launchProof) beside() (out []diag.Message) {
	for _, m := range l.reasons {
		if m.Code == CodeLaunchCall || m.Code == CodeKernelAddress {
			out = append(out, m)
		}
	}
	return out
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
func (l *launchProof) checkGuarded() {
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
	launches map[*parser.File]*edit.Buffer
}

// applyGuarded makes the edits of a group. A defect, which is never a property of the
// input, keeps the rewriter from these kernels alone.
func (proofs groupProof) applyGuarded() (g *appliedGroup, reasons [][]diag.Message) {
	defer func() {
		if v := recover(); v != nil {
			g, reasons = nil, nil
			for _, p := range proofs.all() {
				reasons = append(reasons, defect(p.found().Kernel, v))
			}
		}
	}()
	g = &appliedGroup{launches: map[*parser.File]*edit.Buffer{}}
	for _, l := range proofs {
		for _, p := range l.proofs {
			g.kernels = append(g.kernels, applied{p, p.Apply()})
		}
		for f, b := range l.apply() {
			bufferOf(g.launches, f).Append(b.Edits())
		}
	}
	return g, nil
}

// defect is the reason against a kernel that a panic is.
func defect(k *analysis.Kernel, panicked any) []diag.Message {
	return []diag.Message{{Pos: position(k), Code: analysis.CodeInternal, Text: diag.Panicked(panicked)}}
}
