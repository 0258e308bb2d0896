package cmd

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
)

// The forms in which findings are shown.
const (
	formatText     = "text"
	formatJSON     = "json"
	formatRDJSONL  = "rdjsonl"
	formatMarkdown = "markdown"
)

// formats are all forms, baselineFormats those that smux baseline check has, and verdictFormats those of verify and check.
var (
	formats         = []string{formatText, formatJSON, "sarif", formatRDJSONL, "github", formatMarkdown}
	baselineFormats = []string{formatText, "sarif", formatRDJSONL, "github"}
	verdictFormats  = []string{formatText, formatJSON, "sarif", formatRDJSONL, "github"}
)

// writers print findings in the forms that other tools take.
var writers = map[string]func(io.Writer, finding.Report) error{
	"sarif": finding.WriteSARIF, formatRDJSONL: finding.WriteRDJSON, "github": finding.WriteGitHub,
}

// formatFlags say in which form a survey is shown.
type formatFlags struct {
	format string
	json   bool
	// summary counts instead of telling of each kernel.
	summary bool
	verbose bool     // tell everything of each kernel
	edits   bool     // what is shown is what would change, not what is known
	also    []string // further documents of the same run, as FORMAT=FILE
}

// register adds the flags of `smux analyze`.
func (o *formatFlags) register(f *pflag.FlagSet) {
	usage.Word(f, &o.format, "format", formatText, "print the findings as `FORMAT`", formats...)
	o.registerAlso(f)
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "tell all of each kernel: arrays, regions, barriers, launches, resources, ranking")
	f.BoolVar(&o.summary, "summary", false, "count what limits the kernels, and list those with most to gain")
}

func (o *formatFlags) registerAlso(f *pflag.FlagSet) {
	f.StringArrayVar(&o.also, "also", nil, "write the same findings to a file in another form, too, `FORMAT=FILE`; can be repeated")
}

// check refuses what contradicts itself, and forms that are not among those allowed.
func (o *formatFlags) check(allowed []string) error {
	if o.json && o.format != formatText && o.format != formatJSON {
		return diag.Usagef("", "--json and --format %s contradict each other: give one", o.format)
	}
	if o.json {
		o.format = formatJSON
	}
	if o.summary && o.format != formatText {
		return diag.Usagef("leave out one of them", "--summary is text, --format %s is not", o.format)
	}
	if o.verbose && (o.summary || o.format != formatText) {
		return diag.Usagef("leave out one of them", "-v tells more of each kernel in text")
	}
	if err := oneOf("--format", o.format, allowed...); err != nil {
		return err
	}
	for _, also := range o.also {
		format, file, ok := strings.Cut(also, "=")
		switch {
		case !ok || file == "" || file == "-":
			return diag.Usagef("as in --also markdown=summary.md", "--also %q: FORMAT=FILE is wanted", also)
		case !o.document():
			return diag.Usagef("give --format, too, as in --format sarif --also markdown=summary.md", "--also goes with a --format other than text")
		}
		if err := oneOf("--also", format, formats[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// checkDiff is check for edits, which are shown with -d alone.
func (o *formatFlags) checkDiff(out outputFlags) error {
	if err := o.check(formats); err != nil {
		return err
	}
	if o.document() && (!out.diff || out.list || out.write) {
		return diag.Usagef("give -d without -l and -w", "--format %s says how to print what -d prints", o.format)
	}
	return nil
}

// document reports whether all programs go into one document.
func (o *formatFlags) document() bool { return o.format != "" && o.format != formatText }

// always reports whether the document is printed even where no file could be read: who uploads it wants to find one.
func (o *formatFlags) always() bool { return o.document() && (o.edits || o.format != formatJSON) }

// showSurvey prints the facts about programs, or what would change, and writes the files of --also.
func (s *session) showSurvey(programs []report.Program, o formatFlags) error {
	if o.format == formatText {
		return s.showText(programs, o)
	}
	for _, also := range o.also {
		format, file, _ := strings.Cut(also, "=")
		text, err := s.surveyDocument(programs, o, format)
		if err == nil {
			err = s.WriteOutput(file, text)
		}
		if err != nil {
			return err
		}
	}
	text, err := s.surveyDocument(programs, o, o.format)
	if err == nil {
		_, err = s.Stdout.Write(text)
	}
	return err
}

// surveyDocument returns the document in one of the forms but text.
func (s *session) surveyDocument(programs []report.Program, o formatFlags, format string) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch {
	case format == formatJSON && o.edits:
		err = writeDocument(&out, report.NewChanges(programs, s.Unread))
	case format == formatJSON:
		err = writeDocument(&out, report.NewReport(programs))
	case format == formatMarkdown:
		err = report.WriteMarkdown(&out, programs, report.MarkdownOptions{Path: project.RepositoryPath, Rewrite: o.edits, Unread: s.Unread})
	default:
		err = s.writeFindings(&out, s.findings(programs, o), format)
	}
	if err != nil {
		return nil, diag.Failed("writing the report", err)
	}
	return out.Bytes(), nil
}

// showText prints what is known for people.
func (s *session) showText(programs []report.Program, o formatFlags) error {
	var out bytes.Buffer
	report := report.NewReport(programs)
	if o.summary {
		report.SummaryText(&out)
	} else {
		report.Text(&out, o.verbose)
	}
	if _, err := s.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if len(report.Kernels)+len(report.Lost) != 1 {
		s.Remark("%s", report.Summary())
	}
	return nil
}

// showFindings prints findings in the form of another tool.
func (s *session) showFindings(r finding.Report, format string) error {
	var out bytes.Buffer
	if err := s.writeFindings(&out, r, format); err != nil {
		return diag.Failed("writing the report", err)
	}
	_, err := s.Stdout.Write(out.Bytes())
	return err
}

func (s *session) writeFindings(w io.Writer, r finding.Report, format string) error {
	r.Path = project.RepositoryPath
	if format == formatRDJSONL { // as the file was named: its tools run beside smux
		r.Path = func(name string) string {
			if name == parser.StdinName {
				return "stdin"
			}
			return filepath.ToSlash(name)
		}
	}
	return writers[format](w, r)
}

// findings returns what is to be said in the form of other tools.
func (s *session) findings(programs []report.Program, o formatFlags) finding.Report {
	r := finding.Report{Version: thisBuild().Version, Command: "analyze"}
	if o.edits {
		r.Command = "rewrite"
	}
	r.Findings = append(report.Unread(s.Unread), report.Findings(programs, o.edits)...)
	texts := map[string][]byte{}
	for _, p := range programs {
		for _, f := range p.Files {
			texts[f.Name] = f.Src
		}
	}
	r.Source = func(name string) []byte { return texts[name] }
	return r
}
