package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
)

// mostSuggested bounds the bytes of a suggestion: a comment on GitHub takes
// 65,536 characters, and holds the message, too.
const mostSuggested = 60_000

type diagnostic struct {
	Message     string       `json:"message"`
	Location    rdLocation   `json:"location"`
	Severity    string       `json:"severity"`
	Source      rdSource     `json:"source"`
	Code        rdCode       `json:"code"`
	Suggestions []suggestion `json:"suggestions,omitempty"`
	Related     []rdRelated  `json:"related_locations,omitempty"`
}

type rdLocation struct {
	Path  string  `json:"path"`
	Range *rdSpan `json:"range,omitempty"`
}

type rdRelated struct {
	Message  string     `json:"message"`
	Location rdLocation `json:"location"`
}

type rdSpan struct {
	Start rdPosition  `json:"start"`
	End   *rdPosition `json:"end,omitempty"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdSource struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type rdCode struct {
	Value string `json:"value"`
	URL   string `json:"url"`
}

type suggestion struct {
	Range rdSpan `json:"range"`
	Text  string `json:"text"`
}

var severities = map[Level]string{Note: "INFO", Warning: "WARNING", Error: "ERROR"}

// WriteRDJSON prints the findings of a report that are not suppressed, in their order, as
// rdjsonl: a diagnostic of reviewdog's format on each line.
//
// A reviewer can accept a suggestion with one click, so each must be whole: applied alone, the program compiles. A
// rewrite changes a kernel and its launches together, hence a diagnostic has at most one suggestion, from the first
// line that changes to the last, and has none where the change lies in several files, is longer than a comment may
// be, or holds bytes that JSON can't carry. The text then names the command makes the change. reviewdog shows a
// suggestion only where a pull request touches its lines.
//
// Lines and columns count from 1, columns bytes, and ends lie after the last byte.
// Suggestions are ranges of whole lines, without columns, as reviewdog reads them most
// surely: the last line is meant with its end, and their text has none.
func WriteRDJSON(w io.Writer, r Report) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out) // one line each
	e.SetEscapeHTML(false)
	for _, f := range Told(r.Findings) {
		if err := e.Encode(diagnosticOf(f, r)); err != nil {
			return err
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func diagnosticOf(f Finding, r Report) diagnostic {
	d := diagnostic{
		Message: f.Message(), Location: rdAt(f.Pos, f.End, r), Severity: severities[f.Level],
		Source: rdSource{"smux", home}, Code: rdCode{string(f.Rule), URL(f.Rule)},
	}
	if s, why, ok := suggest(f, r); ok {
		d.Suggestions = []suggestion{s}
	} else if why != "" {
		d.Message += fmt.Sprintf(". The change %s: smux rewrite -w --kernel '%s' makes it", why, f.Kernel)
	}
	if f.Help != "" {
		d.Message += "\nhelp: " + f.Help
	}
	for _, p := range f.Related {
		d.Related = append(d.Related, rdRelated{p.Text, rdAt(p.Pos, diag.Position{}, r)})
	}
	return d
}

func rdAt(pos, end diag.Position, r Report) rdLocation {
	out := rdLocation{Path: r.Name(pos.File)}
	if pos.IsValid() {
		out.Range = &rdSpan{Start: rdPosition{pos.Line, pos.Column}}
	}
	if end.IsValid() {
		out.Range.End = &rdPosition{end.Line, end.Column}
	}
	return out
}

// suggest returns the fix of a finding as one suggestion; why says what keeps it from being one.
func suggest(f Finding, r Report) (s suggestion, why string, ok bool) {
	changes := f.Fix.changes()
	switch {
	case len(changes) == 0:
		return s, "", false
	case len(changes) > 1:
		return s, fmt.Sprintf("lies in %d files", len(changes)), false
	case r.Name(changes[0].Name) != r.Name(f.Pos.File):
		return s, "lies in " + r.Name(changes[0].Name), false
	}
	first, last, text := wholeLines(changes[0])
	switch {
	case !utf8.Valid(text):
		return s, "holds bytes that are not UTF-8", false
	case len(text) > mostSuggested:
		return s, "is too long for a comment", false
	}
	return suggestion{rdSpan{rdPosition{Line: first}, &rdPosition{Line: last}}, string(text)}, "", true
}

// wholeLines returns a change as the lines that it replaces, from 1, both meant, and
// their new text without the end of the last.
func wholeLines(c Change) (first, last int, text []byte) {
	e, _ := c.whole()
	from, to := e.Start.Offset, e.End.Offset
	if e.Start.Line == 1 {
		from = 0 // with the mark at the start of the file
	}
	text = c.After[from : len(c.After)-(len(c.Before)-to)]
	if e.Start.Offset == to || len(text) > 0 && len(bytes.TrimPrefix(withoutEnd(text), []byte(bom))) == 0 {
		// Lines that are inserted replace none, and a single empty line looks like no
		// text: a line beside them that stays goes along.
		if i := bytes.IndexByte(c.Before[to:], '\n'); to < len(c.Before) && i >= 0 {
			to += i + 1
		} else if to < len(c.Before) {
			to = len(c.Before)
		} else if from > 0 {
			from = 1 + bytes.LastIndexByte(c.Before[:from-1], '\n')
		}
		text = c.After[from : len(c.After)-(len(c.Before)-to)]
	}
	line := func(offset int) int { return 1 + bytes.Count(c.Before[:offset], []byte("\n")) }
	return line(from), line(max(from, to-1)), withoutEnd(text)
}

func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

var commands = map[Level]string{Note: "notice", Warning: "warning", Error: "error"}

// WriteGitHub prints a workflow command for each finding, one a line: what a step of a GitHub
// workflow prints so that its lines become annotations of the changed files.
//
// GitHub shows ten errors, ten warnings and ten notices of a step and keeps the rest to its log. Findings that are
// not suppressed are printed the most important first, so that those are shown; SARIF has no such limit.
func WriteGitHub(w io.Writer, r Report) error {
	var out bytes.Buffer
	for _, f := range byImportance(Told(r.Findings)) {
		command(&out, f, r)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// command is ::warning file=a.cu,line=1,col=2,endColumn=3,title=chosen::text. Columns count bytes.
func command(out *bytes.Buffer, f Finding, r Report) {
	fmt.Fprintf(out, "::%s file=%s", commands[f.Level], commandProperty(r.Name(f.Pos.File)))
	if f.Pos.IsValid() {
		fmt.Fprintf(out, ",line=%d", f.Pos.Line)
		if f.End.IsValid() {
			fmt.Fprintf(out, ",endLine=%d", f.End.Line)
		}
		fmt.Fprintf(out, ",col=%d", f.Pos.Column)
		if f.End.IsValid() && f.End.Line == f.Pos.Line { // GitHub refuses it otherwise
			fmt.Fprintf(out, ",endColumn=%d", f.End.Column)
		}
	}
	text := f.Message()
	if f.Fix != nil {
		text += "\nfix: " + f.Fix.Text
	}
	if f.Help != "" {
		text += "\nhelp: " + f.Help
	}
	fmt.Fprintf(out, ",title=%s::%s\n", commandProperty("smux "+string(f.Rule)), commandData(text))
}

// commandData is text as the runner reads it back.
func commandData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// commandProperty returns the value of a property, which commas and colons would end.
func commandProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
