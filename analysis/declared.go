package analysis

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Declarations visits the declarations of the kernel other than its definition, in
// files related to its own.
func (k *Kernel) Declarations(visit func(*parser.File, *parser.Function)) {
	for _, d := range k.Prog.declaredKernels()[k.Name] {
		if k.Prog.Related(d.file, k.File) {
			visit(d.file, d.fn)
		}
	}
}

func (p *Program) declaredKernels() map[string][]funcIn {
	if p.declared != nil {
		return p.declared
	}
	p.declared = map[string][]funcIn{}
	files := slices.Clone(p.Parsed.Files)
	for _, name := range slices.Sorted(maps.Keys(p.Parsed.Headers)) {
		files = append(files, p.Parsed.Headers[name])
	}
	for _, f := range files {
		for _, fn := range f.Functions {
			if fn.Body == nil && fn.IsKernel() {
				p.declared[fn.Name] = append(p.declared[fn.Name], funcIn{f, fn})
			}
		}
	}
	return p.declared
}
