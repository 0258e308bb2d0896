package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

const (
	drifts   = 0.03  // part by which times change over a run
	scatters = 0.10  // of the original's times, part of their median
	clockGap = 0.05  // part by which a clock falls
	warms    = 15    // degrees Celsius
	shortest = 0.010 // milliseconds of a kernel; events tell about half a microsecond apart
	byChance = 0.01
	minOrder = 6    // pairs from which on their order is looked at
	orderGap = 0.02 // between the ratios of both orders
)

func (d *decision) remark() {
	switch d.about.Machine.On {
	case "cpu":
		d.say("These are times of the CPU engine: they say nothing of a GPU.")
	case "model":
		d.say("These times were computed by the model of a GPU, with noise: nothing was measured.")
	}
	d.remarkNoise()
	devices := map[int][]*record.Pair{}
	for _, p := range d.pairs {
		devices[p.Device] = append(devices[p.Device], p)
	}
	for _, device := range slices.Sorted(maps.Keys(devices)) {
		on := ""
		if len(devices) > 1 {
			on = fmt.Sprintf(" on device %d", device)
		}
		d.remarkDrift(devices[device], on)
		d.remarkState(devices[device], on)
	}
	d.remarkOrder()
	d.remarkFirst()
	d.remarkUnchecked()
	d.remarkTested()
}

func (d *decision) say(format string, args ...any) {
	d.verdict.Remarks = append(d.verdict.Remarks, fmt.Sprintf(format, args...))
}

func (d *decision) remarkNoise() {
	at := d.originalRow()
	if at < 0 || d.verdict.Rows[at].Search.Pairs == 0 {
		if len(d.pairs) > 0 {
			d.say("The original was not measured against itself: the noise of this machine is unknown.")
		}
		return
	}
	row := d.verdict.Rows[at]
	if d.verdict.Floor > 0 {
		d.say("The original is %s times as fast as itself: gains below %.2g %% are not trusted.", spoken(row.Search), d.verdict.Floor)
	}
	if d.about.Machine.On == "gpu" && row.Base < shortest {
		d.say("The kernel takes %.3g ms, and events tell about 0.0005 ms apart.", row.Base)
	}
}

func (d *decision) remarkDrift(pairs []*record.Pair, on string) {
	var times []float64
	for _, p := range pairs {
		if p.Against == "" {
			times = append(times, Median(p.Base))
		}
	}
	drift := DriftOf(times)
	word, part := "slower", drift.Change
	if part < 0 {
		word, part = "faster", -part
	}
	if part >= drifts && drift.Chance < byChance {
		d.say("The original became %s %s%s over the run; pairs are compared, so it makes intervals wider, and no variant better.", percent(part), word, on)
	}
	if drift.Scatter >= scatters {
		d.say("The original's times scatter by %s%s.", percent(drift.Scatter), on)
	}
}

func (d *decision) remarkState(pairs []*record.Pair, on string) {
	var clocks, heat []int
	held := map[string]int{}
	read := 0
	for _, p := range pairs {
		if p.State == nil {
			continue
		}
		read++
		if p.State.ClockSM > 0 {
			clocks = append(clocks, p.State.ClockSM)
		}
		if p.State.Temperature > 0 {
			heat = append(heat, p.State.Temperature)
		}
		if p.State.Throttled != "" {
			held[p.State.Throttled]++
		}
	}
	if len(clocks) > 0 && float64(slices.Min(clocks)) < (1-clockGap)*float64(slices.Max(clocks)) {
		d.say("The SM clock was between %d and %d MHz%s.", slices.Min(clocks), slices.Max(clocks), on)
	}
	if len(heat) > 0 && slices.Max(heat)-slices.Min(heat) >= warms {
		d.say("The temperature was between %d and %d degrees Celsius%s.", slices.Min(heat), slices.Max(heat), on)
	}
	reasons := slices.SortedFunc(maps.Keys(held), func(a, b string) int { return cmp.Or(held[b]-held[a], strings.Compare(a, b)) })
	for _, reason := range reasons {
		d.say("The clocks were held down (%s) in %d of %d measurements%s.", reason, held[reason], read, on)
	}
}

// remarkOrder looks at which of a pair ran first. An order that never changes passes for a difference.
func (d *decision) remarkOrder() {
	first, second := d.byOrder()
	if len(first)+len(second) < minOrder {
		return
	}
	if len(first) == 0 || len(second) == 0 {
		always := "original"
		if len(second) == 0 {
			always = "variant"
		}
		d.say("In each pair the %s ran first: an effect of the order would pass for a gain or a loss.", always)
		return
	}
	effect := Estimate(first, d.rules.Confidence).Over(Estimate(second, d.rules.Confidence))
	if effect.Excludes(1) && effect.Median >= 1+orderGap {
		d.say("The second run of a pair is %s slower: that makes intervals wider.", percent((effect.Median-1)/2))
	}
	if effect.Excludes(1) && effect.Median <= 1-orderGap {
		d.say("The first run of a pair is %s slower: that makes intervals wider.", percent((1-effect.Median)/2))
	}
}

// byOrder sorts the pairs of the search by whether the variant ran first, each as a part of its variant's ratio.
func (d *decision) byOrder() (first, second []Sample) {
	for _, v := range d.variants {
		ratio := Estimate(v.search, d.rules.Confidence).Median
		for i, s := range v.search {
			part := Sample{Base: []float64{s.Ratio()}, Variant: []float64{ratio}}
			if v.first[i] {
				first = append(first, part)
			} else {
				second = append(second, part)
			}
		}
	}
	return first, second
}

func (d *decision) remarkFirst() {
	for _, v := range d.variants {
		samples := slices.Concat(v.search, v.confirm)
		if len(samples) < Needs(d.rules.Confidence) {
			continue
		}
		if first, behind, ok := FirstRepetition(samples, d.rules.Confidence); ok && first.Low > behind.High {
			d.say("%s is faster in the first repetition of a run, %s, than after it, %s; only the latter counts.", v.about.Name, spoken(first), spoken(behind))
		}
	}
}

// remarkUnchecked notes that outputs of timed runs alone were compared, which may be those of an earlier launch.
func (d *decision) remarkUnchecked() {
	on := d.about.Machine.On
	if on != "gpu" && on != "cpu" || d.about.Bench != "" {
		return
	}
	for _, v := range d.variants {
		if !v.original() && v.failure == nil && v.checked.Bytes > 0 && v.checked.Memory == 0 {
			d.say("There was no check run: the device's memory was compared only where the host copies it, and a form that leaves the results of an earlier launch in place would not be seen.")
			return
		}
	}
}

// TestedOnly is the remark on forms that give a constant another value.
const TestedOnly = "tested, not proved"

func (d *decision) remarkTested() {
	var names []string
	for _, v := range d.variants {
		if v.about.Candidate.Tested() && v.failure == nil && d.about.Tuner == "" {
			names = append(names, v.about.Name)
		}
	}
	if len(names) > 0 {
		d.say("%s: %s. A constant has another value there, and only the outputs that were compared say that the program computes the same.", strings.Join(names, ", "), TestedOnly)
	}
}
