package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// kind is the kind of report on a kernel.
type kind int

const (
	undecided kind = iota
	changes        // it would be rewritten
	noGain         // it could be, and isn't
	refusal        // it cannot be
	silent         // there is nothing to share
)

// markdownEntry is a kernel with its verdict.
type markdownEntry struct {
	Kernel
	kind    kind
	way     rewrite.Variant // of one that would be rewritten
	reasons []diag.Message  // why it is left alone, or what is to be known of the rewrite
}

// codes of choices are not refusals: the rewrite was possible.
var choices = []diag.Code{selection.CodeNoGain, selection.CodeNotRanked}

// newMarkdownEntry finds the verdict on a kernel.
func newMarkdownEntry(k Kernel) markdownEntry {
	e := markdownEntry{Kernel: k}
	switch {
	case k.Result != nil && k.Result.Rewriter != "":
		e.kind, e.way, e.reasons = changes, k.Result.Variant, k.Result.Notes
	case k.Result != nil:
		e.reasons = k.Result.Refused
	case k.Request.Decides():
		e.requested()
	case k.Model != nil && k.Model.Choice != nil:
		e.kind, e.way = changes, *k.Model.Choice
		e.reasons = k.Model.Decision(k.Position).Why
	case k.Model != nil && rewrite.CanGain(k.Offers):
		e.reasons = k.Model.Decision(k.Position).Why
	default:
		e.reasons = refusedAll(k)
	}
	if e.kind != undecided {
		return e
	}
	e.kind = refusal
	only := func(codes ...diag.Code) bool {
		return !slices.ContainsFunc(e.reasons, func(m diag.Message) bool { return !slices.Contains(codes, m.Code) })
	}
	switch {
	case only(rewrite.CodeNoShared):
		e.kind = silent
	case only(choices...):
		e.kind = noGain
	}
	return e
}

// requested returns the verdict that a person has given.
func (e *markdownEntry) requested() {
	w, m := e.Request, diag.Message{Pos: e.Position, Text: e.Request.Text()}
	switch {
	case w.Wrong != nil:
		m = *w.Wrong
	case w.Leave != "":
		m.Code = config.CodeLeft
	case w.Done():
		m.Code = rewrite.CodeAlready
	case len(w.Refused) > 0:
		m.Code = config.CodePinRefused
	default:
		m.Code = config.CodePinned
		if way, err := variant.Parse(w.Pin); err == nil { // Request has it from a Variant
			e.kind, e.way = changes, way
		}
	}
	e.reasons = []diag.Message{m}
}

// refusedAll returns the reasons of the first rewrite: what is said to a person who asks for none in particular.
func refusedAll(k Kernel) []diag.Message {
	for _, o := range k.Offers {
		if len(o.Refused) > 0 {
			return o.Refused
		}
	}
	return k.Hazards
}

// markdownRow says how a kernel stands in one place, before and after.
type markdownRow struct {
	gpu, block, limit, blocks, registers, gain string
	estimated                                  bool
}

// rows returns the places where the kernel runs, each once.
func (e markdownEntry) rows() []markdownRow {
	if e.Model == nil {
		return nil
	}
	var out []markdownRow
	add := func(r markdownRow) {
		out = lists.Add(out, r)
	}
	var predicted []selection.Prediction
	if e.kind == changes {
		predicted = e.Model.Predicted(e.way)
	}
	for _, p := range predicted {
		r := markdownRow{gpu: p.GPU, block: p.Block, gain: fmt.Sprintf("%.2fx", p.Ratio), estimated: !p.Before.Compiled() || !p.After.Compiled()}
		r.limit = arrow(p.Before.Limiters.String(), p.After.Limiters.String())
		r.blocks = fmt.Sprintf("%d → %d", p.Before.Blocks, p.After.Blocks)
		r.registers = arrow(fmt.Sprint(p.Before.Registers), fmt.Sprint(p.After.Registers))
		add(r)
	}
	if len(predicted) > 0 {
		return out
	}
	for _, o := range e.Model.Originals {
		add(markdownRow{gpu: o.GPU, block: o.Block, limit: o.Limiters.String(), blocks: fmt.Sprint(o.Blocks), registers: fmt.Sprint(o.Registers), estimated: !o.Compiled()})
	}
	return out
}

// arrow is "before → after", or what both are.
func arrow(before, after string) string {
	if before == after {
		return before
	}
	return before + " → " + after
}

// briefly returns why for a row of a table: of many rewrites that gain too little the best is named alone.
func (e markdownEntry) briefly() string {
	if e.kind == noGain && e.Model != nil && len(e.reasons) == 1 && strings.HasPrefix(e.reasons[0].Text, "no variant is expected to gain") {
		for _, r := range e.Model.Ranking {
			if r.Excluded == "" && r.Gain > 0 {
				return fmt.Sprintf("%s: best is %s, %.2fx", markdownCode(string(e.reasons[0].Code)), markdownCode(r.Variant.String()), r.Gain)
			}
		}
	}
	return e.why()
}

// why returns the reasons in words, each with its code.
func (e markdownEntry) why() string {
	var out []string
	for _, m := range e.reasons {
		if e.kind == changes && m.Code == selection.CodeChosen && len(e.rows()) > 0 {
			continue // the table shows it
		}
		if line := fmt.Sprintf("%s: %s", markdownCode(string(m.Code)), markdownText(m.Text)); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	const most = 3
	if more := len(out) - most; more > 0 {
		out = append(out[:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, "; ")
}

// plainCode matches what may stand between backticks, in a table, too, and comes out as it
// is. It neither begins nor ends with a blank, which Markdown would strip.
var plainCode = regexp.MustCompile(`^[A-Za-z0-9_./:,+<>=@&#%()\[\]-]([A-Za-z0-9_./:,+<>=@&#%()\[\] -]*[A-Za-z0-9_./:,+<>=@&#%()\[\]-])?$`)

// markdownCode shows a name as it is. Characters that are not printable are replaced.
func markdownCode(name string) string {
	name = prose.Printable(name)
	if plainCode.MatchString(name) {
		return "`" + name + "`"
	}
	return "<code>" + entities(name) + "</code>"
}

// entities writes all that is neither a letter nor a digit as an entity, which is never markup.
func entities(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') {
			fmt.Fprintf(&out, "&#%d;", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// markup matches what means something in Markdown, in HTML, or to GitHub (a name after
// "@", a number after "#") wherever it stands in a line.
var markup = regexp.MustCompile("[\\\\`*_\\[\\]<>&|~@#!]|://|www\\.|^[-+=]|^[0-9]+[.)]")

// markdownText shows a sentence as it is, on one line.
func markdownText(sentence string) string {
	return markup.ReplaceAllStringFunc(prose.Printable(sentence), entities)
}
