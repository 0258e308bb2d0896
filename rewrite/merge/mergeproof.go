package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// mergeProof holds what is proved of a kernel whose thread blocks are to be merged: what its
// v-TBs share and what each has for itself, which places of its text and of the device
// functions' that it calls must change for that, and what its launches must say.
type mergeProof struct {
	kit.Findings

	regions    []*analysis.Region            // in which v-TBs take turns
	homes      map[*ir.Stmt]*analysis.Region // the statements that regions are runs of, see regionOf
	privatized []*analysis.Shared            // of which each v-TB has one of its own, so that no region is for them
	folds                                    // barriers that taking turns makes needless
	outer      bool                          // in named mode: there are barriers outside of regions

	// multiple is the number of which the block size of a launch must be a multiple to be merged,
	// 1 where it is proved or does not matter.
	multiple int
	// shape is the block's where all launches agree on it; zero where not, or where several sets of dynamic shared
	// memory may not fit: launches are merged where that can be then (trylaunch.go).
	shape   [3]int
	assumed kit.AssumedShape // the text that tells the compiler of it
	cap     *kit.RegisterCap // launch bounds that merged blocks need, nil for none

	copies   []copied   // shared variables of which there are several sets
	pointers []*ir.Expr // uses of single shared variables that stand for one of several
	changes  []bodyChange
	forms    map[kit.Form]*formProof // of device functions, nil for one that can stay as it is
	needed   []*formProof            // those that can't, callers before callees
	turns    []turn
	// first and last are the statements of the kernel's outermost list between which
	// turns are handed over in a ring, nil in the other sync modes.
	first, last *ir.Stmt

	// Of vtb-pipe: barriers that those of the steps come in place of, and loops after which one of them comes back.
	dropped, returning []*ir.Stmt

	// coarse says that a launched block has the threads of one, which do the work of N in turn: only the grid
	// changes, and the extra parameter.
	coarse bool

	mentions  map[*ir.Func]*mentionsIn // see namesIn
	constants map[*ir.Stmt]bool        // see cutter.constant
	decides   map[*ir.Func]*deciding   // see decidingIn
}

// newMergeProof begins the proof of a rewriter that merges thread blocks.
func newMergeProof(k *analysis.Kernel, rewriter string, opt kit.Options) *mergeProof {
	return &mergeProof{Findings: kit.NewFindings(k, rewriter, opt), multiple: 1, forms: map[kit.Form]*formProof{}}
}

func (p *mergeProof) merged() *mergeProof { return p }

// MergedBy returns a proof's statement on merged thread blocks, nil where it merges none.
func MergedBy(p kit.Proof) *mergeProof {
	if m, ok := p.(interface{ merged() *mergeProof }); ok {
		return m.merged()
	}
	return nil
}

func (p *mergeProof) Functions() []*ir.Func {
	return lists.Map(p.needed, func(f *formProof) *ir.Func { return f.Fn })
}

// String shows the blocks that are merged, what each has for itself, and the changes.
func (p *mergeProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n\t"+format, args...) }
	switch {
	case p.fixed():
		line("blocks of %s threads", analysis.ShapeText(p.shape))
	case p.multiple > 1:
		line("blocks that fit, of a multiple of %d threads", p.multiple)
	default:
		line("blocks that fit")
	}
	for _, c := range p.copies {
		line("%d of %s", p.sets(c.shared), c.v.Name)
	}
	for _, t := range p.turns {
		line("%s", t.Describe(p.Kernel.File))
	}
	for _, s := range p.dropped {
		line("no barrier at %s", p.At(s.Range.Start))
	}
	for _, s := range p.returning {
		line("barrier after the loop at %s", p.At(s.Range.Start))
	}
	for _, c := range p.changes {
		line("%s", c)
	}
	for _, f := range p.needed {
		line("in %s:", f.Fn.View.Name)
		if f.cut != nil {
			b.WriteString(strings.TrimPrefix(f.cut.Describe(), ","))
		}
		for _, c := range f.changes {
			fmt.Fprintf(&b, " %s", c)
		}
	}
	return b.String()
}

