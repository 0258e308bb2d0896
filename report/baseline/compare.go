package baseline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/finding"
)

// The codes of what a comparison finds. The first four mean that a kernel got worse.
const (
	CodeOccupancy diag.Code = "baseline-occupancy"
	CodeRegisters diag.Code = "baseline-registers"
	CodeShared    diag.Code = "baseline-shared"
	CodeRegion    diag.Code = "baseline-region"
	CodeSource    diag.Code = "baseline-source" // what can't be compared
	CodeNew       diag.Code = "baseline-new"
	CodeGone      diag.Code = "baseline-gone"
	CodeBetter    diag.Code = "baseline-better"
)

// Options holds what counts as worse.
type Options struct {
	Threshold float64 // percent that a number may grow, or occupancy fall, unheeded
	Name      string  // of the baseline's file, for what has no other place
	// Covers reports whether a recorded kernel is among what was looked for: only such a
	// one can be gone. nil for all.
	Covers func(Kernel) bool
}

// Compare reports what of the kernels changed since the baseline: findings of level
// Error for what got worse, or can't be compared (CodeSource), and of level Note for
// the rest, in the order of the kernels. Those that an ignore of the kernel stops are
// there, with the reason. GPUs that are recorded or looked at alone
// are not compared.
func Compare(before *File, now []Sight, opt Options) []finding.Finding {
	var out []finding.Finding
	for _, p := range match(before.Kernels, now, opt) {
		switch {
		case p.is == nil:
			out = append(out, finding.Finding{
				Rule: CodeGone, Level: finding.Note, Kernel: p.was.Name, Pos: diag.Position{File: opt.Name},
				Text: fmt.Sprintf("it is recorded for %s, and not there any more", p.was.File),
			})
		case p.was == nil:
			out = append(out, p.is.ignoring([]finding.Finding{
				{Rule: CodeNew, Level: finding.Note, Kernel: p.is.Name, Pos: p.is.Pos, Text: "it is not in the baseline"},
			})...)
		default:
			out = append(out, p.is.ignoring(p.compare(opt))...)
		}
	}
	return out
}

// ignoring gives the findings that a person does not want to hear the reason.
func (s *Sight) ignoring(found []finding.Finding) []finding.Finding {
	for i, f := range found {
		found[i].Suppressed, _ = config.Suppressed(s.Ignored, diag.Message{Pos: f.Pos, Code: f.Rule}, s.Pos)
	}
	return found
}

// compare compares a kernel with what is recorded of it.
func (p pair) compare(opt Options) []finding.Finding {
	c := &comparison{pair: p, opt: opt, changed: changed(p.is.lines, p.was.Lines), many: len(p.is.Stands) > len(p.is.gpus())}
	for _, s := range p.stands() {
		c.stand(s)
	}
	if len(p.is.Stands) == 0 && len(p.was.Stands) > 0 {
		c.say(CodeGone, p.is.Pos, "", "its thread blocks per SM can't be computed any more")
	}
	c.regions()
	if len(c.found) == 0 && c.better {
		c.say(CodeBetter, p.is.Pos, "", "it does better than the baseline")
	}
	if p.was.File != p.is.File || p.was.Name != p.is.Name {
		c.say(CodeNew, p.is.Pos, "", fmt.Sprintf("it is what the baseline has as kernel %q of %s", p.was.Name, p.was.File))
	}
	return c.findings()
}

// comparison is a comparison of one kernel under way.
type comparison struct {
	pair
	opt     Options
	changed []Line
	many    bool // it is launched in several forms
	found   []*found
	better  bool
}

// found holds what is reported of one place, on several GPUs.
type found struct {
	code   diag.Code
	at     diag.Position
	why    string // after what is said of the GPUs
	texts  []string
	places map[string][]string // GPUs, by text
}

// say adds what there is to report of a place on a GPU, "" for no GPU.
func (c *comparison) say(code diag.Code, at diag.Position, gpu, text string, why ...string) {
	reason := strings.Join(why, "; ")
	i := slices.IndexFunc(c.found, func(f *found) bool { return f.code == code && f.at == at && f.why == reason })
	if i < 0 {
		i = len(c.found)
		c.found = append(c.found, &found{code: code, at: at, why: reason, places: map[string][]string{}})
	}
	f := c.found[i]
	if !slices.Contains(f.texts, text) {
		f.texts = append(f.texts, text)
	}
	if gpu != "" && !slices.Contains(f.places[text], gpu) {
		f.places[text] = append(f.places[text], gpu)
	}
}

