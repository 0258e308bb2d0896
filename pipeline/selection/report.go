package selection

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Report holds what was found out about one group of kernels, most often a single one.
type Report struct {
	// Originals says how the kernel as it is stands in each place.
	Originals []Original `json:"resources"`
	// Ranking holds every legal rewrite: the ranked ones, best first, then those
	// that are excluded. It is empty where no rewrite is legal.
	Ranking []RankedVariant `json:"ranking"`
	// Choice is the rewrite to apply, null for none.
	Choice *Variant `json:"choice"`
	// Unranked tells why nothing could be predicted, "" where something was.
	Unranked string `json:"unranked,omitempty"`
	// Profile holds the measurements of the kernels by Nsight Compute; nil where none are named.
	Profile []profile.Kernel `json:"profile,omitempty"`
	// Assumptions are sentences about what had to be guessed.
	Assumptions []string `json:"assumptions,omitempty"`

	places  []Place
	gpus    []string // asked for, for messages
	minGain float64
}

// Original is a kernel as it stands in one place.
type Original struct {
	GPU   string `json:"gpu"`
	Block string `json:"block"`
	Standing

	kernel string
}

// The codes of what is reported of a choice. Package diag documents each.
const (
	CodeChosen    diag.Code = "chosen"
	CodeNoGain    diag.Code = "no-gain"
	CodeNotRanked diag.Code = "not-ranked"
)

// unranked returns the report on kernels that nothing could be predicted of.
func unranked(req Request, why string) *Report {
	r := &Report{Originals: []Original{}, Ranking: []RankedVariant{}, Unranked: why, minGain: req.MinGain}
	for _, g := range req.GPUs {
		r.gpus = append(r.gpus, g.String())
	}
	return r
}

// study ranks the variants of a group of kernels in the places where they run. Of one whose private rows are chosen
// here, check reports what is against it; nil allows all.
func study(places []Place, ways []Variant, req Request, check func(Variant) error) *Report {
	r := unranked(req, "")
	k, why := newRanker(req, places)
	r.places = k.places
	for i, p := range k.places {
		for _, a := range p.Work.Assumptions {
			r.assume(a)
		}
		if about := sim.AboutGrid(p.GPU, p.Work); about != "" {
			r.assume(about)
		}
		r.Originals = append(r.Originals, Original{p.GPU.String(), p.block(), k.base[i], p.name()})
	}
	if len(k.places) == 0 {
		if why != nil {
			r.Unranked = why.Error()
		}
		return r
	}
	forms, ways := apart(ways)
	if len(ways) > 0 {
		k.compete(k.computing(forms, check))
	}
	ways, undivided := k.divided(ways, check)
	k.askRows(ways)
	ways = k.form(ways, req.group, check)
	r.Ranking = append(k.shortened(k.rank(ways), check), undivided...)
	r.measured(req.Profile)
	for _, p := range r.places {
		for w, f := range p.forms { // their work is asked for further on, the rewritten kernels aren't
			f.Kernel, f.Instance = p.Kernel, p.Instance
			p.forms[w] = f
		}
	}
	if i := Decide(r.Ranking, req.MinGain); i >= 0 {
		w := r.Ranking[i].Variant
		r.Choice = &w
	}
	slices.SortStableFunc(r.Ranking, func(a, b RankedVariant) int { return cmp.Compare(b.Gain, a.Gain) })
	return r
}

// Places returns where the kernel runs, with the resources of the original in their work.
func (r *Report) Places() []Place { return r.places }

// Forget drops the places, and with them the program: what is left of a report is
// its result. Of a tree of thousands of files not all can be kept.
func (r *Report) Forget() { r.places = nil }

// Predicted returns what the model expects of a ranked variant, by place.
func (r *Report) Predicted(w Variant) []Prediction {
	for _, o := range r.Ranking {
		if o.Variant == w && o.Excluded == "" {
			return o.Places
		}
	}
	return nil
}

// For returns what the report says of the kernels of one name, where it is about several that
// are decided on together: the ranking stays that of all.
func (r *Report) For(name string) *Report {
	if r == nil || !slices.ContainsFunc(r.Originals, func(o Original) bool { return o.kernel != name }) {
		return r
	}
	out := *r
	out.Originals = slices.DeleteFunc(slices.Clone(r.Originals), func(o Original) bool { return o.kernel != name })
	out.Ranking = slices.Clone(r.Ranking)
	for i, w := range r.Ranking {
		out.Ranking[i].Places = slices.DeleteFunc(slices.Clone(w.Places), func(p Prediction) bool { return p.kernel != name })
	}
	return &out
}

