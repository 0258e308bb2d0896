// Package markdown writes a survey as a summary for a pull request.
package markdown

import (
	"fmt"
	"io"

	"github.com/smux-cuda/smux/survey"
)

// Options say how a summary is written.
type Options struct {
	Path    func(name string) string // what a file is called
	Rewrite bool                     // what would change, not what is known
}

// Write prints the summary.
func Write(w io.Writer, programs []survey.Program, opt Options) error {
	_, err := fmt.Fprintf(w, "%s\n", survey.NewReport(programs).Summary())
	return err
}
