package build

import (
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// The codes of what keeps a program from being built.
const (
	CodeNoCompiler     diag.Code = "no-compiler"      // there is no C++ compiler
	CodeNotSupported   diag.Code = "not-supported"    // a part of CUDA that the shim lacks
	CodeNeedsLibrary   diag.Code = "needs-library"    // a header, library or definition is missing
	CodeNoMain         diag.Code = "no-main"          // no file defines main
	CodeDoesNotCompile diag.Code = "does-not-compile" // everything else
)

// CompileError reports why a program could not be built. Messages are few, at places of the original text, and
// ordered by importance; Output is all that the compiler said.
type CompileError struct {
	Messages []diag.Message
	Output   string
}

const absentHeader = "there is no header "

// Headers returns the headers that the program asks for and nobody has.
func (e *CompileError) Headers() (out []string) {
	for _, m := range e.Messages {
		if header, ok := strings.CutPrefix(m.Text, absentHeader); ok {
			out = append(out, header)
		}
	}
	return out
}

// Error returns one line per message.
func (e *CompileError) Error() string {
	lines := make([]string, len(e.Messages))
	for i, m := range e.Messages {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// NoCompilerError reports that there is no C++ compiler, or that the one that was asked for is none.
type NoCompilerError struct {
	Name   string // what was asked for; "" if nothing was
	Reason string
}

// Message returns the error as a message with help.
func (e *NoCompilerError) Message() diag.Message {
	text := "there is no C++ compiler: " + e.Reason
	if e.Name != "" {
		text = e.Name + " can't be used as a C++ compiler: " + e.Reason
	}
	return diag.Message{Code: CodeNoCompiler, Text: text, Help: "install g++ or clang++, or name one with --cxx"}
}

// Error returns the message without its help.
func (e *NoCompilerError) Error() string { return e.Message().Text }
