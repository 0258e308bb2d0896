package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// merger writes a merged kernel from its proof.
type merger struct {
	*mergeProof
	kit.Emitter

	clones map[*formProof]*kit.Clone // the forms of device functions
	calls  []kit.CallSite
	copied []copied // what the proof has copies of, with the names of all sets

	vtb       string // name of the v-TB object in the kernel
	turn      string // name of the turn counter
	step      string // and of that of the steps of vtb-pipe
	turnGuard string // name of the parameter that tells a cut function whose turn it is
	grid      string // name of the extra parameter
	// bytes is the name of a second one, which holds the bytes of one set of
	// dynamic shared memory; "" where there is one set.
	bytes string
}

func newMerger(p *mergeProof) *merger {
	return &merger{mergeProof: p, Emitter: kit.NewEmitter(p.Kernel), clones: map[*formProof]*kit.Clone{}}
}

// Apply writes the merged kernel.
func (p *mergeProof) Apply() *kit.Edits {
	w := newMerger(p)
	w.chooseNames()
	w.signature()
	w.prologue()
	w.emitCopies()
	w.rewrite(p.changes, "")
	w.emitTurns()
	w.emitGroups()
	out := &kit.Edits{Files: w.Edits, Calls: w.calls}
	for _, f := range p.needed {
		out.Clones = append(out.Clones, w.cloneOf(f))
	}
	return out
}

// chooseNames picks names that nothing in the kernel uses.
func (p *merger) chooseNames() {
	p.vtb = p.Fresh("vtb")
	p.turn = p.Fresh("turn")
	p.turnGuard = p.Fresh("mine")
	p.grid = "smux_grid"
	if !p.followed() {
		p.grid += "_" + p.Axis()
	}
	p.grid = p.Fresh(p.grid)
	if p.dynamicSets() > 1 {
		p.bytes = p.Fresh("smux_shared")
	}
	if p.Rewriter == variant.VTBPipe {
		p.step = p.Fresh("step")
	}
}

// signature appends the original grid's extent to the kernel's parameters, and the bytes of a set of dynamic shared
// memory where there are several, and scales __launch_bounds__ or sets them.
func (p *merger) signature() {
	k := p.Kernel
	params := p.extentType() + " " + p.grid
	if p.bytes != "" {
		params += ", unsigned " + p.bytes
	}
	b := p.Buffer(k.File)
	insertParameter(b, k.File, k.View, params)
	if lb := k.View.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		p.launchBoundsIn(b, k.File, lb)
	}
	if c := p.cap; c != nil {
		b.Replace(c.At.Start, c.At.End, c.Text)
	}
}

// countsTrips reports whether a number of iterations, which may follow from the block's shape, is written into the kernel.
func (p *mergeProof) countsTrips() bool {
	return p.turnsInCalls() || slices.ContainsFunc(p.turns, func(t turn) bool {
		return t.first.Last != nil || slices.ContainsFunc(t.moves, func(m kit.LoadMove) bool { return m.Loop != nil })
	})
}

// extent is the extra parameter's value for the v-TB.
func (p *merger) extent() string {
	if p.followed() {
		return p.grid + "." + p.Axis()
	}
	return p.grid
}

// prologue declares the v-TB object at the top of the kernel and shadows the built-ins that the kernel uses.
func (p *merger) prologue() {
	k := p.Kernel
	lines := kit.Cuda(`
// smux $rewriter: this block runs blocks $n * blockIdx.$axis ... $n * blockIdx.$axis + $last of the original grid.
const $type $vtb($extent);
if (!$vtb.active) return;
`, kit.Values{
		"rewriter": p.Rewriter, "n": p.Factor, "last": p.Factor - 1, "axis": p.Axis(),
		"type": p.vtbType(), "vtb": p.vtb, "extent": p.extent(),
	})
	if p.persistent() {
		lines = kit.Cuda(`
// smux $rewriter: this block runs blocks $n * blockIdx.$axis ... $n * blockIdx.$axis + $last of the original grid,
// then those that are $n * gridDim.$axis further on.
$type $vtb($extent);
`, kit.Values{
			"rewriter": p.Rewriter, "n": p.Factor, "last": p.Factor - 1, "axis": p.Axis(),
			"type": p.persistentType(), "vtb": p.vtb, "extent": p.extent(),
		})
		if p.Sync == variant.SyncNamed {
			lines = append(lines, p.vtb+".start();")
		}
		lines = append(lines, "for (; "+p.vtb+".active; "+p.between()+p.vtb+".next()) {")
	}
	if p.Rewriter == variant.VTBPipe {
		lines = slices.Insert(lines, 1, "// In step s, block s works ahead of its region while block s - 1 takes its turn in its own.")
	}
	lines = append(lines, p.Assertions()...)
	if p.countsTrips() && !p.Opt.Unchecked && !p.fixed() && p.Shapes() != nil { // right for no other shape, merged or not
		lines = append(lines, strings.ReplaceAll(p.ShapeCheck(p.Shapes()), "blockDim", p.vtb+".dim"))
	}
	seen := kit.UsesOf(k, k.Func)
	seen.ThreadIdx = seen.ThreadIdx || p.persistent() && p.hidesThreads()
	lines = append(lines, kit.Shadows(seen, p.vtb)...)
	lines = append(lines, p.assumed.Lines()...)
	if p.Sync == variant.SyncNamed && len(p.regions) > 0 && p.startsAtOnce() && !p.persistent() {
		lines = append(lines, p.vtb+".start();")
	}
	p.AtTop(lines)
}
