package named

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// Halves returns CUDA's numbers of 16 bits that are declared before a kernel, if the program has no operator that may take one: those of
// CUDA have no effect, and a type parameter may stand for them where it may for numbers.
func Halves(k *analysis.Kernel) (types []string) {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() (types []string) {
		for _, name := range []string{"__half", "__nv_bfloat16"} {
			if includes(k.Prog, k.File, int(k.View.Start), declaredIn[name], map[*parser.File]bool{}) {
				types = append(types, name)
			}
		}
		if slices.ContainsFunc(k.Prog.Parsed.All(), ownsOperators) {
			return nil
		}
		return types
	})
}

// declaredIn has the headers with each type: cuBLAS' since CUDA 11.
var declaredIn = map[string][]string{"__half": {"cuda_fp16.h", "cublas_v2.h", "cublasLt.h"}, "__nv_bfloat16": {"cuda_bf16.h", "cublas_v2.h", "cublasLt.h"}}

// ownsOperators reports whether a file has an operator that is no member of a class, or a type with the name of a half.
func ownsOperators(f *parser.File) bool {
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return strings.HasPrefix(fn.Name, "operator") && fn.Class == "" }) ||
		slices.ContainsFunc(f.Classes, func(c *parser.Class) bool { return c.Name == "__half" || c.Name == "__nv_bfloat16" })
}

// includes reports whether a file includes one of some headers before a place, in whatever way the program is built.
func includes(p *analysis.Program, f *parser.File, before int, headers []string, seen map[*parser.File]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	return slices.ContainsFunc(f.Includes, func(inc parser.Include) bool {
		if inc.Pos >= before || isConditional(f, inc.Pos) {
			return false
		}
		return slices.Contains(headers, path.Base(inc.Path)) || slices.ContainsFunc(p.Parsed.All(), func(of *parser.File) bool {
			return of.Name == inc.File && includes(p, of, len(of.Src), headers, seen)
		})
	})
}

// isHalf reports whether a type is one of Halves.
func isHalf(k *analysis.Kernel, base string) bool {
	name := map[string]string{"half": "__half", "nv_bfloat16": "__nv_bfloat16"}[base]
	return slices.Contains(Halves(k), cmp.Or(name, base))
}

// isConditional reports whether a place of a file stands in a branch of an #if that is no guard of the file.
func isConditional(f *parser.File, at int) bool {
	var open []bool
	directives := parser.Directives(f.Src)
	for i, d := range directives {
		m := conditional.FindStringSubmatch(plainDirective(f.Src[d[0]:d[1]]))
		switch {
		case d[0] > at:
			return slices.Contains(open, true)
		case m == nil:
		case strings.HasPrefix(m[1], "if"):
			open = append(open, m[1] != "ifndef" || i+1 == len(directives) || !isGuard(f, m[2], directives[i+1]))
		case m[1] == "endif":
			open = open[:max(0, len(open)-1)]
		}
	}
	return slices.Contains(open, true)
}
