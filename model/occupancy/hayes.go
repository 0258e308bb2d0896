package occupancy

import "github.com/smux-cuda/smux/model/gpu"

// HayesPoint is the result of the formula of Hayes and Zhang for a kernel on a GPU.
type HayesPoint struct {
	Words   int `json:"words"`   // s: registers per thread that are demoted
	Before  int `json:"before"`  // active threads of an SM with none demoted
	Threads int `json:"threads"` // … with Words demoted: the most there are
	// Flat tells why Words is 0.
	Flat Flat `json:"flat"`
	// Exact is the same by the limits of Compute, with granules: SweetPoint.
	// Measured flatness is not in it.
	Exact Demotion `json:"exact"`
}

// HayesThreads computes the formula (Hayes & Zhang, "Unified on-chip memory allocation
// for SIMT architecture", ICS'14) for the active threads of an SM of g when
// that many words of each thread are demoted:
//
//	floor(min(R_total/(R_req - s), S_total/(S_req + s)) / B) * B
//
// with R registers, S words of shared memory per thread and B threads per block.
// It divides without granules or reserves. Added here: the slots for threads and for
// thread blocks bound it, too, and a resource of which nothing is asked doesn't. A
// result of 0 means that not even one block runs.
func HayesThreads(g *gpu.GPU, d Demand, words int) int {
	n, _ := hayes(g, d, words)
	return n
}

// hayes also gives the parts of the minimum that are the least, in whole blocks.
func hayes(g *gpu.GPU, d Demand, words int) (int, Limits) {
	if d.Threads <= 0 {
		return 0, Of(Threads)
	}
	a := &g.Arch
	blocks := ByLimit{Unlimited, Unlimited, a.ThreadsPerSM / d.Threads, a.BlocksPerSM, Unlimited}
	if registers := d.Registers - words; registers > 0 {
		blocks[Registers] = a.RegistersPerSM / registers / d.Threads
	}
	// Bytes per block: dividing S_total by words per thread and then by B is one
	// division by their product, which is exact in integers.
	if block := d.Shared + words*d.Threads*wordBytes; block > 0 {
		blocks[Shared] = carveout(g, d.Shared) / block
	}
	n, limits := blocks.min()
	return n * d.Threads, limits
}

// Hayes finds s, the number of demoted words with which the most threads are
// active: their "sweet point", of several such the one with the most registers.
// flat is the number of thread blocks per SM behind which more were measured to
// gain nothing, 0 where it isn't known: on the flat part of the curve nothing is
// demoted (their third case). The error is that of Compute.
func Hayes(g *gpu.GPU, d Demand, flat int) (HayesPoint, error) {
	exact, err := SweetPoint(g, d)
	if err != nil {
		return HayesPoint{}, err
	}
	most := g.Arch.ThreadsPerSM
	if flat > 0 {
		most = flat * d.Threads
	}
	before, limits := hayes(g, d, 0)
	p := HayesPoint{Before: before, Threads: before, Exact: exact}
	for s := 1; s < d.Registers && p.Threads < most; s++ {
		if n := HayesThreads(g, d, s); n > p.Threads {
			p.Words, p.Threads = s, n
		}
	}
	switch {
	case p.Words > 0:
	case before >= g.Arch.ThreadsPerSM:
		p.Flat = Flat{Case: FlatFull, Limits: limits}
	case flat > 0 && before >= most:
		p.Flat = Flat{Case: FlatMeasured, Limits: limits}
	case limits.Only(Registers):
		p.Flat = Flat{Case: FlatNoRoom, Limits: limits}
	case limits.Has(Registers):
		p.Flat = Flat{Case: FlatTogether, Limits: limits}
	default:
		p.Flat = Flat{Case: FlatOther, Limits: limits}
	}
	return p, nil
}
