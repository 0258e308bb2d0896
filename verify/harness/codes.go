package harness

import (
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// The codes of what is wrong with a specification.
const (
	CodeSyntax    diag.Code = "bench-syntax"    // it can't be read
	CodeKernel    diag.Code = "bench-kernel"    // the kernel is not there, or can't be launched alone
	CodeParameter diag.Code = "bench-parameter" // it does not fit the kernel's parameters
	CodeLaunch    diag.Code = "bench-launch"    // no GPU could launch that
	CodeValue     diag.Code = "bench-value"     // an expression has no value, or one that makes no sense
)

// Errors are all that is wrong with some specifications, in their order.
type Errors []diag.Message

// Error returns one line per message.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, m := range e {
		lines[i] = m.String()
		if m.Help != "" {
			lines[i] += " (" + m.Help + ")"
		}
	}
	return strings.Join(lines, "\n")
}

// orNil returns the errors as an error, nil if there is none.
func (e Errors) OrNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
