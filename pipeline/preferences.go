package pipeline

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Preferences holds people's requests for the kernels of a program: in directives, which go first, and in the
// settings for the kernel and for all. The nil Preferences request nothing.
type Preferences struct {
	set      *config.Directives
	settings *config.Settings
	groups   [][]*analysis.Kernel
	requests map[diag.Position]*request // of the kernels of a group, which share it
	Wrong    []diag.Message             // directives that can't be obeyed
	Unused   []diag.Message             // ignores that stop nothing
}

// request holds what people ask for the kernels of a group.
type request struct {
	report.Request
	variant rewrite.Variant // of the pin
	allowed []string        // rewriters that may be chosen, nil for all
	minGain *float64        // nil for that of all kernels
}

// newPreferences joins what directives and settings ask; both may be nil. It is nil where there are none: then the
// program, which groups gives the kernels of by what is rewritten together, is not looked at.
func newPreferences(groups func() [][]*analysis.Kernel, set *config.Directives, settings *config.Settings) *Preferences {
	if set == nil {
		set = &config.Directives{}
	}
	if len(set.Ignores)+len(set.Pins)+len(set.Wrong) == 0 && (settings == nil || len(settings.Kernels) == 0 && settings.Rewrites == nil) {
		return nil
	}
	p := &Preferences{set: set, settings: settings, groups: groups(), requests: map[diag.Position]*request{}}
	for _, w := range set.Wrong {
		p.Wrong = append(p.Wrong, w.Message)
	}
	for _, group := range p.groups {
		w := p.requestOf(group)
		for _, k := range group {
			p.requests[summary.Position(k)] = w
		}
	}
	return p
}

// requestOf returns the request for a group: what is asked for one kernel counts for all.
func (p *Preferences) requestOf(group []*analysis.Kernel) *request {
	w := &request{}
	p.fromSettings(w, group[0].Name)
	var pin *config.Pin
	var left *config.Ignore
	for _, k := range group {
		at := summary.Position(k)
		if m := p.set.Misunderstood(at); m != nil && w.Wrong == nil {
			w.Wrong = m
		}
		if left == nil {
			left = p.set.Left(at)
		}
		switch found := p.set.Pinned(at); {
		case found == nil:
		case pin == nil:
			pin = found
		case found.Way != pin.Way && w.Wrong == nil:
			w.Wrong = p.contradiction(found.Pos, fmt.Sprintf("kernels named %s are rewritten together, and line %d pins %s", k.Name, pin.Pos.Line, pin.Way))
		}
	}
	if pin != nil && left != nil && w.Wrong == nil {
		w.Wrong = p.contradiction(pin.Pos, fmt.Sprintf("kernels named %s are rewritten together, and line %d asks to leave them alone", group[0].Name, left.Pos.Line))
	}
	switch {
	case w.Wrong != nil:
		w.Pin, w.Leave = "", ""
	case pin != nil:
		w.variant, w.Pin, w.Leave, w.By = pin.Way, pin.Way.String(), "", &pin.Pos
	case left != nil:
		w.Pin, w.Leave, w.By = "", left.Reason, &left.Pos
	}
	return w
}

func (p *Preferences) contradiction(pos diag.Position, text string) *diag.Message {
	m := diag.Message{Pos: pos, Code: config.CodeTwo, Text: text, Help: "keep one of them"}
	p.Wrong = append(p.Wrong, m)
	return &m
}

// fromSettings fills in what the settings ask for kernels of a name, and for all.
func (p *Preferences) fromSettings(w *request, name string) {
	if p.settings != nil {
		w.allowed, w.BarredBy = p.settings.Rewrites, lineOf(p.settings.At, "rewrites", diag.Position{File: config.Name})
	}
	if entry := p.settings.Kernel(name); entry != nil {
		w.Pin, w.Leave, w.minGain = entry.Pin, entry.Leave, entry.MinGain
		by := entry.Pos
		for _, key := range []string{"pin", "leave"} {
			if at, ok := entry.At[key]; ok {
				by = at
			}
		}
		w.By = &by
		if entry.Rewrites != nil {
			w.allowed, w.BarredBy = entry.Rewrites, lineOf(entry.At, "rewrites", entry.Pos)
		}
	}
	if w.Pin != "" {
		way, err := variant.Parse(w.Pin)
		if err != nil { // the settings were checked when they were read
			w.Wrong = &diag.Message{Pos: *w.By, Code: config.CodePin, Text: err.Error()}
		}
		w.variant, w.Pin = way, way.String()
	}
	if w.allowed == nil {
		w.BarredBy = ""
		return
	}
	for _, r := range rewrite.Rewriters {
		if !r.Searched && !slices.Contains(w.allowed, r.Name) {
			w.Barred = append(w.Barred, r.Name)
		}
	}
}

