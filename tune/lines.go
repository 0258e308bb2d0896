package tune

import (
	"slices"

	"github.com/smux-cuda/smux/tune/record"
)

// lines returns the store's lines of the subject, but for what is stale. What was looked
// at before is not looked at again: a store may hold many other subjects.
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

// leave takes a variant out of what is looked at.
func (r *run) leave(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ours[key] = false
	r.stale[key] = true
	r.mine = slices.DeleteFunc(r.mine, func(l record.Line) bool { return l.Key == key })
}

// Of returns the lines of a record that are of a subject.
func Of(lines []record.Line, s record.Subject) []record.Line {
	want := s.Key()
	for _, of := range record.BySubject(lines) {
		if of.Subject.Key() == want {
			return of.Lines
		}
	}
	return nil
}

// pairsOf returns the pairs of a variant in a phase, as they were measured.
func pairsOf(lines []record.Line, key, phase string) []record.Pair {
	var out []record.Pair
	for _, l := range lines {
		if l.Key == key && l.Pair != nil && l.Pair.Phase == phase {
			out = append(out, *l.Pair)
		}
	}
	return out
}

// add appends lines to the store.
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

// line returns what there is to say of a form as a line.
func (r *run) line(key string, l record.Line) record.Line {
	l.Schema, l.Key, l.Time = record.Schema, key, r.Now().UTC()
	return l
}
