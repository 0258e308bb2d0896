package space

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// Enumerate lists the forms: the original first, the other original forms behind
// it, then what merges thread blocks, and last what is tried behind the most
// promising of those. The same input gives the same list.
func Enumerate(in Input) ([]Entry, []Left) {
	l := &list{in: in, model: newModel(in), texts: map[[sha256.Size]byte]string{}, drafts: map[rewrite.Way]*draft{}}
	l.originals()
	merging := l.merging()
	for i, base := range l.promising(merging) {
		l.behind(base, i == 0)
	}
	return l.entries, l.left
}

// list is the forms as they are found.
type list struct {
	in      Input
	model   model
	entries []Entry
	left    []Left
	texts   map[[sha256.Size]byte]string // of what is compiled, the first form that has it
	drafts  map[rewrite.Way]*draft       // what a way alone makes
}

// add lists a form that was asked for, can be written, and is none of those before.
// It returns its index, or -1 and why it is left out: a *record.Failure where it can't
// be written.
func (l *list) add(c record.Candidate, e expectation) (int, error) {
	if !asked(l.in.Options, c) {
		return -1, errUnasked
	}
	text, err := l.write(c)
	if err == nil {
		if same, ok := l.texts[text]; ok {
			err = &sameError{same}
		}
	}
	if err != nil {
		return -1, err
	}
	l.texts[text] = c.String()
	l.entries = append(l.entries, Entry{
		Candidate: c, Predicted: e.ratio,
		Registers: e.Registers, Shared: e.Shared, VTBs: e.Blocks, Limiter: e.limiter(), Traits: Traits(c),
	})
	return len(l.entries) - 1, nil
}

// try is add for a form that is left out with the reason where it can't be listed.
func (l *list) try(c record.Candidate, e expectation) int {
	at, err := l.add(c, e)
	if err != nil && !errors.Is(err, errUnasked) {
		l.leave(c, err.Error())
	}
	return at
}

func (l *list) leave(c record.Candidate, why string) {
	if asked(l.in.Options, c) {
		l.left = append(l.left, Left{c, why})
	}
}

// errUnasked is the reason for what nobody wants to know of.
var errUnasked = errors.New("it was not asked for")

// sameError says that a form's text is that of another one.
type sameError struct{ other string }

func (e *sameError) Error() string { return "its text is that of " + e.other }

// write is a hash of what is compiled of a form: of what Emit gives.
func (l *list) write(c record.Candidate) (sum [sha256.Size]byte, err error) {
	d, ok := l.drafts[c.Way]
	if !ok {
		d = newDraft([]Choice{{l.in, record.Candidate{Way: c.Way}}})
		if err := d.each(d.rewriteAll, d.assumeAll); err != nil {
			return sum, err
		}
		l.drafts[c.Way] = d
	}
	d = d.clone([]Choice{{l.in, c}})
	if err := d.each(d.capAll, d.carveAll); err != nil {
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

// asked reports whether a form is one of those that options ask for. The original
// and its forms are, unless one of these is asked for by name: gains are told
// against them.
func asked(opt rewrite.Options, c record.Candidate) bool {
	w := opt.Way
	if c.IsForm() {
		return w.Variant == "" || c.Variant == "" || c.Variant == w.Variant || (rewrite.Way{Variant: w.Variant}).Merges()
	}
	r := rewriterOf(c.Variant)
	fits := func(knob string, free, same bool) bool { return free || same || !r.Has(knob) }
	return (w.Variant == "" || c.Variant == w.Variant) &&
		fits(rewrite.KnobFactor, w.Factor == 0, c.Factor == w.Factor) &&
		fits(rewrite.KnobSync, w.Sync == "", c.Sync == w.Sync) &&
		fits(rewrite.KnobSlots, w.Slots == 0, c.Slots == w.Slots) &&
		fits(rewrite.KnobPrivate, w.Private == 0, c.Private == w.Private) &&
		fits(rewrite.KnobStage, w.Stage == 0, c.Stage == w.Stage) &&
		fits(rewrite.KnobAssume, !w.Assume, c.Assume) &&
		fits(rewrite.KnobMerge, w.Merge == "", c.Merge == w.Merge || c.Merge == "" && w.Merge == "x")
}

// rewriterOf is the rewriter of a name that a candidate has.
func rewriterOf(name string) *rewrite.Rewriter {
	for _, r := range rewrite.Rewriters {
		if r.Name == name {
			return r
		}
	}
	return &rewrite.Rewriter{}
}

// Traits are what a form shares with others, as search.Item has them.
func Traits(c record.Candidate) []string {
	var out []string
	add := func(ok bool, text string) {
		if ok {
			out = append(out, text)
		}
	}
	add(c.Variant != "" && c.Merges(), c.Variant)
	add(c.Sync != "", c.Sync)
	add(c.Factor > 0, fmt.Sprintf("N=%d", c.Factor))
	add(c.Slots > 0, fmt.Sprintf("M=%d", c.Slots))
	add(c.Private > 0, fmt.Sprintf("P=%d", c.Private))
	add(c.Merge != "", "merge="+c.Merge)
	add(c.Variant == staged || c.Stage > 0, "stage")
	add(c.Stage == rewrite.NoStage, "unstaged")
	add(c.Variant == "assume-shape" || c.Assume, "assume")
	add(c.Blocks > 0 || c.Registers > 0, "cap")
	add(c.Carveout > 0, "carveout")
	return out
}
