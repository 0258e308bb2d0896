package cmd

import (
	"bytes"
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify"
)

// reportVerdict runs a request and prints the verdict: the table or the JSON form on
// stdout, what was found on stderr, and notes the exit code.
func (s *session) reportVerdict(request verify.Request, own verifyFlags) error {
	if !own.quiet && !own.asJSON {
		request.Preparing = s.preparing
	}
	v, err := s.judge(request)
	if err != nil {
		return err
	}
	s.Note(v.ExitCode())
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
