package foreign

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// ExportT4 writes a record in the results format that autotuners exchange, so that tools for comparing them read it: version
// 1.1.0 of T4 in the Autotuning Association's autotuning_methodology (schemas/T4.json), which results of Kernel Tuner's T4
// 1.0.0 fit, too. A document holds one subject, in the order in which they begin. Times are in milliseconds, the compiler's
// as well, as Kernel Tuner has them; a person's command measures in the unit of its metric. The overhead of framework and
// search, which smux doesn't measure, and forms that were neither measured nor failed are left out.
func ExportT4(lines []record.Line) []Document {
	var out []Document
	for _, s := range record.BySubject(lines) {
		m := s.Subject.Machine
		d := Document{Schema: Version, Results: []Result{}, Metadata: Metadata{
			API: "CUDA", Platform: m.Toolkit, Device: cmp.Or(m.Device, m.GPU), Autotuner: cmp.Or(s.Subject.Tuner, "smux"),
			Timestamp: t4Stamp(s.Lines[0].Time), TimeUnit: "milliseconds", Subject: s.Subject,
		}}
		for _, v := range s.Variants {
			if len(v.Lines) > 0 {
				d.Results = append(d.Results, resultOf(v))
			}
		}
		out = append(out, d)
	}
	return out
}

func resultOf(v *record.Measured) Result {
	r := Result{
		Timestamp: t4Stamp(v.Lines[len(v.Lines)-1].Time), Configuration: configuration(v.MeasuredVariant), Objectives: []string{objective},
		Times: Times{Runtimes: []float64{}}, Correctness: 1, Measurements: []Measurement{},
	}
	var base []float64
	var spent, prepared float64
	var checked record.Evidence
	var failure *record.Failure
	pairs := 0
	for _, l := range v.Lines {
		if l.Failure != nil {
			failure, r.Correctness = l.Failure, 0
			continue
		}
		p := l.Pair
		pairs++
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
	r.Invalidity = reasonOf(failure)
	add := func(name string, value any, unit string) {
		r.Measurements = append(r.Measurements, Measurement{name, value, unit})
	}
	number := func(name string, value float64, unit string) {
		if value != 0 {
			add(name, value, unit)
		}
	}
	unit := "ms"
	if v.Subject.Machine.On == "command" {
		unit = "" // of the metric, which only the person knows
	}
	number(objective, judge.Median(r.Times.Runtimes), unit)
	number("original_time", judge.Median(base), unit) // of the runs between those of the form
	if prepared *= 1000; prepared > 0 {               // milliseconds
		r.Times.Compilation = &prepared
	}
	if spent *= 1000; pairs > 0 {
		r.Times.Runs = &spent
		add("compared_copies", checked.Copies, "")
		add("compared_bytes", checked.Bytes, "B")
		add("compared_lines", checked.Lines, "")
		number("compared_memory", float64(checked.Memory), "B")
	}
	number("predicted_speedup", v.Predicted, "")
	number("registers", float64(v.Registers), "")
	number("shared_memory", float64(v.Shared), "B")
	number("spills", float64(v.Spills), "B")
	number("virtual_blocks_per_sm", float64(v.VTBs), "")
	if v.Limiter != "" {
		add("occupancy_limiter", v.Limiter, "")
	}
	if failure != nil {
		add("failure", string(failure.Kind), "")
		add("failure_text", failure.Text, "")
	}
	return r
}

// configuration returns all knobs of all forms, so that those of a document have the same ones; of another tuner its constants.
func configuration(v *record.MeasuredVariant) map[string]any {
	c := v.Candidate
	out := map[string]any{
		"variant": cmp.Or(c.Rewriter, "original"), "sync": c.Sync, "factor": c.Factor, "of": c.Of, "factor_y": c.FactorY, "unroll": c.Unroll, "shape": c.Extents, "slots": c.SharedSets, "private": c.PrivateRows,
		"stage_loads": c.Stage, "assume_shape": c.Assume, "pin_values": c.Pin, "early_loads": c.Early, "compute_first": c.Compute, "release_early": c.Late, "barrier_register": c.Numbered, "persistent": c.Persistent, "merge": c.GridAxis, "recipe": c.Recipe,
		"rounds": c.Rounds, "by": c.By, "overlay": c.Overlay, "staged": c.Staged, "array": c.Array, "tile": c.Tile, "scheme": c.Scheme, "pad": c.Pad, "vector": c.Vector, "async": c.Async,
		"cap": c.Blocks, "maxrregcount": c.Registers, "carveout": c.Carveout, "constants": string(c.Configuration),
	}
	if constants, ok := v.Configuration().Constants(); ok && v.Subject.Tuner != "" {
		out = map[string]any{}
		for _, c := range constants {
			if out[c.Name] = c.Value; json.Valid([]byte(c.Value)) {
				out[c.Name] = json.RawMessage(c.Value)
			}
		}
	}
	return out
}

func t4Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