// perVTBBarriers reports whether v-TBs have barriers of their own.
func (p *mergeProof) perVTBBarriers() bool {
	return p.Sync == variant.SyncNamed || p.Sync == variant.SyncLock
}

// independent reports whether v-TBs have barriers of their own and no regions, in
// which they would have to take turns.
func (p *mergeProof) independent() bool { return p.perVTBBarriers() && len(p.regions) == 0 }

// numbered reports whether the numbers of barriers are in registers.
func (p *mergeProof) numbered() bool {
	return p.Numbered && p.Sync == variant.SyncNamed && !p.independent()
}

// barriers counts the named barriers that the v-TBs take.
func (p *mergeProof) barriers() int {
	switch {
	case !p.perVTBBarriers():
		return 0
	case p.Sync == variant.SyncNamed && !p.independent() && p.outer:
		return 2 * p.Factor
	case p.Sync == variant.SyncNamed && !p.independent():
		return p.Factor + 1
	}
	return p.Factor
}

// vtbType is the type of the v-TB object.
func (p *mergeProof) vtbType() string {
	name, knobs := "vtb", []int{p.Factor}
	switch {
	case p.independent():
		name = "vtb_apart"
	case p.numbered() && p.outer:
		name, knobs = "vtb_numbered", []int{p.Factor, p.Factor}
	case p.numbered():
		name, knobs = "vtb_numbered", []int{1, p.Factor}
	case p.Sync == variant.SyncNamed && p.outer:
		name = "vtb_named_own"
	case p.Sync == variant.SyncNamed:
		name = "vtb_named"
	case p.Sync == variant.SyncLock:
		name = "vtb_lock"
		if p.SharedSets > 1 || p.shape[0] > 0 || p.GridAxis != "" {
			knobs = append(knobs, p.SharedSets)
		}
	}
	if p.GridAxis != "" { // the last argument, after a shape in full
		return "smux::" + name + templateArguments(append(knobs, p.shape[0], max(1, p.shape[1]), max(1, p.shape[2])), along(p.Variant))
	}
	return "smux::" + name + templateArguments(append(knobs, shapeArguments(p.shape)...))
}

// templateArguments is <2, 64>, with more after the numbers where there is any.
func templateArguments(args []int, more ...string) string {
	text := lists.Map(args, strconv.Itoa)
	return "<" + strings.Join(append(text, more...), ", ") + ">"
}

// shapeArguments are the extents of a block shape without trailing ones; none of a shape that is not known.
func shapeArguments(shape [3]int) []int {
	n := 3
	for n > 0 && shape[n-1] <= 1 && !(n == 1 && shape[0] == 1) {
		n--
	}
	return shape[:n]
}

// along is the axis as a template argument.
func along(w kit.Variant) string { return "'" + w.Axis() + "'" }

// Runtime are the parts that a merged kernel uses.
func (p *mergeProof) Runtime() []runtime.Part {
	parts := []runtime.Part{runtime.Base}
	if !p.fixed() {
		parts = append(parts, runtime.Limit, runtime.Try)
	}
	if p.dynamicSets() > 1 {
		parts = append(parts, runtime.Sets)
	}
	if slices.ContainsFunc(p.Kernel.Launches, func(l *analysis.Launch) bool { return l.View.Call != "" }) {
		parts = append(parts, runtime.Calls)
	}
	if p.Pin && p.perVTBBarriers() && slices.ContainsFunc(p.turns, turn.pins) {
		parts = append(parts, runtime.Pins)
	}
	if p.persistent() {
		parts = append(parts, runtime.Persistent)
	}
	switch {
	case p.independent():
		parts = append(parts, runtime.Own, runtime.Apart)
	case p.numbered():
		parts = append(parts, runtime.Numbered)
	case p.Sync == variant.SyncNamed:
		parts = append(parts, runtime.Own, runtime.Named)
	case p.Sync == variant.SyncLock:
		parts = append(parts, runtime.Own, runtime.Lock)
	}
	return parts
}
