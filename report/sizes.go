package report

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/sizes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
)

// SizeConstant is a constant of the program that sets sizes of a kernel.
type SizeConstant struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"` // of the number
	Value    int64         `json:"value"`
	Sets     []string      `json:"sets"`   // "block shape", "shared array tile"
	Values   []int64       `json:"values"` // that smux tune --sizes would try
}

// AddSizes notes by which constants a program sets the sizes of its kernels.
func (p *Program) AddSizes(prog *analysis.Program, names []string) error {
	var kernels []*analysis.Kernel
	for _, k := range prog.Kernels() {
		if rewrite.Matches(names, k.Name) {
			kernels = append(kernels, k)
		}
	}
	found, err := sizes.Find(prog, kernels...)
	if err != nil {
		return err
	}
	for i := range p.Kernels {
		of := &p.Kernels[i]
		of.Sizes = []SizeConstant{}
		for _, k := range kernels {
			if k.Position() != of.Position {
				continue
			}
			for _, c := range found {
				if sets := c.Of(k); len(sets) > 0 {
					of.Sizes = append(of.Sizes, SizeConstant{c.Name, c.Position(), c.Value, sets, c.Values()})
				}
			}
		}
	}
	return nil
}

func (k Kernel) sizeRows() section {
	s := section{label: "sizes"}
	if k.Sizes != nil && len(k.Sizes) == 0 {
		s.row("no constant in view sets them")
	}
	for _, c := range k.Sizes {
		s.row(fmt.Sprintf("%s = %d", c.Name, c.Value), c.Position.String(), strings.Join(c.Sets, ", "))
	}
	return s
}
