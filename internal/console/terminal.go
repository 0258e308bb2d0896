package console

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a file that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Coloured reports whether what is written to the stream may hold colours:
// only on a terminal, and not where the person asked for none
// (https://no-color.org).
func (c *Console) Coloured(stream any) bool {
	return c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb" && c.IsTerminal(stream)
}

// PlainWidth is the columns of what is not written to a terminal.
const PlainWidth = 80
