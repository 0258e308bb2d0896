// Package github writes findings as workflow commands: what a step of a GitHub
// workflow prints so that its lines become annotations of the changed files.
//
// GitHub shows ten errors, ten warnings and ten notices of a step and keeps the rest
// to its log. Findings that are not suppressed are printed the most important
// first, so that those are shown; SARIF has no such limit.
package github

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/smux-cuda/smux/report/finding"
)

var commands = map[finding.Level]string{finding.Note: "notice", finding.Warning: "warning", finding.Error: "error"}

// Write prints a command for each finding, one a line.
func Write(w io.Writer, r finding.Report) error {
	var out bytes.Buffer
	for _, f := range finding.ByImportance(finding.Told(r.Findings)) {
		command(&out, f, r)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// command is ::warning file=a.cu,line=1,col=2,endColumn=3,title=chosen::text. Columns
// count bytes.
func command(out *bytes.Buffer, f finding.Finding, r finding.Report) {
	fmt.Fprintf(out, "::%s file=%s", commands[f.Level], property(r.Name(f.Pos.File)))
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
	fmt.Fprintf(out, ",title=%s::%s\n", property("smux "+string(f.Rule)), data(text))
}

// data is text as the runner reads it back.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// property returns the value of a property, which commas and colons would end.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
