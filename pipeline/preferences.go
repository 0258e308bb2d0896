package pipeline

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Preferences holds people's requests for the kernels of a program: in directives, which
// go first, and in the settings for the kernel and for all. The nil Preferences request
// nothing.
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

// newPreferences joins what directives and settings ask; both may be nil. It is nil
// where there are none: then the program, which groups gives the kernels of by
// what is rewritten together, is not looked at.
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
			p.requests[k.Position()] = w
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
		at := k.Position()
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

// suppressed reports whether a person does not want to hear a message about a
// kernel.
func (p *Preferences) suppressed(m diag.Message, kernel diag.Position) bool {
	if p == nil {
		return false
	}
	_, ok := p.set.Suppressed(m, kernel)
	return ok
}

// leaveOut takes out of decisions kernels that a person wants left alone;
// with chosen, where --variant asks for them, those alone with a directive that can't be
// understood.
func (p *Preferences) leaveOut(decisions map[diag.Position]rewrite.Decision, chosen bool) {
	if p == nil {
		return
	}
	for _, group := range p.groups {
		if w := p.of(group[0].Position()); w.Wrong != nil || !chosen && (w.Leave != "" || len(w.Refused) > 0) {
			for _, k := range group {
				delete(decisions, k.Position())
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
