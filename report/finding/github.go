package finding

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

var commands = map[Level]string{Note: "notice", Warning: "warning", Error: "error"}

// WriteGitHub prints a workflow command for each finding, one a line: what a step of a GitHub
// workflow prints so that its lines become annotations of the changed files.
//
// GitHub shows ten errors, ten warnings and ten notices of a step and keeps the rest
// to its log. Findings that are not suppressed are printed the most important
// first, so that those are shown; SARIF has no such limit.
func WriteGitHub(w io.Writer, r Report) error {
	var out bytes.Buffer
	for _, f := range byImportance(Told(r.Findings)) {
		command(&out, f, r)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// command is ::warning file=a.cu,line=1,col=2,endColumn=3,title=chosen::text. Columns
// count bytes.
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
