package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"os"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/verify"
)

// reportVerdict runs the request of a command, by judge, and prints the verdict: the table or a document on
// stdout, what was found on stderr, and notes the exit code.
func (s *session) reportVerdict(command string, request verify.Request, own verifyFlags, judge func(verify.Request) (*verify.Verdict, error)) error {
	if !own.silent() {
		request.Preparing = s.preparing
	}
	v, err := judge(s.forBoard(request))
	if err != nil {
		return err
	}
	return s.showVerdict(command, request, v, own)
}

// forBoard returns a request that asks nvcc for what kernels take on its GPU.
func (s *session) forBoard(request verify.Request) verify.Request {
	if request.Board == nil {
		return request
	}
	b := *request.Board
	if g, err := gpu.Default().Lookup(b.Name); err == nil {
		b.Registers = s.registersFor(g)
	}
	request.Board = &b
	return request
}

// showVerdict prints a verdict and notes the exit code.
func (s *session) showVerdict(command string, request verify.Request, v *verify.Verdict, own verifyFlags) error {
	known, err := s.knownFindings(own)
	if err != nil {
		return err
	}
	files := filesOf(request)
	known.overlook(v, files[0])
	s.Note(v.ExitCode())
	var out bytes.Buffer
	switch {
	case own.format == formatJSON:
		err = writeDocument(&out, v)
	case own.document():
		err = s.writeFindings(&out, verdictReport(command, request, v), own.format)
	case v.Judged():
		err = v.WriteTable(&out)
	}
	if err != nil {
		return diag.Failed("writing the verdict", err)
	}
	if _, err := s.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if !own.document() { // which holds everything
		s.verdictMessages(v, own.quiet)
		s.Remark("%s", v.Summary())
	}
	return known.write(s, files, own)
}

// verdictMessages prints what was found and what could not be judged.
func (s *session) verdictMessages(v *verify.Verdict, quietly bool) {
	for _, m := range v.Messages(quietly) {
		s.Message(m.Message)
		if m.Rewritten != "" {
			fmt.Fprintf(s.Stderr, "    %s\n", m.Rewritten)
		}
		s.Quote(m.Output)
	}
}

// levels map a severity to the level that other tools see. What does not count is reported as well.
var levels = map[verify.Severity]finding.Level{verify.Counts: finding.Error, verify.Inherited: finding.Note, verify.Note: finding.Note, verify.Guessed: finding.Note, verify.Recorded: finding.Error}

// verdictReport returns what was found, what could not be judged and what was not looked at, in the form of other tools. What stands
// nowhere in particular is about the program's first file.
func verdictReport(command string, request verify.Request, v *verify.Verdict) finding.Report {
	r := finding.Report{Version: thisBuild().Version, Command: command, Source: textOf(request)}
	first := filesOf(request)[0]
	add := func(f finding.Finding) {
		f.Pos.File = cmp.Or(f.Pos.File, first)
		f.Help = cmp.Or(f.Help, diag.Help(f.Rule))
		r.Findings = append(r.Findings, f)
	}
	for _, f := range v.Failures {
		add(finding.Finding{Rule: f.Message.Code, Level: finding.Error, Pos: f.Message.Pos, Text: f.Message.Text, Help: f.Message.Help, Unread: true, Suppressed: recorded(f.Recorded), External: f.Recorded})
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Told() {
			m := f.Message
			known := f.Severity == verify.Recorded
			var other []finding.Related
			if f.Other != nil {
				other = append(other, finding.Related{Pos: *f.Other, Text: "the other access"})
			}
			add(finding.Finding{Rule: m.Code, Level: levels[f.Severity], Pos: m.Pos, Text: f.Words(v.Compares()), Help: m.Help, Related: other,
				Suppressed: recorded(known), External: known})
		}
	}
	for _, m := range v.Remarks {
		add(finding.Finding{Rule: m.Code, Level: finding.Note, Pos: m.Pos, Text: m.Text, Help: m.Help})
	}
	return r
}

// recorded is the reason why what a baseline has is suppressed.
func recorded(known bool) string {
	if known {
		return "it is in the baseline"
	}
	return ""
}

// filesOf are the names of a program's files, "" where it has none.
func filesOf(request verify.Request) (out []string) {
	out = lists.Map(request.Original.Files, func(f verify.File) string { return f.Name })
	if out = append(out, request.Original.Sources...); len(out) == 0 {
		out = []string{""}
	}
	return out
}

// textOf gives the texts of a request's files: those on disk, which messages are about, or else what stands in memory.
func textOf(request verify.Request) func(name string) []byte {
	return func(name string) []byte {
		if text, err := os.ReadFile(name); err == nil {
			return text
		}
		for _, f := range request.Original.Files {
			if f.Name == name {
				return f.Text
			}
		}
		return nil
	}
}
