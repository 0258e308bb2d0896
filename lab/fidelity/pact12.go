package fidelity

import (
	"fmt"
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// Average is one average of PACT'12 beside the simulation's.
type Average struct {
	GPU, Policy string
	Paper       float64 // 0 where the paper gives none
	Simulated   float64 // geometric mean
	Each        []Ratio
}

// Ratio is a kernel's speed-up.
type Ratio struct {
	Kernel  string
	Speedup float64
}

// average names the policies that one number of the paper is about: the best of
// several, for certain kernels or for all.
type average struct {
	gpu, name string
	paper     float64
	policies  []string
	only      map[string]bool
}

// co are the benchmarks that the paper applies CO-VTB to.
var co = map[string]bool{"MC": true, "STO": true, "HG": true}

// The paper's versions: two v-TBs, barriers of the whole launched block.
var (
	vtbPolicies   = []string{"vtb:block:N=2"}
	pipePolicies  = []string{"vtb-pipe:block:N=2:even"}
	wholePolicies = []string{"vtb-pipe:block:N=2"}
	coPolicies    = []string{"co-vtb:block:N=2"}
	allPolicies   = []string{"vtb:block:N=2", "vtb-pipe:block:N=2:even", "co-vtb:block:N=2"}
)

var averages = []average{
	{"gtx480@16", "VTB", 1.42, vtbPolicies, nil},
	{"gtx480@16", "VTB_pipe", 1.60, pipePolicies, nil},
	{"gtx480@16", "VTB_pipe, whole segments", 0, wholePolicies, nil},
	{"gtx480@16", "CO-VTB (MC, STO, HG)", 1.61, coPolicies, co},
	{"gtx480@16", "best of the three", 1.70, allPolicies, nil},
	{"gtx480@48", "VTB", 1.09, vtbPolicies, nil},
	{"gtx480@48", "VTB_pipe", 1.22, pipePolicies, nil},
	{"gtx480@48", "CO-VTB (MC, STO, HG)", 1.14, coPolicies, co},
	{"gtx480@48", "best of the three", 1.26, allPolicies, nil},
	{"gtx285", "best of the three", 1.44, allPolicies, nil},
	{"gtx285", "hw, K+1", 0, []string{"hw:K+1"}, nil},
	{"gtx285", "hw, K+2", 0, []string{"hw:K+2"}, nil},
	{"gtx285", "hw, K+3", 0, []string{"hw:K+3"}, nil},
	{"gtx285", "hw, best cap", 1.53, []string{"hw:K+1", "hw:K+2", "hw:K+3"}, nil},
	{"gtx285", "hw, best cap (MC, STO, HG)", 0, []string{"hw:K+1", "hw:K+2", "hw:K+3"}, co},
	{"gtx285", "co-hw (MC, STO, HG)", 1.42, []string{"co-hw:K+1", "co-hw:K+2", "co-hw:K+3"}, co},
}

// PACT12 simulates the paper's averages with the given kernels, which have the
// names of Table 1.
func PACT12(kernels []*workload.Kernel, opt sim.Options) ([]Average, error) {
	var out []Average
	for _, a := range averages {
		g, err := gpu.Lookup(a.gpu)
		if err != nil {
			return nil, err
		}
		row, err := a.simulate(g, kernels, opt)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func (a average) simulate(g *gpu.GPU, kernels []*workload.Kernel, opt sim.Options) (Average, error) {
	row := Average{GPU: a.gpu, Policy: a.name, Paper: a.paper}
	logs := 0.0
	for _, k := range kernels {
		if a.only != nil && !a.only[k.Name] {
			continue
		}
		w := *k
		w.Registers = min(w.Registers, registersThere(g, k))
		best := 0.0
		for _, p := range a.policies {
			ratio, err := speedup(g, &w, p, opt)
			if err != nil {
				return row, fmt.Errorf("%s on %s: %w", k.Name, g.Name, err)
			}
			best = max(best, ratio)
		}
		row.Each = append(row.Each, Ratio{k.Name, best})
		logs += math.Log(best)
	}
	if len(row.Each) > 0 {
		row.Simulated = math.Exp(logs / float64(len(row.Each)))
	}
	return row, nil
}

// registersThere bounds the registers of a kernel, which are those of a later
// compiler: Table 1's thread counts on compute capability 1.3 show that registers
// did not bind, so a thread has no more than 16 there, and no more than the 63 of
// 2.0 elsewhere.
func registersThere(g *gpu.GPU, k *workload.Kernel) int {
	if g.Arch.Major == 1 {
		return 16
	}
	return min(k.Registers, g.Arch.RegistersPerThread)
}

// RegionShare returns the geometric mean over kernels of the part of a lone thread
// block's cycles on g that lie in regions. The paper gives 25.6 % for its ten.
func RegionShare(g *gpu.GPU, kernels []*workload.Kernel) (float64, []Ratio, error) {
	logs := 0.0
	var each []Ratio
	for _, k := range kernels {
		w := *k
		w.Registers = registersThere(g, k)
		share, err := sim.RegionShare(g, &w)
		if err != nil {
			return 0, nil, err
		}
		each = append(each, Ratio{k.Name, share})
		logs += math.Log(max(share, 1e-9))
	}
	return math.Exp(logs / float64(max(1, len(each)))), each, nil
}

// Kernels returns the ten benchmarks as this package counts them.
func Kernels() ([]*workload.Kernel, error) {
	var out []*workload.Kernel
	for _, k := range table1 {
		w, err := k.workload()
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}
