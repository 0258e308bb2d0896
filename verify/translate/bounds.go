package translate

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// launchBounds lets each kernel report its __launch_bounds__, which may be made of its template parameters:
//
//	__global__ __launch_bounds__(T, 2) void k(…) {   -->   … void k(…) { ::smux_cpu::launch_bounds(T, 2);
//
// Bounds that a macro holds, and those of another declaration, are not looked at.
func (t *text) launchBounds() {
	for _, fn := range t.file.Functions {
		lb := fn.LaunchBounds
		if fn.Body == nil || fn.Error != nil || !fn.IsKernel() || lb == nil || lb.Kind != parser.MarkQualifier || lb.Name != "__launch_bounds__" || lb.ArgEnd <= lb.ArgStart {
			continue
		}
		args := string(t.file.Src[lb.ArgStart:lb.ArgEnd])
		if strings.ContainsAny(args, "\n#") || strings.Contains(args, "//") || strings.Contains(args, "/*") {
			continue // a comment, maybe
		}
		t.insert(int(fn.Body.Start)+1, fmt.Sprintf(" ::smux_cpu::launch_bounds(%s);", strings.TrimSpace(args)))
	}
}

// ends tells the run-time of threads that come to the end of a kernel's text, and have not left it earlier.
func ends(t *text) {
	for _, fn := range t.file.Functions {
		if fn.Body != nil && fn.Error == nil && fn.IsKernel() {
			t.insert(int(fn.Body.End)-1, " ::smux_cpu_at_end(); ")
		}
	}
}
