package resources

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// FromPTXAS returns the resources that a compiled kernel takes on a GPU. A compiler
// for an architecture with fewer registers per thread than the one that was
// compiled for would stop there, and spill.
func FromPTXAS(found *nvcc.Kernel, k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, arch string) Usage {
	r := Usage{
		Registers: found.Registers, Barriers: max(0, found.Barriers), Spills: found.SpillStores + found.SpillLoads, Stack: found.Stack,
		Shared: found.StaticShared + in.DynamicBytes, Exact: dynamicKnown(k, in), From: "ptxas " + arch,
	}
	if most := g.Arch.RegistersPerThread; r.Registers > most {
		r.Registers, r.From = most, r.From+", capped"
	}
	return r
}

// LinesOf returns the instructions of a kernel by the line that they were made of;
// functions that are called are omitted, since how often they run is not known.
func LinesOf(listings []*nvcc.Listing, mangled string) []cost.Line {
	var out []cost.Line
	for _, l := range listings {
		if l.Mangled != mangled {
			continue
		}
		for _, c := range l.Lines {
			if c.Called || c.Line == 0 {
				continue
			}
			file := c.File
			if file == stdinUnit {
				file = parser.StdinName
			}
			bytes := c.SharedLoadBytes + c.SharedStoreBytes + c.GlobalLoadBytes + c.GlobalStoreBytes + 4*(c.SharedAtomics+c.GlobalAtomics)
			out = append(out, cost.Line{File: file, Line: c.Line, In: c.In.Line, Issue: float64(c.Issue), Memory: float64(bytes), Waits: c.LoadWaits, Loads: float64(c.SharedLoads)})
		}
	}
	return out
}

// dynamicKnown reports whether all dynamic shared memory of an instance is known.
func dynamicKnown(k *analysis.Kernel, in *analysis.Instance) bool {
	uses := func(v *analysis.Shared) bool { return v.Dynamic }
	return in.DynamicBytes > 0 || !slices.ContainsFunc(k.Shared, uses)
}
