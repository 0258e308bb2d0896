package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Want says what to measure: of each task, so many pairs.
type Want struct {
	Tasks   []int  // of submit.sbatch
	Turns   int    // pairs that there shall be of each
	Against string // the folder of another form in the original's place, "" for none
}

// Measure has what is missing measured, until all is there that can be had, and returns the
// product that it was measured on. lost are the forms whose tasks came to nothing too often.
// Jobs that are under way are waited for, whoever has submitted them for the same
// user. When ctx ends the jobs are cancelled. The error is ctx's, or one of this
// package; then jobs are cancelled too, but where Slurm does not answer.
func (j *Jobs) Measure(ctx context.Context, w Want) (product string, lost []*LostError, err error) {
	product, lost, err = j.measure(ctx, w)
	var silent *SilentError
	var others *OthersError
	if err != nil && !errors.As(err, &silent) && !errors.As(err, &others) {
		j.Cancel()
	}
	return product, lost, err
}

func (j *Jobs) measure(ctx context.Context, w Want) (product string, lost []*LostError, err error) {
	pace, answered, done := j.Fastest, time.Now(), false
	for {
		asked := len(j.open()) > 0
		changed, err := j.look(ctx)
		silent := err != nil
		if !silent && asked {
			answered = time.Now()
		}
		if err := j.silence(err, answered); err != nil {
			return product, nil, err
		}
		if product, err = j.product(); err != nil {
			return product, nil, err
		}
		missing := j.missing(product, w)
		if err := j.collect(ctx, product, w, len(missing) == 0); err != nil {
			return product, nil, err
		}
		if err := j.fatal(); err != nil {
			return product, nil, err
		}
		todo, beyond, status := j.divide(missing, w)
		if len(todo) == 0 && len(missing) == len(beyond) {
			done = true
		}
		switch {
		case silent:
		case done:
			return product, j.lost(beyond, w), j.tidy(ctx)
		case len(todo) > 0:
			err := j.submit(ctx, w, product, todo)
			if changed = err == nil; changed {
				answered = time.Now()
			}
			if err := j.silence(err, answered); err != nil {
				return product, nil, err
			}
		default:
			j.Report(status)
		}
		if changed {
			pace = j.Fastest
		}
		select {
		case <-ctx.Done():
			return product, nil, ctx.Err()
		case <-time.After(pace):
		}
		pace = min(pace*3/2, j.Slowest)
	}
}

// silence returns an error of Slurm's that does not pass, or has not for long: else nil, and
// says it.
func (j *Jobs) silence(err error, answered time.Time) error {
	var failed *CommandError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed) || !failed.Passing():
		return err
	case time.Since(answered) > j.Silence:
		return &SilentError{err}
	}
	j.Report(Status{Silent: err})
	return nil
}

