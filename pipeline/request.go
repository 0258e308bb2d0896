package pipeline

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// prove looks at what is against the pins of a choice's groups.
func (p *Preferences) prove(c *Choice, opt rewrite.Options) {
	if p == nil {
		return
	}
	opt.Decisions = nil
	for _, g := range c.Groups {
		w := p.of(g.Kernels[0].Position())
		if w == nil || w.Pin == "" || w.Wrong != nil || !rewrite.Matches(opt.Kernels, g.Kernels[0].Name) {
			continue
		}
		opt.Variant = w.variant
		w.Refused = against(c, g, opt)
	}
}

// against returns what is against a variant, in each sync mode where it leaves that open:
// nil as soon as it is available in one.
func against(c *Choice, g rewrite.Group, opt rewrite.Options) (out []diag.Message) {
	syncs := []string{opt.Sync}
	if r := variant.Named(opt.Rewriter); r != nil && opt.Sync == "" {
		syncs = r.Syncs
	}
	for _, sync := range syncs {
		opt.Sync = sync
		why := rewrite.Refusals(c.Program, c.Kernels, g, opt)
		if len(why) == 0 {
			return nil
		}
		for _, m := range why {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// decision returns what is to become of a kernel of a group whose request decides that;
// offers are those that the group had before some were left out.
func (w *request) decision(at diag.Position, offers []rewrite.CheckedVariant) (d rewrite.Decision, ok bool) {
	why := func(code diag.Code, text string) []diag.Message {
		return []diag.Message{{Pos: at, Code: code, Text: text}}
	}
	switch {
	case w == nil:
		return d, false
	case w.Wrong != nil:
		return rewrite.Decision{Why: []diag.Message{*w.Wrong}}, true
	case w.Leave != "":
		return rewrite.Decision{Why: why(config.CodeLeft, fmt.Sprintf("%s asks for it: %s", w.By, w.Leave))}, true
	case w.Pin != "" && w.Done():
		return rewrite.Decision{Why: w.Refused}, true
	case w.Pin != "" && len(w.Refused) > 0:
		first := why(config.CodePinRefused, fmt.Sprintf("%s is pinned at %s, and can't be proved", w.Pin, w.By))
		return rewrite.Decision{Why: append(first, w.Refused...)}, true
	case w.Pin != "":
		return rewrite.Decision{Variant: w.variant, Why: why(config.CodePinned, fmt.Sprintf("%s, pinned at %s", w.Pin, w.By))}, true
	case w.allowed != nil && rewrite.CanGain(offers) && !rewrite.CanGain(w.restrict(offers)):
		return rewrite.Decision{Why: why(config.CodeNotAllowed, "none of the rewrites that can be proved is allowed by "+w.BarredBy)}, true
	}
	return d, false
}

// rewrittenAlready reports whether a kernel that refuses is the outcome of a rewrite.
func rewrittenAlready(refused []diag.Message) bool {
	return slices.ContainsFunc(refused, func(m diag.Message) bool { return m.Code == rewrite.CodeAlready })
}

// holdBackMisread adds, to decisions on kernels that a person has asked to rewrite by
// --variant, that those with a directive that can't be understood are left alone.
// Other requests are overridden.
func (p *Preferences) holdBackMisread(decisions map[diag.Position]rewrite.Decision) map[diag.Position]rewrite.Decision {
	if p == nil {
		return decisions
	}
	for at, w := range p.requests {
		if w.Wrong == nil {
			continue
		}
		if decisions == nil {
			decisions = map[diag.Position]rewrite.Decision{}
		}
		decisions[at], _ = w.decision(at, nil)
	}
	return decisions
}

// findUnused finds the ignores that stop none of the refusals of the groups' rewrites,
// all of which were tried. Of codes and kernels for which that proves little, nothing is
// reported.
func (p *Preferences) findUnused(groups []rewrite.Group, opt rewrite.Options) {
	if p == nil || opt.Variant != (rewrite.Variant{}) {
		return
	}
	for _, i := range p.set.Ignores {
		if !diag.Refuses(i.Code) || !tried(i, groups, opt) || stops(i, groups) {
			continue
		}
		p.Unused = append(p.Unused, diag.Message{Pos: i.Pos, Code: config.CodeUnused,
			Text: fmt.Sprintf("no message %s is stopped by this ignore", i.Code), Help: diag.Help(config.CodeUnused)})
	}
}

// tried reports whether all kernels that an ignore may be about were looked at, and
// there are some. Of what is refused beside kernels that are rewritten already, nothing
// follows for the original.
func tried(i config.Ignore, groups []rewrite.Group, opt rewrite.Options) bool {
	any := i.Scope == config.OfLine
	for _, g := range groups {
		if slices.ContainsFunc(g.Variants, func(o rewrite.CheckedVariant) bool { return rewrittenAlready(o.Refused) }) {
			return false
		}
		for _, k := range g.Kernels {
			if !i.About(k.Position()) {
				continue
			}
			any = true
			if !rewrite.Matches(opt.Kernels, k.Name) {
				return false
			}
		}
	}
	return any
}

func stops(i config.Ignore, groups []rewrite.Group) bool {
	for _, g := range groups {
		for _, k := range g.Kernels {
			for _, o := range g.Variants {
				if slices.ContainsFunc(o.Refused, func(m diag.Message) bool { return i.Stops(m, k.Position()) }) {
					return true
				}
			}
		}
	}
	return false
}

// ReportDirectives reports what is wrong with directives, and which stop nothing.
func (j *Job) ReportDirectives(p *Preferences) {
	if p == nil {
		return
	}
	for _, m := range p.Wrong {
		j.Note(diag.ExitUsage)
		j.Message(m)
	}
	for _, m := range p.Unused {
		if !j.Quiet {
			j.Message(m)
		}
	}
}

// remarkOnRequests reports which requests --variant overrides.
func (j *Job) remarkOnRequests(p *Preferences, kernels []rewrite.KernelResult) {
	for _, k := range kernels {
		w := p.of(k.Pos)
		if k.Rewriter == "" || w == nil || w.Wrong != nil || !w.Decides() {
			continue
		}
		what := "to leave it alone"
		if w.Pin != "" {
			what = "for " + w.Pin
		}
		j.Remark("kernel %q: --variant counts, and not what %s asks: %s", k.Name, w.By, what)
	}
}

// Visible removes from the results what a person suppressed, what was reported
// as an error, and kernels that are left alone as asked.
func (p *Preferences) Visible(kernels []rewrite.KernelResult, verbose bool) []rewrite.KernelResult {
	if p == nil {
		return kernels
	}
	out := slices.Clone(kernels)
	for i := range out {
		k := &out[i]
		silent := func(m diag.Message) bool {
			return p.suppressed(m, k.Pos) || slices.Contains(p.Wrong, m) || m.Code == config.CodeLeft && !verbose
		}
		k.Refused = slices.DeleteFunc(slices.Clone(k.Refused), silent)
		k.Notes = slices.DeleteFunc(slices.Clone(k.Notes), silent)
	}
	return out
}

// refusesPin reports whether a pin that can't be proved is to be reported.
func (p *Preferences) refusesPin(kernels []rewrite.KernelResult) bool {
	for _, k := range kernels {
		for _, m := range k.Refused {
			if m.Code == config.CodePinRefused && !p.suppressed(m, k.Pos) {
				return true
			}
		}
	}
	return false
}
