package cmd

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/survey"
)

// The forms in which findings are shown.
const (
	formatText     = "text"
	formatJSON     = "json"
	formatSARIF    = "sarif"
	formatRDJSONL  = "rdjsonl"
	formatGitHub   = "github"
	formatMarkdown = "markdown"
)

var formats = []string{formatText, formatJSON, formatSARIF, formatRDJSONL, formatGitHub, formatMarkdown}

// formatFlags say in which form a survey is shown.
type formatFlags struct {
	format string
	json   bool
	edits  bool // what is shown is what would change, not what is known
}

// register adds the flags of `smux analyze`.
func (o *formatFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "print the findings as `text|json|sarif|rdjsonl|github|markdown`")
	f.BoolVar(&o.json, "json", false, "the same as --format json")
}

// registerDiff adds the flag of `smux rewrite -d`.
func (o *formatFlags) registerDiff(f *pflag.FlagSet) {
	o.edits = true
	f.StringVar(&o.format, "format", formatText, "with -d, print the edits as `text|json|sarif|rdjsonl|github|markdown`; text is a unified diff")
}

// check refuses what contradicts itself.
func (o *formatFlags) check() error {
	if o.json && o.format != formatText && o.format != formatJSON {
		return usagef("", "--json and --format %s contradict each other: give one", o.format)
	}
	if o.json {
		o.format = formatJSON
	}
	return oneOf("--format", o.format, formats...)
}

// checkDiff is check for edits, which are shown with -d alone.
func (o *formatFlags) checkDiff(out outputFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.document() && (!out.diff || out.list || out.write) {
		return usagef("give -d without -l and -w", "--format %s says how to print what -d prints", o.format)
	}
	return nil
}

// document reports whether all programs go into one document.
func (o *formatFlags) document() bool { return o.format != "" && o.format != formatText }

// showSurvey prints what is known of programs.
func (s *session) showSurvey(programs []survey.Program, o formatFlags) error {
	if o.format == formatMarkdown {
		return s.showMarkdown(programs, o)
	}
	report := survey.NewReport(programs)
	var out bytes.Buffer
	if o.format == formatJSON {
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false) // <<<grid, block>>>
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return failure("writing the report", err)
		}
	} else {
		report.Text(&out)
	}
	if _, err := s.stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if o.format == formatText && len(report.Kernels)+len(report.Lost) != 1 {
		s.remark("%s", report.Summary())
	}
	return nil
}
