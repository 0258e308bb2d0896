package variant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
)

// MostBlocks is the most thread blocks that a person may ask to have merged: they
// are merged along z of a block, which ends there.
const MostBlocks = hardware.MaxBlockDimZ

// MostRounds is in how many rounds a person may ask to have an exchange made.
const MostRounds = 4

// MostPad is the largest number of elements with which a person may ask to have the rows of a tile padded.
const MostPad = 32

// MostTile is the largest number of iterations of a loop that a person may ask to have staged at a time.
const MostTile = 1 << 10

// An Error says why a text is not a variant of a rewrite.
type Error struct {
	Text string
	Help string // one line, "" for none
}

// Error returns the text without the help.
func (e *Error) Error() string { return e.Text }

func errorf(help, format string, args ...any) *Error {
	return &Error{fmt.Sprintf(format, args...), help}
}

// Parse reads what Variant.String writes, such as "vtb named N=2" or "dyn lock N=4 M=2 K=0"; rewriter and sync mode
// may be joined, as in "vtb-named N=2", and the order of the knobs is free. What is not said is as on the command
// line: N is 2, M of dyn is 1, and the rest is left to the rewriter. The error is a *Error.
func Parse(text string) (Variant, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Variant{}, errorf("write vtb-named N=2, for example", "no rewrite is named")
	}
	rw, sync := nameOf(words[0])
	if rw == nil {
		return Variant{}, errorf(diag.DidYouMean(words[0], names(), "the rewrites are"), "%q is not a rewrite", words[0])
	}
	p := variantParser{rewriter: rw, variant: Variant{Rewriter: rw.Name}, seen: map[string]bool{}}
	if sync != "" {
		words[0] = sync
	} else {
		words = words[1:]
	}
	for _, word := range words {
		if err := p.word(word); err != nil {
			return Variant{}, err
		}
	}
	w, err := p.finish()
	if err != nil {
		return Variant{}, err
	}
	return w, nil
}

// nameOf finds the rewriter of a name, or those of a rewriter and of one of its
// sync modes with a hyphen between. The rewriter is nil where there is none.
func nameOf(word string) (rw *Rewriter, sync string) {
	if r := Named(word); r != nil {
		return r, ""
	}
	for _, r := range Rewriters {
		for _, s := range r.Syncs {
			if s != "" && word == r.Name+"-"+s {
				return r, s
			}
		}
	}
	return nil, ""
}

// names are the words that a variant may begin with.
func names() []string {
	out := Names()
	for _, r := range Rewriters {
		for _, s := range r.Syncs {
			if s != "" {
				out = append(out, r.Name+"-"+s)
			}
		}
	}
	return out
}

// recipeKeys are the parts of a recipe.
var recipeKeys = []string{"bounds", "maxnreg", "unroll", "pin", "demote", "form", "spill"}

// variantParser reads the words after a rewriter's name.
type variantParser struct {
	rewriter *Rewriter
	variant  Variant
	seen     map[string]bool // knobs, and parts of a recipe
	recipe   []string
}

// word takes one word. The result is a plain error, so that nil is nil.
func (p *variantParser) word(word string) error {
	key, value, assigned := strings.Cut(word, "=")
	switch {
	case slices.Contains(Syncs, word):
		return p.set(KnobSync, word, func() error { return p.sync(word) })
	case p.variant.Switch(word) != nil:
		return p.set(word, word, func() error { *p.variant.Switch(word) = true; return nil })
	case assigned && slices.Contains(recipeKeys, key) && (key != Unroll || p.rewriter.Has(KnobRecipe)):
		if err := p.set(KnobRecipe, word, func() error { return nil }); err != nil {
			return err
		}
		p.recipe = append(p.recipe, word)
		return p.once(key)
	}
	for _, k := range knobs {
		if !assigned || k.key != key || key == "" {
			continue
		}
		return p.set(k.name, word, func() error {
			if at, ok := k.at(&p.variant).(*int); ok {
				return k.read(at, value, p.rewriter)
			}
			switch k.name {
			case KnobOf:
				return p.of(value)
			case KnobBy:
				return p.by(value)
			case KnobArray:
				return p.array(value)
			case KnobScheme:
				return p.scheme(value)
			case KnobShape:
				return p.shape(value)
			}
			return p.merge(value)
		})
	}
	return p.unknown(word)
}

// set calls f for a knob that the rewriter has, unless it was set before.
func (p *variantParser) set(knob, word string, f func() error) error {
	if !p.rewriter.Has(knob) {
		return errorf(p.has(), "%s does not have what %q sets", p.rewriter.Name, word)
	}
	if knob != KnobRecipe {
		if err := p.once(knob); err != nil {
			return err
		}
	}
	return f()
}

func (p *variantParser) once(name string) error {
	if p.seen[name] {
		return errorf("omit one", "%s is said twice", name)
	}
	p.seen[name] = true
	return nil
}

// has says which words may stand after the rewriter's name.
func (p *variantParser) has() string {
	words := p.words()
	if len(words) == 0 {
		return "write " + p.rewriter.Name + " alone"
	}
	return p.rewriter.Name + " takes: " + strings.Join(words, ", ")
}

