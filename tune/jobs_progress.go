package tune

import (
	"fmt"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/slurm"
)

// seldom is the time between two lines on the jobs where there is no terminal.
const seldom = time.Minute

// report shows how the jobs are.
func (r *jobsRun) report(s slurm.Status) {
	p := r.at()
	var parts []string
	switch {
	case s.Silent != nil:
		parts = append(parts, "Slurm does not answer: "+s.Silent.Error())
	default:
		if s.Running > 0 {
			parts = append(parts, prose.Count(s.Running, "task")+" running")
		}
		if s.Waiting > 0 {
			text := fmt.Sprintf("%d waiting", s.Waiting)
			if s.Reason != "" {
				text += " (" + s.Reason + ")"
			}
			parts = append(parts, text)
		}
		if s.Again > 0 {
			parts = append(parts, fmt.Sprintf("%d submitted again", s.Again))
		}
	}
	p.Doing = strings.Join(parts, ", ")
	r.line.show(p)
	if r.line.plain && !r.line.quiet && p.Doing != r.said && time.Since(r.saidAt) > seldom {
		r.said, r.saidAt = p.Doing, time.Now()
		r.session.Remark("kernel %q: %d of %d: %s", p.Kernel, p.Done, p.Total, prose.Printable(p.Doing))
	}
}

// at returns the progress without what is being done.
func (r *jobsRun) at() Progress {
	p := Progress{Kernel: r.group.name(), Total: r.total}
	if r.subject == nil {
		return p
	}
	for _, row := range r.verdict().Rows {
		switch {
		case row.Failure != nil:
			p.Done++
		case row.Search.Pairs >= r.session.Rules.MinPairs:
			p.Done++
			if !row.Candidate.IsOriginal() && row.Search.Median > p.Ratio {
				p.Best, p.Ratio = row.Name, row.Search.Median
			}
		}
	}
	return p
}

// tell tells of the forms that have been measured or have failed since.
func (r *jobsRun) tell() {
	for _, row := range r.verdict().Rows {
		text := ""
		switch {
		case r.told[row.Key]:
		case row.Failure != nil:
			text = fmt.Sprintf("%s: %s: %s", row.Name, row.Failure.Kind, strings.SplitN(row.Failure.Text, "\n", 2)[0])
		case row.Search.Pairs >= r.session.Rules.MinPairs:
			text = fmt.Sprintf("%s: %.3fx (%.3f to %.3f)", row.Name, row.Search.Median, row.Search.Low, row.Search.High)
		}
		if text == "" {
			continue
		}
		r.told[row.Key] = true
		p := r.at()
		p.Done, p.Finished = len(r.told), text
		r.line.show(p)
	}
}
