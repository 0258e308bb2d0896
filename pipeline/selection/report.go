package selection

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite"
)

// Report holds what was found out about one group of kernels, most often a single
// one.
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

// study ranks the variants of a group of kernels in the places where they run. Of one
// whose private rows are chosen here, check reports what is against it; nil
// allows all.
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

// Places returns where the kernel runs, with the resources of the original in their
// work.
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
	if !slices.Contains(r.Assumptions, text) {
		r.Assumptions = append(r.Assumptions, text)
	}
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
