package space

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/sizes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/tune/record"
)

// sizes lists the original with other values of the constants of its sizes, one at a time, of which the model says nothing.
func (l *list) sizes() {
	if !l.in.Sizes {
		return
	}
	found, err := sizes.Find(l.in.Analysed, l.in.Group.Kernels...)
	if err != nil {
		return // of a program that can't be read with another number nothing is known
	}
	for _, c := range found {
		for _, value := range c.Values() {
			one := record.TunedVariant{Configuration: record.NewConfiguration([]record.Constant{{Name: c.Name, Value: strconv.FormatInt(value, 10)}})}
			if why := TooLarge(l.in.Analysed, l.in.Group.Kernels, l.in.GPU, c, value); why != "" {
				l.leave(one, why)
				continue
			}
			l.try(one, expectation{})
		}
	}
}

// TooLarge tells why a GPU can't run some kernels with a value of a constant, "" where it can or if unknown.
func TooLarge(p *analysis.Program, kernels []*analysis.Kernel, board *gpu.GPU, c *sizes.Constant, value int64) string {
	now, err := c.With(p, value)
	if err != nil {
		return err.Error()
	}
	for _, k := range kernels {
		after := sizes.Kernel(now, k)
		if after == nil || board == nil {
			continue
		}
		unknown := slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool {
			_, ok := in.BlockShape()
			return !ok
		})
		for _, in := range after.Instances {
			shape, ok := in.BlockShape()
			if !ok && !unknown {
				return fmt.Sprintf("the size of its thread blocks is not known then, or above %d threads", hardware.MaxThreadsPerBlock)
			}
			if !ok {
				continue
			}
			shared, _ := launches.SharedBytes(after, in) // at least that
			demand := occupancy.Demand{Threads: shape[0] * shape[1] * shape[2], Shared: shared}
			if _, err := occupancy.Compute(board, demand); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

func (d *draft) resize() error {
	constants, ok := d.form.Configuration.Constants()
	if !ok {
		return unavailable("%q names no constants", d.form.Configuration)
	}
	edits := map[*parser.File]*edit.Buffer{}
	for _, want := range constants {
		at := sizes.Named(d.in.Analysed, want.Name, d.in.Group.Kernels...)
		if at == nil {
			return unavailable("the program has no constant %s", want.Name)
		}
		for _, place := range at.Places {
			kit.BufferOf(edits, at.File).Replace(place[0], place[1], want.Value)
		}
	}
	return d.Edit(edits)
}
