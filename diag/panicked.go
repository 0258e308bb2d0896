package diag

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Raised is a panic that one goroutine recovered for another to raise again: what Panicked said of it.
type Raised string

// Panicked describes what a recovered panic was, and where: it is called by the deferred function that recovered it.
func Panicked(value any) string {
	if r, ok := value.(Raised); ok {
		return string(r)
	}
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
