package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Group is kernels that are rewritten together and alike or not at all: those of one name in files that have to do
// with each other, since a launch may mean any of them. Most groups hold one kernel.
type Group struct {
	Kernels []*analysis.Kernel
	// Variants are those of the group, the preferred rewriter first, then the smaller factor, then the preferred sync
	// mode. Refused holds what any of the kernels has against it.
	Variants []CheckedVariant
}

// Groups says, for all kernels of a program, which are decided on together and what every rewriter with every value
// of its knobs would make of them. What opt gives of Variant, Factor, Sync and Slots restricts the offers; a factor
// that is given need not be one that a rewriter compares by itself.
func Groups(prog *analysis.Program, kernels []*analysis.Kernel, opt Options) []Group {
	r := newRun(prog, opt.WithDefaults())
	variants := Variants(opt)
	var out []Group
	for _, kernels := range r.groups(kernels) {
		g := Group{Kernels: kernels}
		g.Variants = slices.Grow(g.Variants, len(variants))
		for _, variant := range variants {
			_, reasons, ok := r.try(kernels, variant)
			o := variant.Checked(ok)
			if !ok {
				for _, why := range reasons {
					o.Refused = mergeReasons(o.Refused, why)
				}
			}
			g.Variants = append(g.Variants, o)
		}
		out = append(out, g)
	}
	return out
}

// Variants are the options of every rewriter with every value of its knobs, as far as opt leaves them open. A sync
// mode that is given leaves out rewriters which have none, unless opt names one of them; a factor does not.
func Variants(opt Options) []Options {
	var out []Options
	for _, rw := range Rewriters {
		if opt.Rewriter != "" && opt.Rewriter != rw.Name || opt.Rewriter == "" && rw.Searched {
			continue
		}
		factors, syncs, first := rw.Factors, rw.Syncs, len(out)
		if opt.Factor != 0 && rw.Has(variant.KnobFactor) {
			factors = []int{opt.Factor}
		}
		switch {
		case opt.Sync == "" || opt.Rewriter == rw.Name && !rw.Has(variant.KnobSync):
		case slices.Contains(rw.Syncs, opt.Sync):
			syncs = []string{opt.Sync}
		default:
			continue
		}
		for _, factor := range factors {
			for _, sync := range syncs {
				for _, slots := range sharedSets(rw, opt) {
					if opt.SharedSets == 0 && slots > 0 && slots >= factor {
						continue // every v-TB would have one
					}
					for _, cut := range cuts(rw, opt) {
						variant := opt
						variant.Rewriter, variant.Factor, variant.Sync, variant.SharedSets = rw.Name, factor, sync, slots
						variant.By, variant.Rounds = cut.By, cut.Rounds
						variant = variant.WithDefaults()
						out = append(out, variant)
					}
				}
			}
		}
		if opt.Rewriter == "" && rw.Has(variant.KnobOf) {
			for _, w := range out[first:] {
				w.Of = variant.Threads
				out = append(out, w)
			}
		}
	}
	return out
}

// KernelGroups are the kernels of each group, without looking at what can be done to
// them. kernels are all kernels of the program.
func KernelGroups(prog *analysis.Program, kernels []*analysis.Kernel) [][]*analysis.Kernel {
	return newRun(prog, Options{}.WithDefaults()).groups(kernels)
}

// groups parts kernels into groups, in the order in which their first names stand.
func (r *run) groups(kernels []*analysis.Kernel) [][]*analysis.Kernel {
	byName := map[string][]*analysis.Kernel{}
	var names []string
	for _, k := range kernels {
		if byName[k.Name] == nil {
			names = append(names, k.Name)
		}
		byName[k.Name] = append(byName[k.Name], k)
	}
	var out [][]*analysis.Kernel
	for _, name := range names {
		out = append(out, r.related(byName[name])...)
	}
	return withMacros(out)
}

// CheckedVariants says, for each kernel, what every rewriter and sync mode would make of it, with the smallest factor
// that the rewriter compares, and with all that Run looks at: launches, declarations and namesakes too. kernels must
// be all kernels of the program; of opt, the knobs are not looked at. Unlike those of Groups, the offers of a kernel
// hold what it has against it itself.
func CheckedVariants(prog *analysis.Program, kernels []*analysis.Kernel, opt Options) map[*analysis.Kernel][]CheckedVariant {
	opt.Variant = Variant{}
	r := newRun(prog, opt.WithDefaults())
	variants := Variants(opt)
	out := map[*analysis.Kernel][]CheckedVariant{}
	for _, group := range r.groups(kernels) {
		for _, variant := range variants {
			if variant.Factor != rewriter(variant.Rewriter).Factors[0] {
				continue
			}
			proofs, reasons, ok := r.try(group, variant)
			for i, k := range group {
				o := variant.Checked(ok)
				if !ok {
					o.Refused = append([]diag.Message{}, reasons[i]...)
				}
				for _, p := range proofs.all() {
					if ok && p.Found().Kernel == k {
						o.Staged = stage.StagedBy(p)
					}
				}
				out[k] = append(out[k], o)
			}
		}
	}
	return out
}

// Can reports whether any of the offers can be taken that a model of the GPU has something to say about.
func (g Group) Can() bool {
	return CanGain(g.Variants)
}

// Refusals returns what any kernel of a group has against the variant that opt says, nil if
// it can be taken. kernels are all kernels of the program.
func Refusals(prog *analysis.Program, kernels []*analysis.Kernel, g Group, opt Options) (out []diag.Message) {
	opt = opt.WithDefaults()
	_, reasons, ok := newRun(prog, opt).try(g.Kernels, opt)
	if ok {
		return nil
	}
	for _, why := range reasons {
		out = mergeReasons(out, why)
	}
	return out
}

// CanGain reports whether any of the offers is available and changes how many thread
// blocks run at once: by merging them, or by what they take of shared memory.
func CanGain(offers []CheckedVariant) bool {
	return slices.ContainsFunc(offers, func(o CheckedVariant) bool { return o.Can && (o.Merges() || o.Resizes()) })
}

// sharedSets are the values of the knob of that name, as far as opt leaves it open.
func sharedSets(r *Rewriter, opt Options) []int {
	switch {
	case r.SharedSets == nil:
		return []int{0}
	case opt.SharedSets != 0:
		return []int{opt.SharedSets}
	case opt.Rewriter == r.Name:
		return []int{1} // as Run does
	}
	return r.SharedSets
}

// cuts are the ways to exchange in rounds, as far as opt leaves them open.
func cuts(r *Rewriter, opt Options) []variant.Cut {
	switch {
	case r.Cuts == nil && opt.Rewriter != r.Name:
		return []variant.Cut{{}}
	case opt.Rewriter == r.Name || opt.By != "" || opt.Rounds != 0:
		return []variant.Cut{{By: opt.By, Rounds: opt.Rounds}}
	}
	return r.Cuts
}
