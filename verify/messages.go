package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// ExitCode returns the exit code that a verdict leads to.
func (v *Verdict) ExitCode() int {
	switch v.Outcome {
	case Equal, Unchanged, Clean:
		return diag.ExitOK
	case CouldNotRun:
		if len(v.Failures) > 0 && !slices.ContainsFunc(v.Failures, func(f Failure) bool { return !f.Recorded }) {
			return diag.ExitOK
		}
		return diag.ExitNotRun
	}
	return diag.ExitDiffers
}

// Told is a message of a verdict, for people.
type Told struct {
	diag.Message
	Rewritten string // the line of the rewritten text that it is about, "" for none
	Output    string // of a compiler or program that says more, "" for none
}

// Messages returns what was found and what could not be judged; quietly only what counts.
func (v *Verdict) Messages(quietly bool) (out []Told) {
	if !quietly {
		out = lists.Map(v.Remarks, func(m diag.Message) Told { return Told{Message: m} })
	}
	for _, f := range v.Findings {
		if !f.Told() || f.Severity == Recorded || f.Severity != Counts && quietly {
			continue
		}
		out = append(out, f.told(v.Compares()))
	}
	for _, f := range v.Failures {
		if f.Recorded {
			continue
		}
		m := Told{Message: f.Message}
		if f.Variant != OriginalName {
			m.Text += " (" + f.Variant + ")"
		}
		if !m.Pos.IsValid() { // a compiler's output says no more than its messages with places
			m.Output = f.Output
		}
		out = append(out, m)
	}
	return out
}

// Told reports whether a finding is reported: what a variant shares with the original is, of the original alone.
func (f *Finding) Told() bool { return f.Severity != Inherited || f.Variant == OriginalName }

// told returns what was found, and the rewritten line that it is about.
func (f *Finding) told(compared bool) Told {
	m := Told{Message: f.Message}
	m.Text = f.Words(compared)
	if f.Place != nil {
		m.Rewritten = fmt.Sprintf("rewritten line %d: %s", f.Place.Line, f.Line)
	}
	return m
}

// Words returns the finding's text, with the program, where several are compared, and the runs in which it was seen.
func (f *Finding) Words(compared bool) string {
	about := []string{runsText(f.Runs)}
	if compared {
		about = append([]string{f.Variant}, about...)
	}
	switch f.Severity {
	case Note:
		about = append(about, "a note")
	case Inherited:
		about = append(about, "does not count: a rewrite may keep it")
	}
	return f.Message.Text + " (" + strings.Join(about, "; ") + ")"
}

// runsText names the runs in which something was seen, each order once.
func runsText(runs []RunName) string {
	var names []string
	seen := map[string]bool{}
	for _, r := range runs {
		if name := r.String(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return listed(names, 3, " runs")
}

// listed names the first few of several things.
func listed(names []string, most int, things string) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more%s", strings.Join(names[:most], ", "), len(names)-most, things)
	}
	return strings.Join(names, ", ")
}
