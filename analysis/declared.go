package analysis

import (
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
	type key struct{}
	return Once(&p.Memo, key{}, func() map[string][]funcIn {
		out := map[string][]funcIn{}
		for _, f := range p.allFiles() {
			for _, fn := range f.Functions {
				if fn.Body == nil && fn.IsKernel() {
					out[fn.Name] = append(out[fn.Name], funcIn{f, fn})
				}
			}
		}
		return out
	})
}
