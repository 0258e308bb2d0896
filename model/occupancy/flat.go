package occupancy

import (
	"errors"

	"github.com/smux-cuda/smux/model/gpu"
)

// Flat describes why fewer registers give nothing. The zero value means that they do.
type Flat struct {
	Case FlatCase `json:"case,omitempty"`
	// Limits are the resources that allow no more thread blocks than run now.
	Limits Limits `json:"limits,omitempty"`
}

// FlatCase is a kind of reason.
type FlatCase string

// The kinds.
const (
	FlatInvalid    FlatCase = "invalid"    // the demand makes no sense: it has no threads, say
	FlatImpossible FlatCase = "impossible" // it can't run, and not for its registers alone
	FlatFull       FlatCase = "full"       // the SM has all the warps that it can hold
	FlatOther      FlatCase = "other"      // something else limits, and registers don't
	FlatTogether   FlatCase = "together"   // registers limit, and something else just as much
	FlatNone       FlatCase = "none"       // registers limit, but no number of them gives more
)

// String returns the reason in words, "" where there is none.
func (f Flat) String() string {
	switch f.Case {
	case "":
		return ""
	case FlatInvalid:
		return "there is no such thread block"
	case FlatImpossible:
		return "no thread block can run, for its " + f.Limits.String()
	case FlatFull:
		return "the SM is full"
	case FlatOther:
		return f.Limits.String() + f.verb() + ", registers don't"
	case FlatTogether:
		return f.Limits.String() + " limit together"
	default:
		return "no number of registers gives more"
	}
}

func (f Flat) verb() string {
	if l := f.Limits.List(); len(l) == 1 && (l[0] == Shared) {
		return " limits"
	}
	return " limit"
}

// flatRegisters returns why fewer registers gain nothing over a result of Compute; its
// Case is "" where registers alone limit.
func flatRegisters(g *gpu.GPU, now Result, err error) Flat {
	var impossible *ImpossibleError
	switch {
	case isInvalid(err):
		return Flat{Case: FlatInvalid}
	case now.Limiters.Only(Registers):
		return Flat{}
	case errors.As(err, &impossible):
		return Flat{Case: FlatImpossible, Limits: now.Limiters}
	case now.Warps == g.Arch.WarpsPerSM:
		return Flat{Case: FlatFull, Limits: now.Limiters}
	case now.Limiters.Has(Registers):
		return Flat{Case: FlatTogether, Limits: now.Limiters}
	default:
		return Flat{Case: FlatOther, Limits: now.Limiters}
	}
}
