package rewrite

import (
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Plan is what the check of a rewriter that merges thread blocks proved and decided
// for one kernel: the edits of the kernel itself, the forms of device functions that it
// needs, and what its launches must say.
type Plan struct {
	findings
	emitter

	regions    []*analysis.Region            // in which v-TBs take turns
	homes      map[*ir.Stmt]*analysis.Region // the statements that regions are runs of, see regionOf
	privatized []*analysis.Shared            // of which each v-TB has one of its own, so that no region is for them
	folds                                    // barriers that taking turns makes needless
	outer      bool                          // in named mode: there are barriers outside of regions

	clones []*clone
	// multiple is what the block size of a launch must be a multiple of to be merged,
	// 1 where it is proved or does not matter.
	multiple int
	// shape is the block's where all launches agree on it; zero where not, or where
	// several sets of dynamic shared memory may not fit: launches are merged where that
	// can be then (trylaunch.go).
	shape [3]int

	vtb       string // name of the v-TB object in the kernel
	turn      string // name of the turn counter
	turnGuard string // name of the parameter that tells a cut function whose turn it is
	grid      string // name of the extra parameter
	// bytes is the name of a second one, which holds the bytes of one set of
	// dynamic shared memory; "" where there is one set.
	bytes string

	forms     map[form]*clone
	calls     []callSite
	decides   map[*ir.Func]*deciding   // see decidingIn
	named     map[*ir.Func]*mentionsIn // see namesIn
	constants map[*ir.Stmt]bool        // see cutter.constant
	copied    []copied                 // shared variables of which there are several sets
	assumed   []string                 // lines that tell the compiler the block shape
}

// newPlan starts the plan of a rewriter for a kernel.
func newPlan(k *analysis.Kernel, name string, opt Options) *Plan {
	return &Plan{findings: newFindings(k, name, opt), emitter: newEmitter(k), multiple: 1, forms: map[form]*clone{}}
}

func (p *Plan) merged() *Plan { return p }

// Apply returns the edits that were made with the proof.
func (p *Plan) Apply() *Edits { return &Edits{p.edits, p.clones, p.calls} }

func (p *Plan) files() (out []*parser.File) {
	for f := range p.edits {
		out = append(out, f)
	}
	return out
}

func (p *Plan) String() string { return p.title() }

// chooseNames picks names that nothing in the kernel uses.
func (p *Plan) chooseNames() {
	p.vtb = p.fresh("vtb")
	p.turn = p.fresh("turn")
	p.turnGuard = p.fresh("mine")
	p.grid = "smux_grid"
	if !p.followed() {
		p.grid += "_" + p.gridAxis()
	}
	p.grid = p.fresh(p.grid)
	if p.dynamicSets() > 1 {
		p.bytes = p.fresh("smux_shared")
	}
}

// perVTBBarriers reports whether v-TBs have barriers of their own.
func (p *Plan) perVTBBarriers() bool { return p.Sync == "named" || p.Sync == "lock" }

// independent reports whether v-TBs have barriers of their own and no regions, in
// which they would have to take turns.
func (p *Plan) independent() bool { return p.perVTBBarriers() && len(p.regions) == 0 }

// barriers is how many named barriers the v-TBs take.
func (p *Plan) barriers() int {
	switch {
	case !p.perVTBBarriers():
		return 0
	case p.Sync == "named" && !p.independent() && p.outer:
		return 2 * p.Factor
	case p.Sync == "named" && !p.independent():
		return p.Factor + 1
	}
	return p.Factor
}

// vtbType is the type of the v-TB object.
func (p *Plan) vtbType() string {
	name, knobs := "vtb", []int{p.Factor}
	switch {
	case p.independent():
		name = "vtb_apart"
	case p.Sync == "named" && p.outer:
		name = "vtb_named_own"
	case p.Sync == "named":
		name = "vtb_named"
	case p.Sync == "lock":
		name = "vtb_lock"
		if p.SharedSets > 1 || p.shape[0] > 0 || p.GridAxis != "" {
			knobs = append(knobs, p.SharedSets)
		}
	}
	if p.GridAxis != "" { // the last argument, behind a shape in full
		return "smux::" + name + templateArguments(append(knobs, p.shape[0], max(1, p.shape[1]), max(1, p.shape[2])), p.along())
	}
	return "smux::" + name + templateArguments(append(knobs, shapeArguments(p.shape)...))
}

// templateArguments is <2, 64>, with more behind the numbers where there is any.
func templateArguments(args []int, more ...string) string {
	text := make([]string, len(args))
	for i, a := range args {
		text[i] = strconv.Itoa(a)
	}
	return "<" + strings.Join(append(text, more...), ", ") + ">"
}

// shapeArguments are the extents of a block shape without trailing ones; none of
// a shape that is not known.
func shapeArguments(shape [3]int) []int {
	n := 3
	for n > 0 && shape[n-1] <= 1 && !(n == 1 && shape[0] == 1) {
		n--
	}
	return shape[:n]
}

// gridAxis is the dimension of the grid along which blocks are merged.
func (w Variant) gridAxis() string {
	if w.GridAxis == "" {
		return "x"
	}
	return w.GridAxis
}

// along is the axis as a template argument.
func (w Variant) along() string { return "'" + w.gridAxis() + "'" }

// runtime are the parts that a merged kernel uses.
func (p *Plan) runtime() []runtimePart {
	parts := []runtimePart{partBase}
	if !p.fixed() {
		parts = append(parts, partTry)
	}
	if p.dynamicSets() > 1 {
		parts = append(parts, partSets)
	}
	switch {
	case p.independent():
		parts = append(parts, partOwn, partApart)
	case p.Sync == "named":
		parts = append(parts, partOwn, partNamed)
	case p.Sync == "lock":
		parts = append(parts, partOwn, partLock)
	}
	return parts
}
