package cmd

import (
	"io"

	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/markdown"
)

// showMarkdown prints a summary for a pull request.
func (s *session) showMarkdown(w io.Writer, programs []report.Program, o formatFlags) error {
	return markdown.Write(w, programs, markdown.Options{Path: project.RepositoryPath, Rewrite: o.edits, Unread: s.Unread})
}
