package tune

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// progress tells how far a run is: in one line on a terminal, else in a line for each better form, or for each that is done.
type progress struct {
	mu      sync.Mutex
	console *console.Console
	line    *console.Progress
	asked   *Options
	best    float64 // the ratio of the last line of a better form, from the original's on
}

func newProgress(c *console.Console, o *Options) *progress {
	return &progress{console: c, line: c.NewProgress(), asked: o, best: 1}
}

func (p *progress) end() { p.line.End() }

func (p *progress) show(at Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.asked.Quiet:
	case p.line.Shown():
		p.line.Say("%s", progressText(at))
	case at.Ended != "":
		p.console.Remark("kernel %q: the search ended: %s", at.Kernel, prose.Printable(at.Ended))
	case at.Finished != "" && (p.asked.Verbose || at.Ratio > p.best):
		p.best = at.Ratio
		p.console.Remark("kernel %q: %d of %d: %s", at.Kernel, at.Done, at.Total, prose.Printable(at.Finished))
	}
}

// progressText returns the line: what is done, what is best so far, how long it may take yet, what is being done.
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

// at returns the progress of a run that does something which belongs to no form.
func (r *run) at(doing string) Progress {
	total := len(r.Forms) // that may be measured
	if r.Budget.Forms > 0 {
		total = min(total, r.Budget.Forms+1)
	}
	return Progress{Kernel: r.Subject.Kernel, Doing: doing, Total: total}
}

// count returns the progress with what is done: done, and what has been finished since on all devices.
func (r *run) count(done progressOf) Progress {
	p := r.at("")
	r.mu.Lock()
	seen := map[int]float64{}
	maps.Copy(seen, r.ended)
	r.mu.Unlock()
	for _, s := range done.seen {
		seen[s.Item] = s.Ratio
	}
	p.Done = len(seen)
	for _, i := range slices.Sorted(maps.Keys(seen)) {
		if i > 0 && seen[i] > p.Ratio {
			p.Best, p.Ratio = r.Forms[i].Name, seen[i]
		}
	}
	if n := p.Done - r.before; n > 0 {
		each := r.Now().Sub(r.started) / time.Duration(n)
		p.Left = each * time.Duration(max(0, p.Total-p.Done))
		if r.Budget.Seconds > 0 {
			p.Left = min(p.Left, max(0, duration(r.Budget.Seconds-done.spent)))
		}
	}
	return p
}

func (r *run) sayer(form int, done progressOf) func(format string, args ...any) {
	return func(format string, args ...any) {
		p := r.count(done)
		p.Doing = r.Forms[form].Name + ": " + fmt.Sprintf(format, args...)
		r.Progress(p)
	}
}

func (r *run) finished(form int, done progressOf) {
	var text string
	var ratio float64
	own := slices.DeleteFunc(r.lines(), func(l record.Line) bool { return l.Key != r.keys[form] })
	for _, row := range verdictOf(own, r.Rules).Rows {
		switch {
		case row.Failure != nil:
			text = fmt.Sprintf("%s: %s: %s", row.Name, row.Failure.Kind, judge.FirstLine(row.Failure.Text))
		default:
			text = fmt.Sprintf("%s: %.3fx", row.Name, row.Search.Median)
			if row.Search.Known() {
				text += fmt.Sprintf(" (%.3f to %.3f)", row.Search.Low, row.Search.High)
			} else {
				text += " at a first look"
			}
			ratio = row.Search.Median
		}
	}
	r.mu.Lock()
	r.ended[form] = ratio
	r.mu.Unlock()
	if src, ok := r.sourceOf(form); ok && form > 0 && ratio < 1 { // it is not confirmed
		r.builds.drop(target{machineOf(r, src, record.Search), form})
	}
	p := r.count(done)
	p.Finished = text
	r.Progress(p)
}
