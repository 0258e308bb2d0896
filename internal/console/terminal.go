package console

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a file that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Coloured reports whether what is written to the stream may hold colours: only on a terminal, and not where the
// person asked for none (https://no-color.org).
func (c *Console) Coloured(stream any) bool {
	return c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb" && c.IsTerminal(stream)
}

// plainWidth is the columns of what is not written to a terminal.
const plainWidth = 80

// columns returns how many a terminal has, plainWidth if unknown.
func columns(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return plainWidth
}

// StdoutWidth returns the columns that the result has: those of the terminal that it goes to,
// or which COLUMNS says for it.
func (c *Console) StdoutWidth() int {
	if !c.IsTerminal(c.Stdout.W) {
		return plainWidth
	}
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return columns(c.Stdout.W)
}
