// Package selection ranks the legal rewrites of a kernel by what a model expects of
// them on given GPUs, and returns which one to apply, or why none.
//
// A kernel is looked at in every place where it runs: each GPU, and each form in which it is launched. There the
// resources of the original and of a rewrite (package nvcc, or an estimate) give thread blocks per SM
// (model/occupancy); the work of a thread block (analysis/cost) and those give cycles per original thread block
// (model/sim). The ratio of the two times is the prediction, and the rule in Decide makes a decision of all of them.
//
// The order of the rewrites counts. A ratio is what the model expects of a simple machine, not a measurement;
// docs/use/choice.md lists what it leaves out. Everything here is computed from its input, except for what a Source
// asks a compiler.
package selection

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Request holds for which GPUs to choose, and how sure a gain must be.
type Request struct {
	GPUs    []*gpu.GPU
	MinGain float64          // percent; less than that changes nothing
	Source  Source           // of registers and shared bytes
	Profile []profile.Kernel // what was measured of kernels
	// Corrections say how far predictions were off on these GPUs, and correct them.
	Corrections []profile.Correction
	// Plain leaves off the knobs that make turns shorter where none was asked for.
	Plain bool
	// Check tells what is against a variant that was not offered: co-vtb with a number of
	// private rows that is chosen here, or a knob. nil allows all.
	Check func(rewrite.Group, Variant) error
	// Analysis guards the analysis of the kernels where a Source asks it, too; nil where none does.
	Analysis sync.Locker
	// Clock gives the time of the work; nil for the simulation of model/sim.
	Clock Clock

	// Rewrites has the texts of the groups that are ranked one after the other; nil where each is rewritten alone.
	Rewrites *Rewrites

	untimed bool          // see Limits
	group   rewrite.Group // that is ranked: what its kernels leave once smux has changed their footprint
}

// Variant is a rewriter with its knobs set.
type Variant = rewrite.Variant

// legal returns the variants that the offers allow, in the offers' order: the simpler first. Those that neither merge
// blocks nor change their shared bytes count as forms of the original, or not at all. A kernel whose footprint smux
// has changed is finished: another choice on top of it would make a hook change the file once more.
func legal(offers []rewrite.CheckedVariant) []Variant {
	var out []Variant
	finished := func(o rewrite.CheckedVariant) bool {
		already := func(m diag.Message) bool { return m.Code == rewrite.CodeAlready }
		return o.Resizes() && slices.ContainsFunc(o.Refused, already)
	}
	if slices.ContainsFunc(offers, finished) {
		return nil
	}
	for _, o := range offers {
		if o.Can && (o.Merges() || o.Resizes() || originalForm(o.Variant)) {
			out = append(out, o.Variant)
		}
	}
	return out
}

// Place names where a kernel runs: a GPU, and one form in which it is launched.
type Place struct {
	GPU      *gpu.GPU
	Kernel   *analysis.Kernel
	Instance *analysis.Instance
	Work     *workload.Kernel // of one thread block of the original
	Ahead    int              // words per thread that a rewrite loads ahead of a region
	Rows     *Rows            // that co-vtb may split; nil for none

	forms map[Variant]formed // by what merges nothing and changes shared bytes, once that was looked at
	moved cost.Moved         // out of regions, by the variant that is judged here
	lines []cost.Line        // of the original, by a compiler
}

func (p Place) name() string {
	if p.Kernel == nil {
		return ""
	}
	return p.Kernel.Name
}

// block returns the shape of the block that is launched, as text.
func (p Place) block() string {
	if p.Instance == nil {
		return fmt.Sprint(p.Work.Threads)
	}
	return p.Instance.String()
}

// mostInstances is the number of forms of launch of a kernel that are looked at: the first
// ones in the text. A template launched in dozens of forms would take seconds.
const mostInstances = 4

// Group ranks the legal rewrites of a group of kernels, which get one of them
// together. A kernel that several launches reach is looked at for each of them.
func Group(g rewrite.Group, req Request) (r *Report) {
	defer func() {
		if v := recover(); v != nil {
			r = unranked(req, diag.Panicked(v)) // other kernels are none the worse for it
		}
	}()
	places, skipped := placesOfAll(g.Kernels, req)
	req.group = g
	var check func(Variant) error
	if req.Check != nil {
		check = func(w Variant) error { return req.Check(g, w) }
	}
	r = study(places, legal(g.Variants), req, check)
	for _, err := range skipped {
		if len(places) == 0 {
			r.Unranked = err.Error()
			break
		}
		r.assume("a launch was not looked at: " + err.Error())
	}
	return r
}

