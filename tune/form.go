package tune

import (
	"context"
	"errors"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// source writes the program in a form once, from which the form's key follows. An unavailable form has a key, and no text.
func (r *run) source(ctx context.Context, form int) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.keys[form] != "" {
		return nil
	}
	f := &r.Forms[form]
	f.MeasuredVariant.Subject = r.Subject
	f.MeasuredVariant.Name = f.Candidate.String()
	src, err := r.Source(ctx, f.Candidate)
	var failure *record.Failure
	switch {
	case errors.As(err, &failure):
	case err != nil:
		return err
	default:
		src.Predicted = f.Predicted
		f.MeasuredVariant.Text = record.HashTexts(src.Texts, src.Flags)
		r.sources[form] = src
	}
	r.keys[form] = f.MeasuredVariant.Key()
	return nil
}

// sourceOf returns the program in a form; ok is false where it is unavailable.
func (r *run) sourceOf(form int) (machine.Source, bool) {
	r.writing.Lock()
	defer r.writing.Unlock()
	src, ok := r.sources[form]
	return src, ok
}

// begin notes which forms are going to be measured, all at once: a run that goes on after this one begins with the same ones.
func (r *run) begin(ctx context.Context, forms []int) error {
	var lines []record.Line
	known := r.lines()
	for _, i := range forms {
		if err := r.source(ctx, i); err != nil {
			return err
		}
		if slices.ContainsFunc(known, func(l record.Line) bool { return l.Key == r.keys[i] && l.Variant != nil }) {
			continue
		}
		v := r.Forms[i].MeasuredVariant
		lines = append(lines, r.line(r.keys[i], record.Line{Variant: &v}))
	}
	return r.add(lines...)
}

type place struct {
	on     machine.Machine
	device int
}

// machineOf returns the machine on which a form is measured in a phase.
func machineOf(r *run, src machine.Source, phase string) machine.Machine {
	if r.Stopped != nil && phase == record.Search && src.Launch != nil {
		return r.Stopped
	}
	return r.Machine
}

type runner struct {
	at    place
	built machine.Built // of run.builds
	// check holds the outputs of the form's check run, nil where there is none.
	check machine.Outputs
	// compared is the bytes in which that was the same as the original's.
	compared int64
	// preparing is the seconds of waiting for the form's program and checking it, as long as they are in no line.
	preparing float64
	// reference holds the outputs of a run of the original, to be compared with.
	reference machine.Outputs
}

func (p *runner) release() {
	for _, o := range []machine.Outputs{p.check, p.reference} {
		if o != nil {
			o.Release()
		}
	}
}

func (r *run) release() {
	for _, p := range r.base {
		p.release()
	}
	r.builds.release()
}

// original returns the original's program at a place. Its own runs have to agree, or nothing can be compared with it.
func (r *run) original(ctx context.Context, at place) (*runner, error) {
	r.mu.Lock()
	p := r.base[at]
	r.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := r.settle(ctx, at)
	var failure *record.Failure
	if errors.As(err, &failure) {
		err = &BaseError{failure}
	}
	if err != nil {
		p.release()
		return nil, err
	}
	r.mu.Lock()
	r.base[at] = p
	r.mu.Unlock()
	return p, nil
}

func (r *run) settle(ctx context.Context, at place) (*runner, error) {
	p := &runner{at: at}
	src, ok := r.sourceOf(0)
	if !ok {
		return p, &record.Failure{Kind: record.FailedRewrite, Text: "the program's texts are unavailable"}
	}
	r.Progress(r.at("building the original"))
	var err error
	if p.built, err = r.builds.get(ctx, target{at.on, 0}, src); err != nil {
		return p, err
	}
	var failure *record.Failure
	if p.check, err = p.built.Check(ctx, at.device); err != nil && (ctx.Err() != nil || !errors.As(err, &failure)) {
		return p, err
	}
	if failure != nil { // as where launches build on one another
		text := "The original does not survive a check run (" + failure.Text + "): outputs are compared in timed runs alone."
		r.mu.Lock()
		r.remarks = lists.Add(r.remarks, text)
		r.mu.Unlock()
	}
	for turn := range 2 { // below the turns that count
		one, err := p.built.Run(ctx, at.device, turn-2)
		if err != nil {
			return p, err
		}
		if p.reference == nil {
			p.reference = one.Outputs
			continue
		}
		_, failure := p.reference.Compare(one.Outputs)
		one.Outputs.Release()
		if failure != nil {
			return p, unsteady(failure)
		}
	}
	return p, nil
}

func unsteady(difference *record.Failure) *record.Failure {
	if difference.Kind == record.FailedUnsteady {
		return difference // which says so
	}
	return &record.Failure{Kind: record.FailedUnsteady, Text: "two equal runs of it differ: " + difference.Text}
}

// pairs returns how many pairs of a phase the store holds of a form, against is as in record.Pair.
func (r *run) pairs(key, phase, against string) []record.Pair {
	return slices.DeleteFunc(pairsOf(r.lines(), key, phase), func(p record.Pair) bool { return p.Against != against })
}

// lines returns the store's lines of the subject without what is stale. It looks at each line of the store once.
func (r *run) lines() []record.Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.Store.Lines()
	for _, l := range all[r.read:] {
		if l.Variant != nil && !r.stale[l.Key] && l.Variant.Subject.Key() == r.subject {
			r.ours[l.Key] = true
		}
		if r.ours[l.Key] {
			r.mine = append(r.mine, l)
		}
	}
	r.read = len(all)
	return slices.Clone(r.mine)
}

func Of(lines []record.Line, s record.Subject) []record.Line {
	want := s.Key()
	for _, of := range record.BySubject(lines) {
		if of.Subject.Key() == want {
			return of.Lines
		}
	}
	return nil
}

func pairsOf(lines []record.Line, key, phase string) []record.Pair {
	var out []record.Pair
	for _, l := range lines {
		if l.Key == key && l.Pair != nil && l.Pair.Phase == phase {
			out = append(out, *l.Pair)
		}
	}
	return out
}

func (r *run) add(lines ...record.Line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Store.Append(lines...)
}

// lap returns the seconds since the last call for a device: those of its lines are all of its time.
func (r *run) lap(device int) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, last := r.Now(), r.counted[device]
	r.counted[device] = now
	return now.Sub(last).Seconds()
}

// seconds returns the time for which each device, on the average, was busy with pairs of some phases and with forms that failed.
func seconds(lines []record.Line, phases ...string) float64 {
	sum, devices := 0.0, map[int]bool{}
	for _, l := range lines {
		if l.Failure != nil {
			sum += l.Failure.Seconds
		}
		if l.Pair != nil && slices.Contains(phases, l.Pair.Phase) {
			sum += l.Pair.Seconds + l.Pair.Prepare
			devices[l.Pair.Device] = true
		}
	}
	return sum / float64(max(1, len(devices)))
}

func (r *run) line(key string, l record.Line) record.Line {
	l.Schema, l.Key, l.Time = record.Schema, key, r.Now().UTC()
	return l
}
