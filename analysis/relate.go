package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Related reports whether two files can be part of one translation unit: one includes the other, a third includes
// both, or one forward-declares a kernel that the other defines.
func (p *Program) Related(a, b *parser.File) bool {
	if a == b {
		return true
	}
	key := [2]*parser.File{a, b}
	if r, ok := p.relation[key]; ok {
		return r
	}
	r := slices.Contains(p.Unit(a).Files, b) || slices.Contains(p.Unit(b).Files, a) || p.declares(a, b) || p.declares(b, a)
	p.relation[key] = r
	return r
}

// declares reports whether a forward-declares a kernel that b defines.
func (p *Program) declares(a, b *parser.File) bool {
	for _, d := range a.Functions {
		if !d.IsKernel() || d.Body != nil {
			continue
		}
		for _, fn := range b.Functions {
			if fn.Name == d.Name && fn.IsKernel() && fn.Body != nil {
				return true
			}
		}
	}
	return false
}
