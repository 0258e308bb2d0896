package cmd

import (
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/rewrite"
)

// paint holds the escape sequences of messages on a terminal, all empty where
// there is to be no colour.
type paint struct{ place, code, reset string }

// messagePaint returns the colours for stderr.
func (s *session) messagePaint() paint {
	if !s.coloured(s.stderr) {
		return paint{}
	}
	return paint{place: "\x1b[1m", code: "\x1b[31m", reset: "\x1b[m"}
}

// message prints file:line:col: CODE: message and one indented line of help.
// A code that is documented sends the reader to `smux explain`.
func (s *session) message(m diag.Message) { s.messageWith(m, "") }

// messageWith is message with lines of another program between text and help.
func (s *session) messageWith(m diag.Message, quoted string) {
	if s.interruption.asked() {
		return
	}
	p := s.messagePaint()
	if m.Pos.File != "" {
		fmt.Fprintf(s.stderr, "%s%s:%s ", p.place, printable.Text(m.Pos.String()), p.reset)
	}
	fmt.Fprintf(s.stderr, "%s%s:%s %s\n", p.code, m.Code, p.reset, m.Text)
	s.quote(quoted)
	help := m.Help
	if _, documented := diag.Lookup(m.Code); documented {
		if help != "" {
			help += "; "
		}
		help += fmt.Sprintf("run \"smux explain %s\"", m.Code)
	}
	s.helpLine(help)
}

// errorLine prints an error that concerns no place in a file.
func (s *session) errorLine(e *exitError) {
	if s.interruption.asked() {
		return
	}
	p := s.messagePaint()
	fmt.Fprintf(s.stderr, "%ssmux:%s %s\n", p.place, p.reset, e.Error())
	s.helpLine(e.help)
	if e.stack != nil && s.getenv("SMUX_DEBUG") == "1" {
		fmt.Fprintf(s.stderr, "%s\n", e.stack)
	}
}

// remark prints a line that is no error.
func (s *session) remark(format string, args ...any) {
	if s.interruption.asked() {
		return
	}
	p := s.messagePaint()
	fmt.Fprintf(s.stderr, "%ssmux:%s %s\n", p.place, p.reset, fmt.Sprintf(format, args...))
}

// helpLine prints an indented line of help, or nothing.
func (s *session) helpLine(help string) {
	if help != "" {
		fmt.Fprintf(s.stderr, "    help: %s\n", help)
	}
}

// reportKernels tells what became of the kernels: why each refused one was
// left alone, what the reader should know of each rewritten one, and, where
// there are several, how many of each there are.
func (s *session) reportKernels(kernels []rewrite.KernelResult) {
	s.kernelMessages(kernels)
	s.kernelSummary(kernels)
}

// kernelMessages tells what became of each kernel.
func (s *session) kernelMessages(kernels []rewrite.KernelResult) {
	for _, k := range kernels {
		for _, m := range k.Refused {
			m.Text = fmt.Sprintf("kernel %q left alone: %s", k.Name, m.Text)
			if m.Help == "" {
				m.Help = diag.Help(m.Code)
			}
			s.message(m)
		}
		for _, m := range k.Notes {
			m.Text = fmt.Sprintf("kernel %q: %s", k.Name, m.Text)
			s.message(m)
		}
	}
}

// kernelSummary counts kernels, where there are several.
func (s *session) kernelSummary(kernels []rewrite.KernelResult) {
	rewritten := 0
	for _, k := range kernels {
		if k.Rewriter != "" {
			rewritten++
		}
	}
	if len(kernels) > 1 {
		s.remark("%s rewritten, %d left alone", plural.Count(rewritten, "kernel"), len(kernels)-rewritten)
	}
}
