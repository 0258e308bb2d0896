// Package selection ranks the legal rewrites of a kernel by what a model expects of
// them on given GPUs, and returns which one to apply, or why none.
//
// A kernel is looked at in every place where it runs: each GPU, and each form in
// which it is launched. There the resources of the original and of a rewrite
// (package nvcc, or an estimate) give thread blocks per SM (model/occupancy);
// the work of a thread block (analysis/cost) and those give cycles per
// original thread block (model/sim). The ratio of the two times is the
// prediction, and the rule in Decide makes a decision of all of them.
//
// What counts is the order of the rewrites. A ratio is what the model expects of
// a simple machine, not a measurement; docs/use/choice.md lists what it leaves out.
// Everything here is computed from its input, except for what a Source asks a
// compiler.
package selection

import (
	"fmt"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
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
	// Analysis guards the analysis of the kernels where a Source asks it, too; nil where
	// none does.
	Analysis sync.Locker
	// Clock gives the time of the work; nil for the simulation of model/sim.
	Clock Clock

	// Rewrites has the texts of the groups that are ranked one after the other; nil where
	// each is rewritten alone.
	Rewrites *Rewrites

	untimed bool          // see Limits
	group   rewrite.Group // that is ranked: what its kernels leave once smux has changed their footprint
}

// Variant is a rewriter with its knobs set.
type Variant = rewrite.Variant

// legal returns the variants that the offers allow, in the offers' order: the
// simpler first. Those that neither merge blocks nor change their shared bytes count as
// forms of the original, or not at all. A kernel whose footprint smux has changed is
// finished: another choice on top of it would make a hook change the file once more.
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