func (p *variantParser) words() (out []string) {
	for _, k := range knobs {
		switch {
		case !p.rewriter.Has(k.name):
		case k.name == KnobSync:
			out = append(out, p.rewriter.Syncs...)
		case k.name == KnobRecipe:
			for _, part := range recipeKeys {
				out = append(out, part+"=…")
			}
		default:
			out = append(out, k.example)
		}
	}
	return out
}

func (p *variantParser) sync(sync string) error {
	if !slices.Contains(p.rewriter.Syncs, sync) {
		return errorf(p.has(), "%s does not take turns by %s", p.rewriter.Name, sync)
	}
	p.variant.Sync = sync
	return nil
}

func (p *variantParser) merge(value string) error {
	switch value {
	case "x":
		p.variant.GridAxis = ""
	case "y", "z":
		p.variant.GridAxis = value
	default:
		return errorf("write merge=x, merge=y or merge=z", "%q is not a dimension of a grid", value)
	}
	return nil
}

func (p *variantParser) of(value string) error {
	if value != Blocks && value != Threads {
		return errorf("write of="+Threads+" or of="+Blocks, "%q has no work to put together", value)
	}
	p.variant.Of = value
	return nil
}

func (p *variantParser) by(value string) error {
	if !slices.Contains(By, value) {
		return errorf("write by="+strings.Join(By[:len(By)-1], ", by=")+" or by="+By[len(By)-1], "%q is nothing to cut an exchange by", value)
	}
	p.variant.By = value
	return nil
}

func (p *variantParser) array(value string) error {
	if !isName(value) {
		return errorf("write array=a, for example", "%q is not the name of an array", value)
	}
	p.variant.Array = value
	return nil
}

func (p *variantParser) scheme(value string) error {
	if !slices.Contains(Schemes, value) {
		return errorf(diag.DidYouMean(value, Schemes, "the schemes are"), "%q is not a form in which arrays are staged", value)
	}
	p.variant.Scheme = value
	return nil
}

func (p *variantParser) shape(value string) error {
	if _, err := hardware.ParseBlock(value); err != nil {
		return errorf("write shape=32,8, for example", "the shape of a block: %v", err)
	}
	p.variant.Extents = value
	return nil
}

// isName reports whether a text is a name as C++ has them.
func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// read reads a knob of a rewriter that is a number. 0, where it may be asked for, is NoStage, or Full.
func (k knob) read(at *int, value string, of *Rewriter) error {
	n, err := strconv.Atoi(value)
	if err != nil || strconv.Itoa(n) != value {
		return errorf("write "+k.example+", for example", "%s=%s is not a number", k.key, value)
	}
	if k.name == KnobFactor {
		k.least = of.LeastFactor()
	}
	if slices.Contains([]string{KnobFactor, KnobFactorY, KnobUnroll}, k.name) && n > MostBlocks {
		return errorf(fmt.Sprintf("%s is from %d to %d", k.key, k.least, MostBlocks), "%s=%d is too large", k.key, n)
	}
	if k.key == "R" && n > MostRounds {
		return errorf(fmt.Sprintf("R is from 2 to %d", MostRounds), "R=%d is too large", n)
	}
	if k.key == "T" && n > MostTile {
		return errorf(fmt.Sprintf("T is from 1 to %d", MostTile), "T=%d is too large", n)
	}
	if k.key == "vector" && n != 2 && n != 4 {
		return errorf("vectors have 2 or 4 elements", "vector=%d is no vector", n)
	}
	if k.key == "pad" && n > MostPad {
		return errorf(fmt.Sprintf("pad is from 0 to %d", MostPad), "pad=%d is too large", n)
	}
	if n < k.least {
		return errorf(fmt.Sprintf("%s is %d or more", k.key, k.least), "%s=%d is too small", k.key, n)
	}
	if *at = n; n == 0 {
		*at = NoStage
	}
	return nil
}

// unknown says of a word that it is nothing, and what may have been meant.
func (p *variantParser) unknown(word string) error {
	name, value, assigned := strings.Cut(word, "=")
	for _, k := range knobs {
		// The names that flags and the reports have for the knobs.
		if assigned && k.key != "" && (strings.EqualFold(name, k.key) || name == k.name) {
			return errorf(fmt.Sprintf("did you mean %q?", k.key+"="+value), "%q is not a knob of a rewrite", word)
		}
	}
	return errorf(diag.DidYouMean(word, p.words(), p.rewriter.Name+" takes"), "%q is not a knob of a rewrite", word)
}

// finish puts the recipe in and what was not said, and compares what was.
func (p *variantParser) finish() (Variant, error) {
	w := p.variant
	recipe, err := ParseRecipe(strings.Join(p.recipe, " "))
	if err != nil {
		return Variant{}, errorf("write demote bounds=256,3 unroll=57:1, for example", "the recipe can't be read: %v", err)
	}
	w.Recipe = recipe.String()
	w = w.WithDefaults()
	if w.FactorY > 0 && w.GridAxis == "y" {
		return Variant{}, errorf("omit merge=y, or y=", "merge=y and y=%d are the same axis", w.FactorY)
	}
	if w.SharedSets >= w.Factor && w.SharedSets > 1 {
		return Variant{}, errorf("give fewer sets, or merge more blocks", "M=%d is not less than N=%d: every merged block would have a set of its own", w.SharedSets, w.Factor)
	}
	return w, nil
}
