package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// Rewriter is one way to rewrite a kernel. Check proves that the rewrite keeps
// the kernel's meaning or says why not; what it proves on the way is the plan,
// from which edits follow mechanically.
type Rewriter struct {
	Name  string
	Doc   string
	Knobs []string // what a person can set
	// Syncs and Factors are the values of the knobs that are worth comparing.
	Syncs   []string
	Factors []int
	Check   func(*analysis.Kernel, Options) (*Plan, []diag.Message)
}

// Rewriters are all rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{
		Name:  "vtb",
		Doc:   "merge N thread blocks, which take turns with one set of shared arrays (PACT'12 §4.1)",
		Knobs: []string{"factor", "sync"},
		Syncs: Syncs, Factors: []int{2, 3, 4, 6, 8},
		Check: checkVTB,
	},
}

// rewriter returns the rewriter of a name, the preferred one for any other.
func rewriter(name string) *Rewriter {
	for _, r := range Rewriters {
		if r.Name == name {
			return r
		}
	}
	return Rewriters[0]
}

// Syncs are the ways in which virtual thread blocks take turns, the preferred
// first (design §5, "Sync modes").
var Syncs = []string{"named", "block"}

// Offer says whether a rewriter can be applied to a kernel with a sync mode.
type Offer struct {
	Variant string         `json:"variant"`
	Sync    string         `json:"sync"`
	Factor  int            `json:"factor"`
	Can     bool           `json:"can"`
	Refused []diag.Message `json:"refused,omitempty"`
}

func (o Options) withDefaults() Options {
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Variant == "" {
		o.Variant = "vtb"
	}
	if o.Runtime == "" {
		o.Runtime = "inline"
	}
	return o
}
