package console

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
)

// Paint holds the escape sequences of messages on a terminal, all empty where there is to be no colour.
type Paint struct{ Place, Code, Reset string }

// Paint returns the colours for stderr.
func (c *Console) Paint() Paint {
	if !c.Coloured(c.Stderr) {
		return Paint{}
	}
	return Paint{Place: "\x1b[1m", Code: "\x1b[31m", Reset: "\x1b[m"}
}

// Message prints file:line:col: CODE: message and one indented line of help.
// A code that is documented sends the reader to `smux explain`.
func (c *Console) Message(m diag.Message) { c.MessageWith(m, "") }

// MessageWith is Message with lines of another program between text and help.
func (c *Console) MessageWith(m diag.Message, quoted string) {
	if c.interruption.asked() {
		return
	}
	c.MessageLine(m)
	c.Quote(quoted)
	c.HelpLine(m.Advice())
}

// MessageLine prints the line of a message, without help.
func (c *Console) MessageLine(m diag.Message) {
	if c.interruption.asked() {
		return
	}
	c.lines.clear()
	p := c.Paint()
	if m.Pos.File != "" {
		fmt.Fprintf(c.Stderr, "%s%s:%s ", p.Place, prose.Printable(m.Pos.String()), p.Reset)
	}
	fmt.Fprintf(c.Stderr, "%s%s:%s %s\n", p.Code, m.Code, p.Reset, m.Text)
}

// errorLine prints an error that concerns no place in a file.
func (c *Console) errorLine(e *diag.Failure) {
	if c.interruption.asked() {
		return
	}
	c.lines.clear()
	p := c.Paint()
	fmt.Fprintf(c.Stderr, "%ssmux:%s %s\n", p.Place, p.Reset, e.Error())
	c.HelpLine(e.Help)
	if e.Stack != nil && c.Getenv("SMUX_DEBUG") == "1" {
		fmt.Fprintf(c.Stderr, "%s\n", e.Stack)
	}
}

// Remark prints a line that is not an error.
func (c *Console) Remark(format string, args ...any) {
	if c.interruption.asked() {
		return
	}
	c.lines.clear()
	p := c.Paint()
	fmt.Fprintf(c.Stderr, "%ssmux:%s %s\n", p.Place, p.Reset, fmt.Sprintf(format, args...))
}

// HelpLine prints an indented line of help, or nothing.
func (c *Console) HelpLine(help string) {
	if help != "" {
		fmt.Fprintf(c.Stderr, "    help: %s\n", help)
	}
}

// Quote shows the last lines of what another program printed.
func (c *Console) Quote(output string) {
	const most = 10
	output = strings.TrimRight(output, "\n")
	if output == "" {
		return
	}
	lines := strings.Split(output, "\n")
	for _, line := range lines[max(0, len(lines)-most):] {
		fmt.Fprintf(c.Stderr, "    | %s\n", line)
	}
}
