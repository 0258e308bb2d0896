package translate

import (
	"fmt"
	"regexp"

	"github.com/smux-cuda/smux/parser"
)

var conditions = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|endif)`)

// IsConditional reports whether a function stands between #if and #endif: only the compiler knows whether the program has it.
func IsConditional(f *parser.File, fn *parser.Function) bool {
	depth := 0
	for _, m := range conditions.FindAllSubmatch(f.Src[:fn.Start], -1) {
		if depth++; string(m[1]) == "endif" {
			depth -= 2
		}
	}
	return depth > 0
}

// conditionalKernels tells the run-time of the kernels that were compiled although they need not be, by
//
//	static const ::smux_cpu::compiled_kernel smux_c1("k");
//
// after each: the others are no kernels of the program.
func (t *text) conditionalKernels() {
	for _, fn := range t.file.Functions {
		if fn.IsKernel() && fn.Body != nil && t.scopeAt(fn.Start) == namespaceScope && IsConditional(t.file, fn) {
			t.numbers++
			t.insert(int(fn.Body.End), fmt.Sprintf(" static const ::smux_cpu::compiled_kernel smux_c%d(%q);", t.numbers, fn.Name))
		}
	}
}