// look asks Slurm how the open jobs are, and notes what has ended. changed says that
// something has.
func (j *Jobs) look(ctx context.Context) (changed bool, err error) {
	for _, b := range j.open() {
		if b.id == "" {
			id, err := j.Find(ctx, b.name, b.since)
			switch {
			case err != nil:
				return changed, err
			case id != "":
				err = j.journal.add(entry{Name: b.name, Job: id})
			case time.Since(b.since) < j.Settle:
				continue
			default:
				err = errors.Join(fence(j.Dir, b.name), j.journal.add(entry{Name: b.name, Over: true}))
			}
			changed = true
			if err != nil {
				return changed, err
			}
			if b.over {
				continue
			}
		}
		if b.tasks, err = j.Tasks(ctx, b.id, b.Tasks); err != nil {
			return changed, err
		}
		if b.User != j.user {
			for _, t := range b.tasks {
				if !t.State.Ended() {
					return changed, &OthersError{b.User, b.id}
				}
			}
		}
		ended, err := j.note(ctx, b)
		changed = changed || ended
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// note notes the tasks of a job that have ended since.
func (j *Jobs) note(ctx context.Context, b *job) (changed bool, err error) {
	product, _ := j.product()
	for i, n := range b.Tasks {
		if _, known := b.ended[n]; known {
			continue
		}
		t, known := b.tasks[n]
		stuck := known && t.State.Waiting() && strings.Contains(t.Reason, held)
		if stuck {
			if err := j.cancelTask(ctx, b.taskName(n)); err != nil {
				return changed, err
			}
			t.State = Failed
		}
		if known && !t.State.Ended() {
			delete(b.missed, n)
			continue
		}
		said, held := readNote(j.Dir, b.id, n), j.held(product, n, b.Against)
		whole := held.Ended || held.Pairs >= b.Turns
		switch {
		case !known && whole:
			t.State = Completed // and was forgotten since
		case !known && said.ended:
			t.State = Failed
		case !known:
			t.State = Lost
		}
		// What Slurm says may be earlier here than what was written on another node.
		if t.State == Lost || (t.State == Completed || t.State == Failed && !stuck) && !said.ended && !whole {
			if b.missed[n].IsZero() {
				b.missed[n] = time.Now()
			}
			if time.Since(b.missed[n]) < j.Settle {
				continue
			}
		}
		e := taskEnd{Task: n, State: t.State, Added: held.Pairs - b.Had[i]}
		if err := j.journal.add(entry{Name: b.name, Ended: &e}); err != nil {
			return changed, err
		}
		changed = true
		key := taskKey(n, b.Against)
		switch {
		case e.Added > 0 || whole:
			j.tries[key] = 0
		case b.cancelled && t.State == Cancelled: // by us
		default:
			j.tries[key]++
		}
		j.last[key] = ending(t, said)
	}
	if len(b.ended) == len(b.Tasks) {
		return true, j.journal.add(entry{Name: b.name, Over: true})
	}
	return changed, nil
}

// ending says in words how a task ended.
func ending(t Task, said note) string {
	out := string(t.State)
	if node := t.Node; node != "" {
		out += " on " + node
	}
	if strings.Contains(t.Reason, held) {
		out += ": " + t.Reason
	}
	if said.failed != "" {
		out += ": " + said.failed
	}
	return out
}

func taskKey(task int, against string) string { return fmt.Sprintf("%d %s", task, against) }

// product returns the product of the GPUs that tasks ran on which were asked for in the
// same words, "" before one has. The error is a *MixedError.
func (j *Jobs) product() (string, error) {
	on := map[string]string{} // a node, by the product
	asked := j.sbatch()
	for _, b := range j.journal.jobs {
		if b.id == "" || !slices.Equal(b.Options, asked) {
			continue
		}
		maps.Copy(on, j.products(b))
	}
	switch len(on) {
	case 0:
		return "", nil
	case 1:
		for product := range on {
			return product, nil
		}
	}
	var all []string
	for product, node := range on {
		all = append(all, product+" ("+node+")")
	}
	slices.Sort(all)
	return "", &MixedError{"jobs ran on different GPUs, whose times can't be compared: " + strings.Join(all, ", ")}
}

// products returns the products that tasks of a job ran on, with a node of each.
func (j *Jobs) products(b *job) map[string]string {
	if b.on != nil {
		return b.on
	}
	on := map[string]string{}
	for _, n := range b.Tasks {
		if said := readNote(j.Dir, b.id, n); said.product != "" {
			on[said.product] = said.node
		}
	}
	if b.over {
		b.on = on
	}
	return on
}

// fatal returns what stops all tasks, as those have said it that ended in this process's time.
func (j *Jobs) fatal() error {
	for _, b := range j.journal.jobs {
		if !b.ours || b.judged {
			continue
		}
		b.judged = b.over
		for _, n := range b.Tasks {
			e, ended := b.ended[n]
			if !ended {
				continue
			}
			said := readNote(j.Dir, b.id, n)
			switch {
			case strings.Contains(said.failed, " was measured with another "):
				return &MixedError{fmt.Sprintf("%s on %s: %s", b.taskName(n), said.node, said.failed)}
			case strings.HasPrefix(said.failed, "the program as it is "):
				return &BaseError{fmt.Sprintf("%s (task %s on %s)", said.failed, b.taskName(n), said.node)}
			case e.State == Failed && !said.there && !strings.Contains(b.tasks[n].Reason, held) && !noted(j.Dir):
				return &NotSharedError{Task: b.taskName(n), Node: b.tasks[n].Node, Dir: j.Dir}
			}
		}
	}
	return nil
}

// missing returns the tasks of which the folder lacks pairs.
func (j *Jobs) missing(product string, w Want) []int {
	var out []int
	for _, n := range w.Tasks {
		if h := j.held(product, n, w.Against); !h.Ended && h.Pairs < w.Turns {
			out = append(out, n)
		}
	}
	return out
}

// collect has new results taken, those of a task that is done at once.
func (j *Jobs) collect(ctx context.Context, product string, w Want, last bool) error {
	if product == "" {
		return nil
	}
	seen := 0
	for _, n := range w.Tasks {
		h := j.held(product, n, w.Against)
		if h.Ended || h.Pairs >= w.Turns {
			seen++
		}
	}
	if seen == j.seen && !last {
		return nil
	}
	j.seen = seen
	return j.Collect(ctx, product)
}

// divide returns which of the missing tasks are to be submitted, which have come to nothing
// too often, and how the others are.
func (j *Jobs) divide(missing []int, w Want) (todo, beyond []int, s Status) {
	s.Again = j.again
	for _, n := range missing {
		under := false
		for _, b := range j.open() {
			if b.Against != w.Against || !slices.Contains(b.Tasks, n) {
				continue
			}
			if _, ended := b.ended[n]; ended {
				continue
			}
			under = true
			switch t := b.tasks[n]; {
			case t.State == "" || t.State.Waiting():
				s.Waiting++
				s.Reason = t.Reason
			case !t.State.Ended():
				s.Running++
			}
			break
		}
		switch {
		case under:
		case j.tries[taskKey(n, w.Against)] >= max(1, j.Tries):
			beyond = append(beyond, n)
		default:
			todo = append(todo, n)
			if _, was := j.last[taskKey(n, w.Against)]; was {
				j.again++
			}
		}
	}
	return todo, beyond, s
}

// lost returns the errors of tasks that came to nothing too often.
func (j *Jobs) lost(beyond []int, w Want) []*LostError {
	var out []*LostError
	all := j.Manifest.Folders()
	for _, n := range beyond {
		key := taskKey(n, w.Against)
		out = append(out, &LostError{Form: all[n%len(all)], Tries: j.tries[key], Last: j.last[key]})
	}
	return out
}

// tidy ends what is left of jobs whose results are all there: tasks that still wait, such as
// those of a job that was submitted although another one ran.
func (j *Jobs) tidy(ctx context.Context) error {
	for _, b := range j.open() {
		for _, n := range b.Tasks {
			if _, ended := b.ended[n]; !ended && b.tasks[n].State.Waiting() {
				j.Cancel()
				return ctx.Err()
			}
		}
	}
	return ctx.Err()
}
