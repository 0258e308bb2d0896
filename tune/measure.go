package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// measure measures one form often enough, or as often as a first look takes. What is wrong with the form becomes a line.
func (r *run) measure(ctx context.Context, form, device int, done progressOf) error {
	key, say := r.keys[form], r.sayer(form, done)
	look := 0 // what was looked at before is measured in full
	if len(r.pairs(key, record.Search, "")) == 0 {
		look = r.Strategy.Pairs(done.seen, form)
	}
	err := r.withForm(ctx, form, device, record.Search, say, func(p *runner) error {
		for {
			pairs := r.pairs(key, record.Search, "")
			if r.Rules.Enough(pairs) || look > 0 && len(pairs) >= look {
				return nil
			}
			say("turn %d", len(pairs)+1)
			if err := r.pair(ctx, p, nil, key, record.Pair{Phase: record.Search, Turn: len(pairs)}); err != nil {
				return err
			}
		}
	})
	if err == nil {
		r.finished(form, done)
	}
	return err
}

// withForm builds a form, checks it, and has f measure it. A *record.Failure of the form ends as a line in the store.
func (r *run) withForm(ctx context.Context, form, device int, phase string, say func(string, ...any), f func(*runner) error) error {
	p := &runner{}
	defer p.release()
	err := r.prepare(ctx, p, form, device, phase, say)
	p.preparing = r.lap(device)
	if err == nil {
		err = f(p)
	}
	failure := ofForm(ctx, err)
	if failure == nil {
		return err
	}
	own := *failure
	own.Seconds = p.preparing + r.lap(device)
	return r.add(r.line(r.keys[form], record.Line{Failure: &own}))
}

// prepare builds a form and looks at what its launches leave behind.
func (r *run) prepare(ctx context.Context, p *runner, form, device int, phase string, say func(string, ...any)) error {
	src, ok := r.sourceOf(form)
	p.at = place{machineOf(r, src, phase), device}
	base, err := r.original(ctx, p.at)
	if err != nil {
		return err
	}
	if !ok {
		_, err := r.Source(ctx, r.Forms[form].Candidate)
		if err == nil {
			err = &record.Failure{Kind: record.FailedRewrite, Text: "its texts are unavailable"}
		}
		return err
	}
	say("building")
	if p.built, err = r.builds.get(ctx, target{p.at.on, form}, src); err != nil {
		return err
	}
	if base.check != nil {
		say("checking")
		if p.check, err = p.built.Check(ctx, device); err != nil {
			return err
		}
		evidence, failure := base.check.Compare(p.check)
		p.compared = evidence.Memory
		if failure != nil {
			failure.Text = "after one of its launches, started from the original's memory: " + failure.Text
			return failure
		}
	}
	for range r.Subject.How.WarmUp {
		one, err := p.built.Run(ctx, device, -1)
		if err != nil {
			return err
		}
		one.Outputs.Release()
	}
	return nil
}

// pair measures a form next to the original or another form, in turns who runs first. The pair becomes a line of a key.
func (r *run) pair(ctx context.Context, form, against *runner, key string, pair record.Pair) error {
	base, err := r.original(ctx, form.at)
	if err != nil {
		return err
	}
	if against == nil {
		against = base
	}
	pair.Device, pair.VariantFirst = form.at.device, pair.Turn%2 == 1
	pair.State = form.at.on.State(ctx, form.at.device)
	runs := [2]*machine.Run{}
	for n := range 2 {
		which := n
		if pair.VariantFirst {
			which = 1 - n
		}
		p := [2]*runner{against, form}[which]
		if runs[which], err = p.built.Run(ctx, p.at.device, turnOf(&pair, which)); err != nil {
			failure := ofForm(ctx, err)
			switch {
			case which == 0 && against != base:
				return &againstError{err}
			case which == 0 && failure != nil:
				return &BaseError{failure}
			}
			return err
		}
		defer runs[which].Outputs.Release()
	}
	for _, one := range runs {
		evidence, failure := base.reference.Compare(one.Outputs)
		switch {
		case failure == nil:
		case one == runs[0] && against == base:
			return &BaseError{unsteady(failure)}
		case one == runs[0]:
			return &againstError{failure}
		default:
			return failure
		}
		pair.Checked = evidence
		pair.Checked.Memory = form.compared
	}
	pair.Base, pair.Variant = runs[0].Milliseconds, runs[1].Milliseconds
	pair.Seconds = r.lap(form.at.device)
	pair.Prepare, form.preparing = form.preparing, 0
	return r.add(r.line(key, record.Line{Pair: &pair}))
}

// againstError is the error of the form that stood in the original's place.
type againstError struct{ err error }

func (e *againstError) Error() string { return e.err.Error() }

// turnOf numbers the runs of a form from 0 on, those that confirm after a gap: a machine's noise must not repeat.
func turnOf(pair *record.Pair, which int) int {
	turn := 2*pair.Turn + which
	if pair.Phase == record.Confirm {
		turn += confirmTurns
	}
	if pair.Against != "" {
		turn += confirmTurns
	}
	return turn
}

const confirmTurns = 1 << 20

// confirmOne measures one pair that confirms a choice, or as many as are asked for of the same form.
func (r *run) confirmOne(ctx context.Context, task judge.Task) error {
	form := slices.Index(r.keys, task.Key)
	if form < 0 {
		return fmt.Errorf("%s: its text is not what was measured", task.Key)
	}
	device := r.deviceOf(task.Key, r.Machine.Devices()[0])
	done, err := r.known(ctx)
	if err != nil {
		return err
	}
	say := r.sayer(form, done)
	return r.withForm(ctx, form, device, record.Confirm, say, func(p *runner) error {
		var against *runner
		other, there := r.named[task.Against]
		if task.Against != "" {
			if !there {
				return errors.New("a form that others are to be compared with is none of those that are measured")
			}
			if against, err = r.other(ctx, other, device, say); err != nil {
				return r.otherFailed(ctx, other, err)
			}
			defer against.release()
		}
		for {
			pairs := r.pairs(task.Key, record.Confirm, task.Against)
			say("confirming, turn %d", len(pairs)+1)
			err := r.pair(ctx, p, against, task.Key, record.Pair{Phase: record.Confirm, Turn: len(pairs), Against: task.Against})
			var theirs *againstError
			switch {
			case errors.As(err, &theirs):
				return r.otherFailed(ctx, other, theirs.err)
			case err != nil:
				return err
			}
			if next := judge.Waits(r.lines(), r.Rules); next == nil || next.Key != task.Key || next.Against != task.Against {
				return nil
			}
		}
	})
}

// deviceOf returns the device that a variant was searched on, or another one where that is not there.
func (r *run) deviceOf(key string, other int) int {
	for _, p := range slices.Backward(r.pairs(key, record.Search, "")) {
		if slices.Contains(r.Machine.Devices(), p.Device) {
			return p.Device
		}
	}
	return other
}

// other returns a form that stands in the original's place, ready to run.
func (r *run) other(ctx context.Context, form, device int, say func(string, ...any)) (*runner, error) {
	p := &runner{}
	err := r.source(ctx, form)
	if err == nil {
		err = r.prepare(ctx, p, form, device, record.Confirm, say)
	}
	if err != nil {
		p.release()
	}
	return p, err
}

// otherFailed notes what is wrong with a form that stood in the original's place, not with the form beside it.
func (r *run) otherFailed(ctx context.Context, form int, err error) error {
	if failure := ofForm(ctx, err); failure != nil {
		return r.add(r.line(r.keys[form], record.Line{Failure: failure}))
	}
	return err
}
