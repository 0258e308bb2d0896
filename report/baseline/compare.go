package baseline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
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

// Compare reports what of the kernels changed since the baseline: findings of level Error for what got worse, or
// can't be compared (CodeSource), and of level Note for the rest, in the order of the kernels. Those that an ignore
// of the kernel stops are there, with the reason. GPUs that are recorded or looked at alone are not compared.
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
	f.texts = lists.Add(f.texts, text)
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

// cause is the line that did it.
type cause struct {
	at  diag.Position
	why string
}

// sharedCause returns the declaration that is new or grew most, or the launch.
func (c *comparison) sharedCause(s standing) cause {
	if grown := c.grownArrays(); len(grown) > 0 && s.is.Static > s.was.Static {
		most := grown[0]
		for _, g := range grown {
			if g.by > most.by {
				most = g
			}
		}
		why := most.why
		if len(grown) > 1 {
			why += fmt.Sprintf(" (the most of %d that grew)", len(grown))
		}
		return cause{c.is.arrays[most.at], why}
	}
	if s.is.Static > s.was.Static {
		for i, a := range c.is.Shared {
			if a.Bytes == 0 {
				return cause{c.is.arrays[i], "the bytes of " + a.Name + " follow from the launch, or from a type that it chooses"}
			}
		}
	}
	if s.is.Dynamic > s.was.Dynamic {
		return c.launchCause(s, fmt.Sprintf("the launch asks for %s of dynamic shared memory, not %d", prose.Count(s.is.Dynamic, "byte"), s.was.Dynamic))
	}
	return c.launchCause(s, "")
}

// grown is a shared array that is new or larger.
type grown struct {
	at, by int
	why    string
}

func (c *comparison) grownArrays() []grown {
	var out []grown
	for i, a := range c.is.Shared {
		at := slices.IndexFunc(c.was.Shared, func(o Array) bool { return o.Name == a.Name })
		switch {
		case at < 0 && a.Bytes > 0:
			out = append(out, grown{i, a.Bytes, fmt.Sprintf("%s is new, with %s", a.Name, prose.Count(a.Bytes, "byte"))})
		case at >= 0 && c.was.Shared[at].Bytes > 0 && a.Bytes > c.was.Shared[at].Bytes:
			out = append(out, grown{i, a.Bytes - c.was.Shared[at].Bytes, fmt.Sprintf("%s grew from %d to %s", a.Name, c.was.Shared[at].Bytes, prose.Count(a.Bytes, "byte"))})
		}
	}
	return out
}

// launchCause returns the launch of a stand, or the kernel where that is out of sight.
func (c *comparison) launchCause(s standing, why string) cause {
	if why == "" && s.was.Block != s.is.Block {
		why = fmt.Sprintf("the launch has blocks of %s, not %s", s.is.Block, s.was.Block)
	}
	if s.launch.IsValid() {
		return cause{s.launch, why}
	}
	return cause{c.is.Pos, why}
}

// registerCause returns the changed line that keeps the most values in registers.
func (c *comparison) registerCause(s standing) cause {
	if len(c.changed) == 0 {
		if s.was.Block != s.is.Block {
			return c.launchCause(s, "")
		}
		return cause{c.is.Pos, "none of its lines changed: look at types, macros and called functions"}
	}
	most := c.changed[0]
	for _, l := range c.changed {
		if l.Live > most.Live {
			most = l
		}
	}
	why := "this line changed"
	if len(c.changed) > 1 {
		why = fmt.Sprintf("of %d lines that changed", len(c.changed))
		if most.Live > 0 {
			why += fmt.Sprintf(" this one keeps the most values, %s by estimate", prose.Count(most.Live, "word"))
		} else {
			why += " this is the first"
		}
	}
	if s.was.Block != s.is.Block {
		why += fmt.Sprintf("; the launch has blocks of %s, not %s", s.is.Block, s.was.Block)
	}
	return cause{most.Pos, why}
}

// occupancyCause returns what made the resource scarce that limits now.
func (c *comparison) occupancyCause(s standing) cause {
	limits := func(l occupancy.Limit) bool { return slices.Contains(s.is.Limits, l.String()) }
	switch {
	case limits(occupancy.Shared) && s.is.shared() > s.was.shared():
		return c.sharedCause(s)
	case limits(occupancy.Registers) && s.is.Registers > s.was.Registers:
		return c.registerCause(s)
	case s.was.Block != s.is.Block:
		return c.launchCause(s, "")
	case s.is.shared() > s.was.shared():
		return c.sharedCause(s)
	case s.is.Registers > s.was.Registers:
		return c.registerCause(s)
	case len(c.changed) > 0:
		return cause{c.changed[0].Pos, "this line changed"}
	}
	return cause{c.is.Pos, "none of its lines changed"}
}

// leastShare is by how much the share of a kernel's regions must grow to count. It
// is an estimate that moves a little with each statement.
const leastShare = 0.01

// regions compares the regions, where shared memory limits how many thread blocks
// run: there a stretch in which arrays are live is one that merged blocks wait for.
func (c *comparison) regions() {
	if c.was.Regions == nil || c.is.Regions == nil || !slices.ContainsFunc(c.is.Stands, func(s Stand) bool { return slices.Contains(s.Limits, occupancy.Shared.String()) }) {
		return
	}
	if len(c.is.Regions) > len(c.was.Regions) {
		i := c.newRegion()
		c.say(CodeRegion, c.is.regions[i], "", fmt.Sprintf("a region that is not in the baseline begins here, of %s: %d -> %d regions, in a kernel that shared memory limits",
			diag.AndList(c.is.Regions[i].Arrays), len(c.was.Regions), len(c.is.Regions)))
		return
	}
	if c.is.Share < c.was.Share+leastShare-1e-9 || !c.beyond(c.was.Share, c.is.Share) {
		return
	}
	at := c.is.Pos
	if len(c.is.regions) > 0 {
		at = c.is.regions[0]
	}
	why := "none of its lines changed"
	if l, ok := c.changedInRegion(); ok {
		at, why = l.Pos, "the first line in a region that changed"
	}
	c.say(CodeRegion, at, "", fmt.Sprintf("regions take more of the kernel than in the baseline, %.1f -> %.1f %% of its work by estimate, and shared memory limits it",
		100*c.was.Share, 100*c.is.Share), why)
}

// newRegion returns the region that is likeliest to be new: one whose arrays had none,
// else one that begins in a line of its own, else the last.
func (c *comparison) newRegion() int {
	for _, known := range []func(a, b Region) bool{
		func(a, b Region) bool { return slices.Equal(a.Arrays, b.Arrays) },
		func(a, b Region) bool { return a.First == b.First && slices.Equal(a.Arrays, b.Arrays) },
	} {
		for i, g := range c.is.Regions {
			if !slices.ContainsFunc(c.was.Regions, func(o Region) bool { return known(g, o) }) {
				return i
			}
		}
	}
	return len(c.is.Regions) - 1
}

// changedInRegion returns the first changed line between the ends of a region.
func (c *comparison) changedInRegion() (Line, bool) {
	for _, l := range c.changed {
		for _, e := range c.is.ends {
			if l.Pos.File == e[0].File && l.Pos.Line >= e[0].Line && l.Pos.Line <= e[1].Line {
				return l, true
			}
		}
	}
	return Line{}, false
}
