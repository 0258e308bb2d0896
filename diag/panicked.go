package diag

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Panicked says what a recovered panic was, and where: it is called by the
// deferred function that recovered it.
func Panicked(value any) string {
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls)])
	place, raised := "", false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			raised = true
		case raised && place == "" && !strings.HasPrefix(f.Function, "runtime."):
			place = fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		if !more {
			return fmt.Sprintf("internal error: %v%s", value, place)
		}
	}
}
