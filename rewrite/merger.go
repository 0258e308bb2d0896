package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// merger writes a merged kernel from its proof. Where v-TBs take turns it goes on to
// prove while it writes, and is the proof that holds its edits already.
type merger struct {
	*mergeProof
	emitter

	clones []*clone // the forms of device functions
	calls  []callSite
	copied []copied // what the proof has copies of, with the names of all sets

	vtb       string // name of the v-TB object in the kernel
	turn      string // name of the turn counter
	turnGuard string // name of the parameter that tells a cut function whose turn it is
	grid      string // name of the extra parameter
	// bytes is the name of a second one, which holds the bytes of one set of
	// dynamic shared memory; "" where there is one set.
	bytes string

	// Of block mode:
	constants map[*ir.Stmt]bool      // see cutter.constant
	decides   map[*ir.Func]*deciding // see decidingIn
}

func newMerger(p *mergeProof) *merger {
	return &merger{mergeProof: p, emitter: newEmitter(p.Kernel)}
}

// write writes the merged kernel of a proof.
func (p *mergeProof) write() *merger {
	w := newMerger(p)
	w.begin()
	w.emitCopies()
	w.rewrite(p.changes, "")
	w.emitForms()
	w.emitTurns()
	return w
}

// Apply writes the merged kernel.
func (p *mergeProof) Apply() *Edits { return p.write().Apply() }

// Apply returns the edits that were made with the proof.
func (p *merger) Apply() *Edits { return &Edits{p.edits, p.clones, p.calls} }

func (p *merger) files() (out []*parser.File) {
	for f := range p.edits {
		out = append(out, f)
	}
	return out
}

func (p *merger) functions() (out []*ir.Func) {
	for _, c := range p.clones {
		out = append(out, c.fn)
	}
	return out
}

// begin picks names, and writes the kernel's signature and the top of its body.
func (p *merger) begin() {
	p.chooseNames()
	p.signature()
	p.prologue()
}

// chooseNames picks names that nothing in the kernel uses.
func (p *merger) chooseNames() {
	p.vtb = p.fresh("vtb")
	p.turn = p.fresh("turn")
	p.turnGuard = p.fresh("mine")
	p.grid = "smux_grid"
	if !p.followed() {
		p.grid += "_" + p.Axis()
	}
	p.grid = p.fresh(p.grid)
	if p.dynamicSets() > 1 {
		p.bytes = p.fresh("smux_shared")
	}
}

// signature appends the original grid's extent to the kernel's parameters, and
// the bytes of a set of dynamic shared memory where there are several, and scales
// __launch_bounds__ or sets them.
func (p *merger) signature() {
	k := p.Kernel
	if k.View.ParamList == nil {
		return // refused
	}
	params := p.extentType() + " " + p.grid
	if p.bytes != "" {
		params += ", unsigned " + p.bytes
	}
	b := p.buffer(k.File)
	insertParameter(b, k.File, k.View, params)
	if lb := k.View.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		p.launchBoundsIn(b, k.File, lb)
	}
	if c := p.cap; c != nil {
		b.Replace(c.at.Start, c.at.End, c.text)
	}
}

// extent is the extra parameter's value for the v-TB.
func (p *merger) extent() string {
	if p.followed() {
		return p.grid + "." + p.Axis()
	}
	return p.grid
}

// prologue declares the v-TB object at the top of the kernel and shadows the
// built-ins that the kernel uses.
func (p *merger) prologue() {
	k := p.Kernel
	lines := cuda(`
// smux $rewriter: this block runs blocks $n * blockIdx.$axis ... $n * blockIdx.$axis + $last of the original grid.
const $type $vtb($extent);
if (!$vtb.active) return;
`, values{
		"rewriter": p.Rewriter, "n": p.Factor, "last": p.Factor - 1, "axis": p.Axis(),
		"type": p.vtbType(), "vtb": p.vtb, "extent": p.extent(),
	})
	if p.Rewriter == "vtb-pipe" {
		lines = slices.Insert(lines, 1, "// In step s, block s works ahead of its region while block s - 1 has its turn in its own.")
	}
	lines = append(lines, assumptions(p.Kernel)...)
	lines = append(lines, shadows(usesOf(k, k.Func), p.vtb)...)
	lines = append(lines, p.assumed.lines()...)
	if p.Sync == "named" && len(p.regions) > 0 && p.startsAtOnce() {
		lines = append(lines, p.vtb+".start();")
	}
	p.atTop(lines)
}
