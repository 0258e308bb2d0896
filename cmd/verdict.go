package cmd

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify"
)

// reportVerdict prints a verdict: the table or the JSON form on stdout, what
// was found on stderr, and notes the exit code.
func (s *session) reportVerdict(v *verify.Verdict, own verifyFlags) error {
	s.Note(verdictCode(v))
	var out bytes.Buffer
	if own.asJSON {
		if err := writeDocument(&out, v); err != nil {
			return diag.Failed("writing the verdict", err)
		}
	} else if v.Judged() {
		if err := v.WriteTable(&out); err != nil {
			return diag.Failed("writing the verdict", err)
		}
	}
	if _, err := s.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if own.asJSON {
		return nil // it holds everything
	}
	s.verdictMessages(v, own.quiet)
	s.Remark("%s", v.Summary())
	return nil
}

// verdictCode is the exit code that a verdict leads to.
func verdictCode(v *verify.Verdict) int {
	switch v.Outcome {
	case verify.Equal, verify.Clean:
		return diag.ExitOK
	case verify.CouldNotRun:
		return diag.ExitNotRun
	}
	return diag.ExitDiffers
}

// verdictMessages tells what was found and what could not be judged. What a
// variant shares with the original is told of the original alone.
func (s *session) verdictMessages(v *verify.Verdict, quiet bool) {
	if !quiet {
		for _, m := range v.Remarks {
			s.Message(m)
		}
	}
	for _, f := range v.Findings {
		if f.Severity == verify.Inherited && f.Variant != verify.OriginalName || f.Severity != verify.Counts && quiet {
			continue
		}
		s.findingMessage(f, v.Compares())
	}
	for _, f := range v.Failures {
		m := f.Message
		if f.Variant != verify.OriginalName {
			m.Text += " (" + f.Variant + ")"
		}
		s.Message(m)
		if !m.Pos.IsValid() { // a compiler's output says no more than its messages with places
			s.Quote(f.Output)
		}
	}
}

// findingMessage prints one finding, in which program and runs it was seen, and
// the rewritten line that it is about.
func (s *session) findingMessage(f verify.Finding, compared bool) {
	m := f.Message
	about := []string{runsText(f.Runs)}
	if compared {
		about = append([]string{f.Variant}, about...)
	}
	switch f.Severity {
	case verify.Note:
		about = append(about, "a note")
	case verify.Inherited:
		about = append(about, "does not count: a rewrite may keep it")
	}
	m.Text += " (" + strings.Join(about, "; ") + ")"
	s.Message(m)
	if f.Place != nil {
		fmt.Fprintf(s.Stderr, "    rewritten line %d: %s\n", f.Place.Line, f.Line)
	}
}

// runsText names the runs in which something was seen, each order once.
func runsText(runs []verify.RunName) string {
	const most = 3
	var names []string
	seen := map[string]bool{}
	for _, r := range runs {
		if name := r.String(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) > most {
		return fmt.Sprintf("%s and %d more runs", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
