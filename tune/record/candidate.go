package record

import (
	"fmt"

	"github.com/smux-cuda/smux/rewrite"
)

// TunedVariant is one form of a kernel: a rewrite, and what is done besides. The zero value is the original.
type TunedVariant struct {
	rewrite.Variant
	// Blocks is the launched thread blocks per SM for which launch bounds cap the registers, 0 for no cap.
	Blocks int `json:"cap,omitempty"`
	// Registers caps all kernels' registers per thread by -maxrregcount, where launch bounds can't be given. 0 for no cap.
	Registers int `json:"maxrregcount,omitempty"`
	// Carveout is the percentage of an SM's storage that launches prefer as shared memory; 0 leaves it to the driver.
	Carveout int `json:"carveout,omitempty"`
	// Configuration is the values of the program's constants; "" for those of the source, or of Subject.Base. Another autotuner
	// gave the kernel macros, smux changes numbers in the source (analysis/sizes).
	Configuration Configuration `json:"configuration,omitempty"`
}

func (c TunedVariant) IsOriginal() bool { return c == TunedVariant{} }

// OneStep reports whether one rewrite is done and nothing besides.
func (c TunedVariant) OneStep() bool {
	return c == TunedVariant{Variant: c.Variant} && !c.IsOriginal() && len(c.Steps()) == 1
}

// Tested reports whether a constant has another value: only runs show that the program computes the same.
func (c TunedVariant) Tested() bool { return c.Configuration != "" }

// IsForm reports whether no thread blocks are merged: an original form, which any gain has to be compared with, too.
func (c TunedVariant) IsForm() bool { return c.Rewriter == "" || !c.Merges() }

// String is "original", "vtb named N=2" or "vtb named N=2 cap=3 carveout=100". It tells candidates apart.
func (c TunedVariant) String() string {
	text := c.Variant.String()
	switch {
	case c.Rewriter == "" && c.Configuration != "":
		text = string(c.Configuration)
	case c.Rewriter == "":
		text = "original"
	case c.Configuration != "":
		text += " " + string(c.Configuration)
	}
	if c.Blocks > 0 {
		text += fmt.Sprintf(" cap=%d", c.Blocks)
	}
	if c.Registers > 0 {
		text += fmt.Sprintf(" maxrregcount=%d", c.Registers)
	}
	if c.Carveout > 0 {
		text += fmt.Sprintf(" carveout=%d", c.Carveout)
	}
	return text
}