// Limits reports how kernels stand as they are, in each place where they run. Nothing is timed, and their work is not counted.
func Limits(kernels []*analysis.Kernel, req Request) (r *Report) {
	req.untimed, req.Clock = true, func(Place, sim.Policy) (float64, error) { return 1, nil }
	return Group(rewrite.Group{Kernels: kernels}, req)
}

// placesOfAll returns the places where kernels run; the errors tell why launches are missing.
func placesOfAll(kernels []*analysis.Kernel, req Request) (places []Place, skipped []error) {
	for _, k := range kernels {
		ps, errs := placesOf(k, req)
		places = append(places, ps...)
		skipped = append(skipped, errs...)
	}
	return places, skipped
}

// placesOf returns the places where a kernel runs; the errors tell why launches are missing.
func placesOf(k *analysis.Kernel, req Request) (places []Place, skipped []error) {
	n := 0
	rows := rowsOf(k)
	for _, in := range usual.Counted(k) {
		if n == mostInstances {
			skipped = append(skipped, fmt.Errorf("only the first %d ways of launching the kernel count", n))
			break
		}
		err := knownLaunch(k, in)
		var work *workload.Kernel
		switch shape, _ := in.BlockShape(); {
		case err != nil:
		case req.untimed:
			work = &workload.Kernel{Threads: shape[0] * shape[1] * shape[2]}
		default:
			work, err = workOf(k, in, nil, cost.Moved{})
		}
		if err != nil {
			skipped = append(skipped, err)
			continue
		}
		for _, g := range req.GPUs {
			places = append(places, Place{GPU: g, Kernel: k, Instance: in, Work: work, Ahead: cost.Hoisted(k), Rows: rows})
		}
		n++
	}
	return places, skipped
}

// knownLaunch checks that the launch gives the size of a block.
func knownLaunch(k *analysis.Kernel, in *analysis.Instance) error {
	if _, ok := in.BlockShape(); !ok {
		return fmt.Errorf("the block size is not known (--block gives it)")
	}
	if _, exact := launches.SharedBytes(k, in); !exact {
		for _, s := range k.Shared {
			if _, known := launches.SharedBytesOf(k, in, s); !known && !s.Dynamic && s.Elem == 0 {
				return fmt.Errorf("the bytes of its shared memory are not known: the type %s of %s is not known (--smem, or shared in .smux.yaml, gives them)", s.Type, s.Name)
			}
		}
		return fmt.Errorf("the bytes of its shared memory are not known: the launch computes them, or the type of a template decides (--smem, or shared in .smux.yaml, gives them)")
	}
	return nil
}

// errUnmerged excludes rewrites that merge no thread blocks. They change what the
// compiler makes of the kernel, of which the model has no notion.
var errUnmerged = errors.New("it merges no thread blocks: the model sees no difference, only a measurement does")

// policy returns the simulation's name of a variant in a place: rewriters and policies share their names. What a
// compiler makes of Stage, Assume and Merge it does not see. The error is errUnmerged, or that of a rewriter that the
// simulation does not know.
func (p Place) policy(w Variant) (sim.Policy, error) {
	if w.Factor == 0 || !w.Merges() {
		return sim.Policy{}, errUnmerged
	}
	text := fmt.Sprintf("%s:%s:N=%d", w.Rewriter, w.Sync, w.Factor)
	if w.SharedSets > 0 {
		text += fmt.Sprintf(":M=%d", w.SharedSets)
	}
	policy, err := sim.ParsePolicy(text)
	if err != nil {
		return policy, fmt.Errorf("the model does not know it")
	}
	if policy.Kind == sim.CoVTB && w.PrivateRows > 0 && p.Rows != nil {
		policy.Private = min(1, float64(w.PrivateRows)/float64(p.Rows.Rows))
		policy.Shared = p.Rows.split(w) + lockBytes(w)
		policy.Joint = !p.Rows.definesApart(w.PrivateRows)
	}
	policy.Pinned, policy.Computed, policy.Numbered = w.Pin, w.Compute, w.Numbered
	policy.Persistent = w.Persistent && w.Sync != variant.SyncBlock
	return policy, nil
}

// placing returns where and under which policy a variant is placed on an SM: as the original where it merges nothing.
func (p Place) placing(w Variant) (Place, sim.Policy, error) {
	p, policy, err := p.as(w)
	if errors.Is(err, errUnmerged) {
		return p, sim.Policy{}, nil
	}
	return p, policy, err
}

// lockBytes returns the shared bytes of the lock of a launched block.
func lockBytes(w Variant) int {
	if w.Sync != variant.SyncLock {
		return 0
	}
	return 4 * (1 + w.Factor)
}