// assume adds an assumption that was made, once.
func (r *Report) assume(text string) {
	r.Assumptions = lists.Add(r.Assumptions, text)
}

// Decision returns what package rewrite is to do about a kernel at pos.
func (r *Report) Decision(pos diag.Position) rewrite.Decision {
	if r.Choice == nil {
		code := CodeNoGain
		if r.Unranked != "" {
			code = CodeNotRanked
		}
		return rewrite.Decision{Why: []diag.Message{{Pos: pos, Code: code, Text: r.Summary()}}}
	}
	return rewrite.Decision{
		Variant: *r.Choice,
		Why:     []diag.Message{{Pos: pos, Code: CodeChosen, Text: r.Summary()}},
	}
}

// Summary returns in one line what was chosen and why, or why nothing was.
func (r *Report) Summary() string {
	switch {
	case r.Unranked != "":
		return "nothing can be predicted: " + r.Unranked
	case r.Choice != nil:
		return r.chosen()
	}
	return strings.TrimPrefix(r.Limits()+"; "+r.Verdict(), "; ")
}

// find returns the ranked form of a variant.
func (r *Report) find(w Variant) RankedVariant {
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Variant == w })
	return r.Ranking[i]
}

func (r *Report) chosen() string {
	best := r.find(*r.Choice)
	why := perGPU(best.Places, best.why)
	if p := best.Places[0]; len(best.Places) == 1 {
		return fmt.Sprintf("%s for %s, predicted %s: %s", best.Variant, p.GPU, p.gain()+best.interval(), strings.TrimSuffix(why, " on "+p.GPU))
	}
	return fmt.Sprintf("%s, predicted %s on average%s (%s): %s", best.Variant, ratio(best.Gain), best.interval(), perGPU(best.Places, func(p Prediction) string { return ratio(p.Ratio) }), why)
}

// off holds how far measured gains lay from predicted ones of 5 % and more, as factors at the quantiles of 10 and 90 %, of
// rewriters with ten such forms on the H100 (docs/evidence/h100.md).
var off = map[string]struct {
	forms     int
	low, high float64
}{variant.Stage: {18, 0.63, 1.91}}

// interval returns the interval in which the gain lies by what was measured of the rewriter's forms: on the GPU, if a record of it
// corrects the gain; "" if too few were.
func (r RankedVariant) interval() string {
	o, ok := off[r.Rewriter]
	text := ""
	if slices.ContainsFunc(r.Places, func(p Prediction) bool { return p.Corrected > 0 }) {
		text = fmt.Sprintf(" (corrected by %s)", perGPU(r.Places, func(p Prediction) string { return ratio(cmp.Or(p.Corrected, 1)) }))
		c := r.Places[0].by
		if ok = len(r.Places) == 1 && c != nil && c.Low > 0; ok {
			o.forms, o.low, o.high = c.Gains, c.Low/c.Factor, c.High/c.Factor
		}
	}
	if !ok || len(r.Steps()) > 1 {
		return text
	}
	return fmt.Sprintf("%s, %s to %s by %d measured forms", text, ratio(o.low*r.Gain), ratio(o.high*r.Gain), o.forms)
}

// why says why the rewrite is faster in a place.
func (r RankedVariant) why(p Prediction) string {
	var out []string
	if p.starts {
		out = append(out, fmt.Sprintf("short thread blocks start one after the other, and 1/%d as many do", r.Factor))
	} else if p.After.Blocks > p.Before.Blocks {
		out = append(out, fmt.Sprintf("%s per SM hide more latency than %d (limited by %s)", blocks(p.After.Blocks, r.Unit()), p.Before.Blocks, p.Before.Limiters))
	}
	if text := p.Traffic.text(""); text != "" {
		out = append(out, text)
	}
	if r.Rewriter == variant.Coarsen {
		out = append(out, fmt.Sprintf("what %d %s have in common is done once", r.Factor, cmp.Or(r.Of, "thread blocks")))
	}
	if len(out) == 0 {
		return "as many thread blocks per SM"
	}
	return strings.Join(out, ", ")
}

// Limits names what limits the kernel as it is, with the GPUs: "occupancy is full on a100".
func (r *Report) Limits() string {
	places := lists.Map(r.Originals, func(o Original) Prediction { return Prediction{GPU: o.GPU, Block: o.Block, Before: o.Standing} })
	return perGPU(places, func(p Prediction) string { return p.Before.Limit() })
}

