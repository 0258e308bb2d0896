package sim

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/model/workload"
)

// mix is a number of instructions: all of them, and those that units with a rate of
// their own take.
type mix [5]float64

// The places of a mix.
const (
	slots = iota
	floats
	integers
	doubles
	specials
)

// mixOf returns what a warp issues for a piece of work.
func mixOf(w workload.Work) mix {
	return mix{slots: w.Issue, floats: w.Float, integers: w.Integer, doubles: w.Double, specials: w.Special}
}

// partRates returns the warp instructions per cycle that one of the SM's parts issues, and
// that its units take: a part has its own share of all, and a warp stays in its part
// (Jia 2018, section 2; Huerta, section 3).
func partRates(a *gpu.Arch) mix {
	r := stall.RatesOf(a)
	return mix{slots: r.Issue, floats: r.Float, integers: r.Integer, doubles: r.Double, specials: r.Special}.scale(1 / float64(parts(a)))
}

// parts counts the parts of the SM.
func parts(a *gpu.Arch) int { return max(1, a.SubPartitions) }

func (m mix) add(o mix) mix {
	for i := range m {
		m[i] += o[i]
	}
	return m
}

func (m mix) scale(times float64) mix {
	for i := range m {
		m[i] *= times
	}
	return m
}

// over is the cycles that the busiest unit takes, or the slots.
func (m mix) over(rates mix) float64 {
	most := 0.0
	for i := range m {
		if rates[i] > 0 {
			most = max(most, m[i]/rates[i])
		}
	}
	return most
}
