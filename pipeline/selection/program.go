package selection

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
)

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

// placesOfAll returns the places where kernels run; the errors tell why launches are
// missing.
func placesOfAll(kernels []*analysis.Kernel, req Request) (places []Place, skipped []error) {
	for _, k := range kernels {
		ps, errs := placesOf(k, req)
		places = append(places, ps...)
		skipped = append(skipped, errs...)
	}
	return places, skipped
}

// placesOf returns the places where a kernel runs; the errors tell why launches are
// missing.
func placesOf(k *analysis.Kernel, req Request) (places []Place, skipped []error) {
	n := 0
	rows := rowsOf(k)
	for _, in := range k.Counted() {
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
	if _, exact := k.SharedBytes(in); !exact {
		for _, s := range k.Shared {
			if _, known := k.SharedBytesOf(in, s); !known && !s.Dynamic && s.Elem == 0 {
				return fmt.Errorf("the bytes of its shared memory are not known: the type %s of %s is not known (--smem, or shared in .smux.yaml, gives them)", s.Type, s.Name)
			}
		}
		return fmt.Errorf("the bytes of its shared memory are not known: the launch computes them, or the type of a template decides (--smem, or shared in .smux.yaml, gives them)")
	}
	return nil
}
