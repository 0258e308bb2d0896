package named

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// Declarations visits the declarations of the kernel other than its definition, in files related to its own.
func Declarations(k *analysis.Kernel, visit func(*parser.File, *parser.Function)) {
	for _, d := range declaredKernels(k.Prog)[k.Name] {
		if k.Prog.Related(d.File, k.File) {
			visit(d.File, d.Fn)
		}
	}
}

func declaredKernels(p *analysis.Program) map[string][]analysis.FuncIn {
	type key struct{}
	return analysis.Once(&p.Memo, key{}, func() map[string][]analysis.FuncIn {
		out := map[string][]analysis.FuncIn{}
		for _, f := range p.AllFiles() {
			for _, fn := range f.Functions {
				if fn.Body == nil && fn.IsKernel() {
					out[fn.Name] = append(out[fn.Name], analysis.FuncIn{File: f, Fn: fn})
				}
			}
		}
		return out
	})
}

// SizedAt returns where the kernel's definition or a declaration gives it one shape of blocks, nil where none does.
func SizedAt(k *analysis.Kernel) (f *parser.File, at int) {
	sized := func(of *parser.File, fn *parser.Function) {
		end := int(fn.Outer.End)
		if fn.Body != nil {
			end = int(fn.Body.Start)
		}
		for _, t := range parser.TokensBetween(of.Src, min(fn.Start, int(fn.Outer.Start)), end) {
			text := string(of.Src[t.Start:t.End])
			if m, macro := of.Macros.Lookup(text, t.Start); macro {
				text = m.Body
			}
			if strings.Contains(text, "__block_size__") {
				f, at = of, t.Start
			}
		}
	}
	sized(k.File, k.View)
	Declarations(k, sized)
	return f, at
}
