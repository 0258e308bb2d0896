package space

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// Enumerate lists the forms: original ones, merged ones, finer knobs of the most promising, combinations, what only times tell of.
func Enumerate(in Input) ([]ListedVariant, []OmittedVariant) {
	l := &list{in: in, model: newModel(in), texts: map[[sha256.Size]byte]string{}, drafts: map[record.TunedVariant]*draft{}}
	l.originals()
	l.sizes()
	merging := l.merging()
	l.ofSteps()
	for i, base := range l.promising(merging) {
		l.behind(base, i == 0)
	}
	l.combined()
	l.byName()
	return l.entries, l.left
}

type list struct {
	in      Input
	model   model
	entries []ListedVariant
	left    []OmittedVariant
	texts   map[[sha256.Size]byte]string   // of what is compiled, the first form that has it
	drafts  map[record.TunedVariant]*draft // what a variant and constants alone make

	shortened bool // a promising form was listed with each knob that makes its turns shorter
}

// add lists a form that was asked for, can be written (else the error is a *record.Failure), and is none of those before.
func (l *list) add(c record.TunedVariant, e expectation) (int, error) {
	if !l.asked(c) {
		return -1, errUnasked
	}
	text, err := l.write(c)
	if err == nil {
		if same, ok := l.texts[text]; ok {
			err = errors.New("its text is that of " + same)
		}
	}
	if err != nil {
		return -1, err
	}
	l.texts[text] = c.String()
	l.entries = append(l.entries, ListedVariant{
		TunedVariant: c, Predicted: e.ratio,
		Registers: e.Registers, Shared: e.Shared, VTBs: e.Blocks, Limiter: e.limiter(), Traits: Traits(c),
	})
	return len(l.entries) - 1, nil
}

// try is add for a form that is left out with the reason where it can't be listed.
func (l *list) try(c record.TunedVariant, e expectation) int {
	at, err := l.add(c, e)
	if err != nil && !errors.Is(err, errUnasked) {
		l.leave(c, err.Error())
	}
	return at
}

func (l *list) leave(c record.TunedVariant, why string) {
	if l.asked(c) {
		l.left = append(l.left, OmittedVariant{c, why})
	}
}

// errUnasked is the reason for forms that were not asked for.
var errUnasked = errors.New("it was not asked for")

// write returns a hash of what is compiled of a form: of what Emit gives.
func (l *list) write(c record.TunedVariant) (sum [sha256.Size]byte, err error) {
	first := record.TunedVariant{Variant: c.Variant, Configuration: c.Configuration}
	d, ok := l.drafts[first]
	if !ok {
		d = newDraft(l.in, first)
		if err := d.each(d.resize, d.rewrite); err != nil {
			return sum, err
		}
		l.drafts[first] = d
	}
	d = &draft{d.Clone(), l.in, c}
	if err := d.each(d.cap, d.carve); err != nil {
		return sum, err
	}
	h := sha256.New()
	fmt.Fprintln(h, c.Registers)
	for _, f := range d.result().Files {
		fmt.Fprintf(h, "%q %d\n%s", f.Name, len(f.After), f.After)
	}
	h.Sum(sum[:0])
	return sum, nil
}

// asked reports whether a form is one of those that the input asks for.
func (l *list) asked(c record.TunedVariant) bool {
	ofGPU := c.Blocks > 0 || c.Registers > 0 || c.Carveout > 0
	return asked(l.in.Options, c) && !(l.in.CPU && ofGPU) && (l.in.All || !rare(l.in.Options.Variant, c))
}

// rare reports whether no form like this one was the best of a kernel on any GPU, and w does not ask for it.
func rare(w rewrite.Variant, c record.TunedVariant) bool {
	alone := 0 // knobs that make turns shorter
	for _, knob := range variant.OfTurns() {
		if *c.Switch(knob) && !*w.Switch(knob) {
			alone++
		}
	}
	switch {
	case c.Rewriter == variant.Dyn, c.Rewriter == variant.VTBPipe:
		return c.Rewriter != w.Rewriter
	case c.Carveout > 0:
		return !c.IsForm()
	}
	return alone == 1 && (c.Early != w.Early || c.Compute != w.Compute || c.Late != w.Late)
}

