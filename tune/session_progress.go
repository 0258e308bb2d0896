package tune

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
)

// progress tells how far a run is: on a terminal in a line that is replaced,
// else in a line for each form that is better than those before, or for each that is done.
type progress struct {
	mu      sync.Mutex
	console *console.Console
	line    *console.Progress
	plain   bool // lines, not a line
	quiet   bool
	all     bool    // a line for each form that is done
	best    float64 // the ratio of the last line else, from the original's on
}

func newProgress(c *console.Console, o *Options) *progress {
	line := c.NewProgress()
	return &progress{console: c, line: line, plain: !line.Shown(), quiet: o.Quiet, all: o.Verbose, best: 1}
}

func (p *progress) end() { p.line.End() }

// show tells of a step.
func (p *progress) show(at Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.quiet:
	case !p.plain:
		p.line.Say("%s", progressText(at))
	case at.Ended != "":
		p.console.Remark("kernel %q: the search ended: %s", at.Kernel, prose.Printable(at.Ended))
	case at.Finished != "" && (p.all || at.Ratio > p.best):
		p.best = at.Ratio
		p.console.Remark("kernel %q: %d of %d: %s", at.Kernel, at.Done, at.Total, prose.Printable(at.Finished))
	}
}

// progressText returns the line: what is done, what is best so far, how long it may
// take yet, what is being done.
func progressText(at Progress) string {
	parts := []string{fmt.Sprintf("%s: %d of %d", at.Kernel, at.Done, at.Total)}
	if at.Best != "" {
		parts = append(parts, fmt.Sprintf("best %.2fx %s", at.Ratio, at.Best))
	}
	if at.Left > 0 {
		parts = append(parts, at.Left.Round(time.Second).String()+" left")
	}
	if at.Ended != "" {
		parts = append(parts, "the search ended: "+at.Ended)
	}
	if at.Doing != "" {
		parts = append(parts, at.Doing)
	}
	return prose.Printable(strings.Join(parts, ", "))
}