// heads name what a code is about, in front of what is reported of GPUs.
var heads = map[diag.Code]string{
	CodeOccupancy: "fewer run at once than in the baseline: ",
	CodeRegisters: "more registers per thread than in the baseline: ",
	CodeShared:    "more shared memory per thread block than in the baseline: ",
	CodeSource:    "its registers can't be compared: ",
}

// findings returns what was found, what is worse first.
func (c *comparison) findings() []finding.Finding {
	var out []finding.Finding
	for _, f := range c.found {
		var parts []string
		for _, t := range f.texts {
			if gpus := f.places[t]; len(gpus) > 0 {
				t += " on " + diag.AndList(gpus)
			}
			parts = append(parts, t)
		}
		text := heads[f.code] + strings.Join(parts, ", ")
		if f.why != "" {
			text += "; " + f.why
		}
		level := finding.Error
		if f.code == CodeNew || f.code == CodeBetter || f.code == CodeGone {
			level = finding.Note
		}
		out = append(out, finding.Finding{Rule: f.code, Level: level, Kernel: c.is.Name, Pos: f.at, Text: text, Help: diag.Help(f.code)})
	}
	return out
}

// beyond reports whether a number grew by more than the threshold.
func (c *comparison) beyond(was, is float64) bool {
	return is > was*(1+c.opt.Threshold/100)*(1+1e-9)
}

// stand compares how the kernel stands on one GPU, launched in one form.
func (c *comparison) stand(s standing) {
	was, is := s.was, s.is
	with := ""
	if c.many {
		with = " with block " + is.Block
		if is.Launch != "" {
			with = " as <" + is.Launch + ">" + with
		}
	}
	if was.shared() >= 0 && is.shared() > was.shared() && c.beyond(float64(was.shared()), float64(is.shared())) {
		b := c.sharedCause(s)
		c.say(CodeShared, b.at, "", fmt.Sprintf("%d -> %s%s", was.shared(), prose.Count(is.shared(), "byte"), with), b.why)
	}
	if was.From != is.From {
		c.say(CodeSource, c.is.Pos, is.GPU, fmt.Sprintf("they are from %q in the baseline, and from %q here", was.From, is.From))
		return
	}
	if is.Registers > was.Registers && c.beyond(float64(was.Registers), float64(is.Registers)) {
		b := c.registerCause(s)
		c.say(CodeRegisters, b.at, is.GPU, fmt.Sprintf("%d -> %d%s", was.Registers, is.Registers, with), b.why)
	}
	switch {
	case !was.known() || !is.known():
		if was.known() {
			c.say(CodeGone, c.is.Pos, is.GPU, "its thread blocks per SM can't be computed any more"+with)
		}
	case is.Warps < was.Warps && float64(is.Warps) < float64(was.Warps)*(1-c.opt.Threshold/100)-1e-9:
		b := c.occupancyCause(s)
		c.say(CodeOccupancy, b.at, is.GPU, occupancyText(was, is)+with, b.why)
	case is.Warps > was.Warps:
		c.better = true
	}
	c.better = c.better || is.Registers < was.Registers || is.shared() >= 0 && is.shared() < was.shared()
}

// occupancyText is "8 -> 4 thread blocks per SM (limited by shared memory)", with the
// warps where the size of a block changed, too.
func occupancyText(was, is Stand) string {
	limits := fmt.Sprintf(" (limited by %s)", diag.AndList(is.Limits))
	if is.Blocks == 0 {
		return fmt.Sprintf("%d -> no thread block", was.Blocks) + limits
	}
	text := fmt.Sprintf("%d -> %s per SM", was.Blocks, prose.Count(is.Blocks, "thread block"))
	if was.Block != is.Block {
		text += fmt.Sprintf(", %d -> %s", was.Warps, prose.Count(is.Warps, "warp"))
	}
	return text + limits
}
