package replays

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/record"
)

// lines returns the record of a folder.
func (m *measurements) lines(name string, manifest *bundle.Manifest) (out []record.Line) {
	originals := m.times(place{name, formOf(manifest.Forms[0].Folder)}, manifest.Subject.Kernel)
	for _, f := range manifest.Forms {
		v := f.Variant
		v.Subject.Machine.Device, v.Subject.Machine.Driver, v.Subject.Machine.Toolkit = m.device, m.driver, m.toolkit
		v.Subject.How = record.Protocol{WarmUp: 1, Inner: batches}
		key := v.Key()
		at := place{name, formOf(f.Folder)}
		runs, check := m.times(at, v.Subject.Kernel), m.checks[at]
		failure := failureOf(check)
		if len(runs) == 0 && failure == nil || len(originals) == 0 {
			continue // not measured
		}
		out = append(out, record.Line{Schema: record.Schema, Key: key, Time: m.when, Variant: &v})
		if failure != nil {
			out = append(out, record.Line{Schema: record.Schema, Key: key, Time: m.when, Failure: failure})
			continue
		}
		for turn, r := range runs {
			p := record.Pair{Phase: record.Search, Turn: turn, Base: nearest(originals, r), Variant: r.ms, Apart: true}
			p.Checked = record.Evidence{Copies: 1, Bytes: check.bytes}
			if check.bytes == 0 {
				p.Checked = record.Evidence{Lines: 1}
			}
			out = append(out, record.Line{Schema: record.Schema, Key: key, Time: m.when, Pair: &p})
		}
	}
	return out
}

// batches is the number of batches of each process for a launch.
const batches = 3

// run is a process's times of the kernel, summed up over its launches.
type run struct {
	at int // among all processes
	ms []float64
}

// times returns the runs of a form in which the kernel was launched.
func (m *measurements) times(of place, kernel string) (out []run) {
	kernel = strconv.Itoa(len(kernel)) + kernel // as it is mangled
	for i, t := range m.runs {
		if t.place != of {
			continue
		}
		var sum []float64
		for _, l := range t.launches {
			if !strings.Contains(l.kernel, kernel) {
				continue
			}
			if sum == nil {
				sum = make([]float64, len(l.ms))
			}
			for j := range sum {
				sum[j] += l.ms[j]
			}
		}
		if sum != nil {
			out = append(out, run{i, sum})
		}
	}
	return out
}

// nearest returns the original's times that were measured nearest to a run, but not those of the run itself where
// there are others.
func nearest(originals []run, r run) []float64 {
	distance := func(o run) int {
		switch d := o.at - r.at; {
		case d == 0:
			return 1 << 30
		case d < 0:
			return -d
		default:
			return d
		}
	}
	return slices.MinFunc(originals, func(a, b run) int { return distance(a) - distance(b) }).ms
}

// failureOf returns what is wrong with a form by its check, nil for nothing.
func failureOf(c checked) *record.Failure {
	kind, text, _ := strings.Cut(c.result, " ")
	switch kind {
	case "", "equal":
		return nil
	case "compile":
		return &record.Failure{Kind: record.FailedCompile, Text: text}
	case "timeout":
		return &record.Failure{Kind: record.FailedTimeout, Text: text}
	case "output":
		return &record.Failure{Kind: record.FailedOutput, Text: text}
	}
	return &record.Failure{Kind: record.FailedRun, Text: text}
}
