package foreign

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/smux-cuda/smux/tune/record"
)

// ExportT4 writes a record in the results format that autotuners exchange, T4, so
// that the tools for comparing tuners and search strategies read what smux
// measured.
//
// The format is version 1.1.0 of the schema in the Autotuning Association's
// autotuning_methodology (schemas/T4.json), which results of Kernel Tuner's schema
// T4 1.0.0 fit, too. A document holds one subject: all that was done to one kernel on
// one machine. All its times are in milliseconds, those of the compiler as well, as
// Kernel Tuner has them; only where a person's command measures, the runtimes are in the
// unit of its metric. What smux doesn't measure apart (the overhead of the framework
// and of the search) is left out and not said to be 0.
//
// The documents are in the order in which subjects begin. Forms that were begun but neither measured nor found to fail are left out.
func ExportT4(lines []record.Line) []Document {
	var out []Document
	for _, s := range subjects(lines) {
		m := s.about.Machine
		d := Document{Schema: Version, Results: []Result{}, Metadata: Metadata{
			API: "CUDA", Platform: m.Toolkit, Device: m.Device, Autotuner: cmp.Or(s.about.Tuner, "smux"),
			Timestamp: t4Stamp(s.began), TimeUnit: "milliseconds", Subject: s.about,
		}}
		d.Metadata.Device = cmp.Or(d.Metadata.Device, m.GPU)
		for _, f := range s.forms {
			if len(f.pairs) > 0 || f.failure != nil {
				d.Results = append(d.Results, f.result())
			}
		}
		out = append(out, d)
	}
	return out
}

// subject is the lines of one subject.
type subject struct {
	about record.Subject
	began time.Time
	forms []*form
}

// form holds what the lines say of one form of the kernel.
type form struct {
	variant *record.MeasuredVariant
	pairs   []*record.Pair
	failure *record.Failure
	last    time.Time
}

func subjects(lines []record.Line) []*subject {
	var out []*subject
	bySubject, byVariant := map[string]*subject{}, map[string]*form{}
	for _, l := range lines {
		f := byVariant[l.Key]
		if l.Variant != nil {
			key := l.Variant.Subject.Key()
			s := bySubject[key]
			if s == nil {
				s = &subject{about: l.Variant.Subject, began: l.Time}
				bySubject[key] = s
				out = append(out, s)
			}
			if f == nil {
				f = &form{}
				byVariant[l.Key] = f
				s.forms = append(s.forms, f)
			}
			f.variant = l.Variant
		}
		if f == nil {
			continue // a record doesn't have it
		}
		f.last = l.Time
		if l.Pair != nil {
			f.pairs = append(f.pairs, l.Pair)
		}
		if l.Failure != nil {
			f.failure = l.Failure
		}
	}
	return out
}

func (f *form) result() Result {
	r := Result{
		Timestamp: t4Stamp(f.last), Configuration: configuration(f.variant.Candidate), Objectives: []string{objective},
		Times: Times{Runtimes: []float64{}}, Invalidity: reasonOf(f.failure), Correctness: 1,
	}
	if constants, ok := constantsOf(f.variant); ok {
		r.Configuration = constants
	}
	if f.failure != nil {
		r.Correctness = 0
	}
	var base []float64
	var spent, prepared float64
	var checked record.Evidence
	for _, p := range f.pairs {
		r.Times.Runtimes = append(r.Times.Runtimes, p.Variant...)
		if p.Against == "" {
			base = append(base, p.Base...)
		}
		spent += p.Seconds
		prepared += p.Prepare
		checked.Copies += p.Checked.Copies
		checked.Bytes += p.Checked.Bytes
		checked.Lines += p.Checked.Lines
		checked.Memory = max(checked.Memory, p.Checked.Memory)
	}
	if prepared > 0 {
		r.Times.Compilation = inMilliseconds(prepared)
	}
	if len(f.pairs) > 0 {
		r.Times.Runs = inMilliseconds(spent)
	}
	r.measurements(f, base, checked)
	return r
}

// measurements adds what is known of a form.
func (r *Result) measurements(f *form, base []float64, checked record.Evidence) {
	r.Measurements = []Measurement{}
	add := func(name string, value any, unit string) {
		r.Measurements = append(r.Measurements, Measurement{name, value, unit})
	}
	number := func(name string, value float64, unit string) {
		if value != 0 {
			add(name, value, unit)
		}
	}
	unit := "ms"
	if f.variant.Subject.Machine.On == "command" {
		unit = "" // of the metric, which only the person knows
	}
	number(objective, median(r.Times.Runtimes), unit)
	number("original_time", median(base), unit) // of the runs between those of the form
	if len(f.pairs) > 0 {
		add("compared_copies", checked.Copies, "")
		add("compared_bytes", checked.Bytes, "B")
		add("compared_lines", checked.Lines, "")
		number("compared_memory", float64(checked.Memory), "B")
	}
	v := f.variant
	number("predicted_speedup", v.Predicted, "")
	number("registers", float64(v.Registers), "")
	number("shared_memory", float64(v.Shared), "B")
	number("spills", float64(v.Spills), "B")
	number("virtual_blocks_per_sm", float64(v.VTBs), "")
	if v.Limiter != "" {
		add("occupancy_limiter", v.Limiter, "")
	}
	if f.failure != nil {
		add("failure", string(f.failure.Kind), "")
		add("failure_text", f.failure.Text, "")
	}
}

// constantsOf returns the constants of another tuner's configuration; of what smux measured ok
// is false.
func constantsOf(v *record.MeasuredVariant) (out map[string]any, ok bool) {
	constants, ok := v.Configuration().Constants()
	if !ok || v.Subject.Tuner == "" {
		return nil, false
	}
	out = map[string]any{}
	for _, c := range constants {
		if out[c.Name] = c.Value; json.Valid([]byte(c.Value)) {
			out[c.Name] = json.RawMessage(c.Value)
		}
	}
	return out, true
}

// configuration returns what is done to the kernel, all knobs of all forms, so that the forms
// of a document have the same ones.
func configuration(c record.TunedVariant) map[string]any {
	variant := c.Rewriter
	variant = cmp.Or(variant, "original")
	return map[string]any{
		"variant": variant, "sync": c.Sync, "factor": c.Factor, "of": c.Of, "factor_y": c.FactorY, "unroll": c.Unroll, "shape": c.Extents, "slots": c.SharedSets, "private": c.PrivateRows,
		"stage_loads": c.Stage, "assume_shape": c.Assume, "pin_values": c.Pin, "early_loads": c.Early, "compute_first": c.Compute, "release_early": c.Late, "barrier_register": c.Numbered, "persistent": c.Persistent, "merge": c.GridAxis, "recipe": c.Recipe,
		"rounds": c.Rounds, "by": c.By, "overlay": c.Overlay, "staged": c.Staged, "array": c.Array, "tile": c.Tile, "scheme": c.Scheme, "pad": c.Pad, "vector": c.Vector, "async": c.Async,
		"cap": c.Blocks, "maxrregcount": c.Registers, "carveout": c.Carveout, "constants": string(c.Configuration),
	}
}

// median is 0 of nothing.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func inMilliseconds(seconds float64) *float64 {
	ms := 1000 * seconds
	return &ms
}

func t4Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