// asked reports whether options ask for a form. The original and its forms are always, but for rewriters that are named.
func asked(opt rewrite.Options, c record.TunedVariant) bool {
	w := opt.Variant
	if c.GridAxis == "" && w.GridAxis == "x" {
		w.GridAxis = ""
	}
	fits := func(knobs ...string) bool {
		return c.Agrees(w, slices.DeleteFunc(knobs, func(knob string) bool { return !rewriterOf(c.Rewriter).Has(knob) }))
	}
	if c.IsForm() {
		return w.Rewriter == "" || c.Rewriter == "" || (rewrite.Variant{Rewriter: w.Rewriter}).Merges() ||
			c.Rewriter == w.Rewriter && fits(variant.KnobFactor, variant.KnobOf, variant.KnobFactorY, variant.KnobUnroll)
	}
	return (w.Rewriter == "" || c.Rewriter == w.Rewriter) && fits(append(variant.Switches(), variant.KnobFactor, variant.KnobOf, variant.KnobFactorY, variant.KnobUnroll,
		variant.KnobSync, variant.KnobSharedSets, variant.KnobPrivateRows, variant.KnobStage, variant.KnobRounds, variant.KnobBy, variant.KnobArray,
		variant.KnobTile, variant.KnobScheme, variant.KnobShape, variant.KnobPad, variant.KnobGridAxis)...)
}

func rewriterOf(name string) *variant.Rewriter {
	return cmp.Or(variant.Named(name), &variant.Rewriter{})
}

// Traits returns what a form shares with others, as search.Variant has them.
func Traits(c record.TunedVariant) []string {
	var out []string
	add := func(ok bool, text string) {
		if ok {
			out = append(out, text)
		}
	}
	constants, _ := c.Configuration.Constants()
	for _, k := range constants {
		add(true, k.Name)
	}
	add(c.Rewriter != "" && (c.Merges() || rewriterOf(c.Rewriter).Footprint || rewriterOf(c.Rewriter).Searched), c.Rewriter)
	add(c.Sync != "", c.Sync)
	add(c.Factor > 0, fmt.Sprintf("N=%d", c.Factor))
	add(c.SharedSets > 0, fmt.Sprintf("M=%d", c.SharedSets))
	add(c.PrivateRows > 0, fmt.Sprintf("P=%d", c.PrivateRows))
	add(c.GridAxis != "", "merge="+c.GridAxis)
	add(c.Of != "", "of="+c.Of)
	add(c.FactorY > 0, fmt.Sprintf("y=%d", c.FactorY))
	add(c.Unroll != 0, variant.Unroll)
	add(c.Rounds > 0, fmt.Sprintf("R=%d", c.Rounds))
	add(c.By != "", "by="+c.By)
	add(c.Staged, variant.Stage)
	add(c.Tile > 0, fmt.Sprintf("T=%d", c.Tile))
	add(c.Array != "", "array="+c.Array)
	add(c.Scheme != "", "scheme="+c.Scheme)
	add(c.Extents != "", "shape="+c.Extents)
	add(c.Pad != 0, fmt.Sprintf("pad=%d", max(c.Pad, 0)))
	add(c.Rewriter == variant.StageLoads || c.Stage > 0, variant.StageLoads)
	add(c.Stage == variant.NoStage, "unstaged")
	add(c.Rewriter == variant.AssumeShape || c.Assume, "assume")
	add(c.Pin, "pin")
	add(c.Early, "early")
	add(c.Compute, "compute")
	add(c.Late, "late")
	add(c.Numbered, "numbered")
	add(c.Persistent, "persistent")
	add(c.Blocks > 0 || c.Registers > 0, "cap")
	add(c.Carveout > 0, "carveout")
	return out
}