// Verdict is Summary without what limits the kernel as it is.
func (r *Report) Verdict() string {
	if r.Unranked != "" || r.Choice != nil {
		return r.Summary()
	}
	text := fmt.Sprintf("no rewrite is expected to gain %s %%", strconv.FormatFloat(r.minGain, 'g', -1, 64))
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Excluded == "" && len(o.Places) > 0 })
	if i < 0 {
		for _, o := range r.Ranking {
			return text + fmt.Sprintf("; %s: %s", o.Variant, o.Excluded)
		}
		return text
	}
	best := r.Ranking[i]
	switch w := best.worst(); {
	case best.Gain < LeastGain:
		return text
	case best.Gain < enough(r.minGain):
		return text + fmt.Sprintf(" (best: %s, %s)", best.Variant, ratio(best.Gain))
	case best.loses():
		return fmt.Sprintf("%s would gain %s on average, but lose on %s, %s", best.Variant, ratio(best.Gain), w.GPU, ratio(w.Ratio))
	case best.Of != "":
		return fmt.Sprintf("%s, predicted %s, is chosen by smux tune alone", best.Variant, ratio(best.Gain))
	case best.Rewriter == variant.Coarsen:
		return fmt.Sprintf("%s, predicted %s, launches fewer thread blocks, which are not known to fill the GPU", best.Variant, ratio(best.Gain))
	}
	return fmt.Sprintf("%s, predicted %s, brings no more thread blocks per SM: it would only load ahead", best.Variant, ratio(best.Gain))
}

// Limit is "registers limit 5 TBs per SM", or that there is no more room.
func (s Standing) Limit() string {
	if s.Occupancy >= 1 {
		return "occupancy is full"
	}
	verb := "limit"
	if len(s.Limiters.List()) == 1 && !strings.HasSuffix(s.Limiters.String(), "s") {
		verb = "limits"
	}
	return fmt.Sprintf("%s %s %s per SM", s.Limiters, verb, blocks(s.Blocks, "thread block"))
}

// Lines returns of each rewrite that show takes what is expected of it, best first.
func (r *Report) Lines(show func(Variant) bool) []string {
	if r.Unranked != "" {
		return []string{r.Summary()}
	}
	var out []string
	for _, o := range r.Ranking {
		switch {
		case !show(o.Variant):
		case o.Excluded != "":
			out = append(out, fmt.Sprintf("%s: %s", o.Variant, o.Excluded))
		default:
			out = append(out, fmt.Sprintf("%s: predicted %s: %s", o.Variant, ratio(o.Gain), perGPU(o.Places, func(p Prediction) string {
				return fmt.Sprintf("%s, %s after, %s", p.Before.Limit(), blocks(p.After.Blocks, o.Unit()), p.gain()+p.Traffic.text(", "))
			})))
		}
	}
	return out
}

// Exclusion is a reason for which rewrites are not considered.
type Exclusion struct {
	Why  string
	Ways []string
}

// Exclusions returns the rewrites that are not considered, by the reason, in the order of the ranking.
func (r *Report) Exclusions() []Exclusion {
	var out []Exclusion
	for _, o := range r.Ranking {
		if o.Excluded == "" {
			continue
		}
		i := slices.IndexFunc(out, func(e Exclusion) bool { return e.Why == o.Excluded })
		if i < 0 {
			i = len(out)
			out = append(out, Exclusion{Why: o.Excluded})
		}
		out[i].Ways = append(out[i].Ways, o.Variant.String())
	}
	return out
}

func blocks(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func ratio(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "x" }

// text is "; loads of a TB: 1024 kB -> 128 kB from the L2, 29 kB -> 31 kB from the DRAM", after what separates it;
// "" for nil.
func (t *TrafficChange) text(before string) string {
	if t == nil {
		return ""
	}
	change := func(a, b float64) string {
		x, y := prose.Bytes(int(a)), prose.Bytes(int(b))
		return fmt.Sprintf("%s -> %s", x, y)
	}
	text := fmt.Sprintf("%sloads of a thread block: %s from the L2, %s from the DRAM", before, change(t.Before.L2, t.After.L2), change(t.Before.DRAM, t.After.DRAM))
	if t.Before.Stores != t.After.Stores { // in whole sectors: of stores that are apart, each moves one
		text += "; stores: " + change(t.Before.Stores, t.After.Stores)
	}
	return text
}

// gain is "1.20x", or "1.20x over stage-loads".
func (p Prediction) gain() string {
	if p.Against == "" {
		return ratio(p.Ratio)
	}
	return ratio(p.Ratio) + " over " + p.Against
}
