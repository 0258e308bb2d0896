package cmd

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a file that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// coloured reports whether what is written to the stream may hold colours:
// only on a terminal, and not where the person asked for none
// (https://no-color.org).
func (s *session) coloured(stream any) bool {
	return s.getenv("NO_COLOR") == "" && s.getenv("TERM") != "dumb" && s.terminal(stream)
}
