package cmd

import (
	"bytes"

	"github.com/smux-cuda/smux/survey"
	"github.com/smux-cuda/smux/survey/markdown"
)

// showMarkdown prints what is known of programs as a comment on a pull request.
func (s *session) showMarkdown(programs []survey.Program, o formatFlags) error {
	var out bytes.Buffer
	if err := markdown.Write(&out, programs, markdown.Options{Path: diffName, Rewrite: o.edits}); err != nil {
		return failure("writing the report", err)
	}
	_, err := s.stdout.Write(out.Bytes())
	return err
}
