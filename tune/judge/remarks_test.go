package judge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

func TestRemarksSayWhatMakesMeasurementsDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i int, l *record.Line)
		want   []string
	}{
		"nothing": {func(int, *record.Line) {}, nil},
		"drift": {func(i int, l *record.Line) {
			l.Pair.Base[0] *= 1 + 0.002*float64(i)
			l.Pair.Variant[0] *= 1 + 0.002*float64(i)
		}, []string{"% slower over the run"}},
		"scatter": {func(i int, l *record.Line) {
			l.Pair.Base[0] *= 1 + 0.4*float64(i%3)
			l.Pair.Variant[0] *= 1 + 0.4*float64(i%3)
		}, []string{"scatter by"}},
		"clocks": {func(i int, l *record.Line) { l.Pair.State = &record.State{ClockSM: 1980 - i*20} }, []string{"SM clock was between"}},
		"heat":   {func(i int, l *record.Line) { l.Pair.State = &record.State{Temperature: 40 + i} }, []string{"between 40 and 63 degrees"}},
		"throttled": {func(i int, l *record.Line) {
			l.Pair.State = &record.State{ClockSM: 1500}
			if i%2 == 0 {
				l.Pair.State.Throttled = "power cap"
			}
		}, []string{"held down (power cap) in 12 of 24 measurements"}},
		"devices": {func(i int, l *record.Line) {
			l.Pair.Device = i % 2
			l.Pair.State = &record.State{Temperature: 40 + i%2*i}
		}, []string{"degrees Celsius on device 1"}},
		"order": {func(i int, l *record.Line) { l.Pair.VariantFirst = false }, []string{"the original ran first"}},
		"second": {func(i int, l *record.Line) {
			if l.Pair.VariantFirst {
				l.Pair.Base[0] *= 1.04
			} else {
				l.Pair.Variant[0] *= 1.04
			}
		}, []string{"The second run of a pair is 4"}},
		"short":     {func(i int, l *record.Line) { l.Pair.Base[0], l.Pair.Variant[0] = 0.002, 0.002 }, []string{"takes 0.002 ms"}},
		"unchecked": {func(i int, l *record.Line) { l.Pair.Checked.Memory = 0 }, []string{"There was no check run"}},
		"cpu":       {nil, []string{"say nothing of a GPU"}},
		"model":     {nil, []string{"computed by the model"}},
	} {
		t.Run(name, func(t *testing.T) {
			was := kernel
			defer func() { kernel = was }()
			if c.change == nil {
				kernel.Machine.On = name
			}
			r := newRun(judge.DefaultRules(), speeds(nil))
			r.search(12, original, merging(2))
			i := 0
			for at := range r.lines {
				if l := &r.lines[at]; l.Pair != nil && c.change != nil {
					c.change(i, l)
					i++
				}
			}
			v := judge.Of(r.lines, judge.DefaultRules())[0]
			assert.Len(t, v.Remarks, len(c.want), "%q", v.Remarks)
			for _, part := range c.want {
				assert.Contains(t, strings.Join(v.Remarks, "\n"), part)
			}
		})
	}
}

func TestWithoutTheOriginalsOwnPairsTheFloorIsUnknown(t *testing.T) {
	r := newRun(judge.DefaultRules(), speeds(map[string]float64{merging(2).String(): 1.2}))
	r.search(6, merging(2))
	v := r.finish(t)
	assert.Equal(t, merging(2).String(), name(v))
	assert.Equal(t, -1, v.Form)
	assert.Contains(t, v.Remarks[0], "not measured against itself")
}

// A program may print what has nothing to do with its outputs; a command's output is
// all that there is to see.
func TestPrintedLinesAreNoOutputsOfAKernel(t *testing.T) {
	for on, correct := range map[string]string{"gpu": "not compared", "cpu": "not compared", "command": "yes"} {
		row := judge.Row{MeasuredVariant: record.MeasuredVariant{Subject: record.Subject{Machine: record.Machine{On: on}}}, Checked: record.Evidence{Lines: 3}}
		row.Search.Pairs = 6
		assert.Equal(t, correct, row.Correct(), on)
		row.Checked = record.Evidence{Memory: 64}
		assert.Equal(t, "yes", row.Correct(), "all that check runs leave was compared")
	}
}

func TestWhatAModelMadeUpIsNotCalledCorrect(t *testing.T) {
	row := judge.Row{MeasuredVariant: record.MeasuredVariant{Subject: record.Subject{Machine: record.Machine{On: "model"}}}, Checked: record.Evidence{Bytes: 64}}
	row.Search.Pairs = 6
	assert.Equal(t, "-", row.Correct())
}