// lineOf is file:line of a key of the settings, or of the place given.
func lineOf(at map[string]diag.Position, key string, or diag.Position) string {
	if pos, ok := at[key]; ok {
		or = pos
	}
	if !or.IsValid() {
		return or.File
	}
	return fmt.Sprintf("%s:%d", or.File, or.Line)
}

// of returns the request for the group of a kernel, nil for none.
func (p *Preferences) of(kernel diag.Position) *request {
	if p == nil {
		return nil
	}
	return p.requests[kernel]
}

// decides reports whether the model need not be asked.
func (w *request) decides() bool { return w != nil && w.Decides() }

// restrict leaves of offers those that may be chosen.
func (w *request) restrict(offers []rewrite.CheckedVariant) []rewrite.CheckedVariant {
	if w == nil || w.allowed == nil {
		return offers
	}
	return slices.DeleteFunc(slices.Clone(offers), func(o rewrite.CheckedVariant) bool { return !slices.Contains(w.allowed, o.Rewriter) })
}

// gain returns the percentage that must be expected of a rewrite: that of the kernel
// unless a person gives another on the command line.
func (w *request) gain(ask Ask) float64 {
	if w == nil || w.minGain == nil || ask.Insists {
		return ask.MinGain
	}
	return *w.minGain
}

// suppressed reports whether a person does not want to hear a message about a kernel.
func (p *Preferences) suppressed(m diag.Message, kernel diag.Position) bool {
	if p == nil {
		return false
	}
	_, ok := p.set.Suppressed(m, kernel)
	return ok
}

// leaveOut takes out of decisions kernels that a person wants left alone; with chosen, where --variant asks for them,
// those alone with a directive that can't be understood.
func (p *Preferences) leaveOut(decisions map[diag.Position]rewrite.Decision, chosen bool) {
	if p == nil {
		return
	}
	for _, group := range p.groups {
		if w := p.of(summary.Position(group[0])); w.Wrong != nil || !chosen && (w.Leave != "" || len(w.Refused) > 0) {
			for _, k := range group {
				delete(decisions, summary.Position(k))
			}
		}
	}
}

// Attach adds to a survey what is wanted of its kernels.
func (p *Preferences) Attach(out *report.Program) {
	if p == nil {
		return
	}
	out.Directives = slices.Concat(p.Wrong, p.Unused)
	for i := range out.Kernels {
		k := &out.Kernels[i]
		k.Ignored = p.set.Of(k.Position)
		if w := p.of(k.Position); w != nil && (w.Decides() || len(w.Barred) > 0) {
			k.Request = &w.Request
		}
	}
}

// prove looks at what is against the pins of a choice's groups.
func (p *Preferences) prove(c *Choice, opt rewrite.Options) {
	if p == nil {
		return
	}
	opt.Decisions = nil
	for _, g := range c.Groups {
		w := p.of(summary.Position(g.Kernels[0]))
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
		out = lists.Add(out, why...)
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

// findUnused finds the ignores that stop none of the refusals of the groups' rewrites, all of which were tried. Of
// codes and kernels for which that proves little, nothing is reported.
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

// tried reports whether all kernels that an ignore may be about were looked at, and there are some. Of what is
// refused beside kernels that are rewritten already, nothing follows for the original.
func tried(i config.Ignore, groups []rewrite.Group, opt rewrite.Options) bool {
	any := i.Scope == config.OfLine
	for _, g := range groups {
		if slices.ContainsFunc(g.Variants, func(o rewrite.CheckedVariant) bool { return rewrittenAlready(o.Refused) }) {
			return false
		}
		for _, k := range g.Kernels {
			if !i.About(summary.Position(k)) {
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
				if slices.ContainsFunc(o.Refused, func(m diag.Message) bool { return i.Stops(m, summary.Position(k)) }) {
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
