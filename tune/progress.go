package tune

import (
	"fmt"
	"time"
)

// at is the progress of a run that does something which belongs to no form.
func (r *run) at(doing string) Progress {
	return Progress{Kernel: r.Subject.Kernel, Doing: doing, Total: r.total()}
}

// total is how many forms may be measured.
func (r *run) total() int {
	n := len(r.Forms)
	if r.Budget.Forms > 0 {
		n = min(n, r.Budget.Forms+1)
	}
	if most, ok := r.Strategy.(interface{ Most(items int) int }); ok {
		n = min(n, most.Most(len(r.Forms)))
	}
	return n
}

// count is the progress with what is done.
func (r *run) count(done progressOf) Progress {
	p := r.at("")
	p.Done = len(done.seen)
	for _, s := range done.seen {
		if s.Item > 0 && s.Ratio > p.Ratio {
			p.Best, p.Ratio = r.Forms[s.Item].Name, s.Ratio
		}
	}
	if n := p.Done - r.before; n > 0 {
		each := r.Now().Sub(r.started) / time.Duration(n)
		p.Left = each * time.Duration(max(0, p.Total-p.Done))
	}
	return p
}

// finished tells of a form that is done.
func (r *run) finished(form int, done progressOf) {
	p := r.count(done)
	p.Done++
	for _, row := range r.verdict().Rows {
		if row.Key != r.keys[form] {
			continue
		}
		p.Finished = fmt.Sprintf("%s: %.3fx (%.3f to %.3f)", row.Name, row.Search.Median, row.Search.Low, row.Search.High)
		if row.Failure != nil {
			p.Finished = fmt.Sprintf("%s: %s: %s", row.Name, row.Failure.Kind, row.Failure.Text)
		} else if row.Search.Median > p.Ratio && form > 0 {
			p.Best, p.Ratio = row.Name, row.Search.Median
		}
	}
	r.Progress(p)
}
