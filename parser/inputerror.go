package parser

import (
	"bytes"
	"fmt"

	"github.com/smux-cuda/smux/diag"
)

// MaxFileBytes is the size over which a file is refused. Hand-written CUDA
// files are three orders of magnitude smaller.
const MaxFileBytes = 32 << 20

// MaxNesting is the depth of brackets over which a file is refused: deeper
// nesting is never written by people, and would cost quadratic time.
const MaxNesting = 1000

// MaxDepth is the depth of the syntax tree over which a file is refused: a sum of thousands of operands is deep
// without a bracket. Whatever walks the tree needs stack in proportion.
const MaxDepth = 8000

// The codes of an InputError.
const (
	CodeEmptyFile   diag.Code = "empty-file"
	CodeBinaryFile  diag.Code = "binary-file"
	CodeTooLarge    diag.Code = "file-too-large"
	CodeTooDeep     diag.Code = "too-deep"
	CodeTruncated   diag.Code = "truncated"
	CodeInvalidUTF8 diag.Code = "invalid-utf8"
)

// InputError reports why a whole file can't be read as source. Faults in the
// source itself are not InputErrors: they are in File.Errors.
type InputError struct {
	Name string        // the file, as the caller named it
	Code diag.Code     // one of the codes above
	Pos  diag.Position // the place, where there is one
	Text string        // what is wrong
	Help string        // one line: what a person can do
}

// Error returns "file[:line:col]: CODE: text".
func (e *InputError) Error() string {
	if e.Pos.IsValid() {
		return fmt.Sprintf("%s: %s: %s", e.Pos, e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, e.Code, e.Text)
}

// Message returns the error in the form in which smux shows it.
func (e *InputError) Message() diag.Message {
	pos := e.Pos
	if !pos.IsValid() {
		pos.File = e.Name
	}
	return diag.Message{Pos: pos, Code: e.Code, Text: e.Text, Help: e.Help}
}

func tooLarge(name string) *InputError {
	return &InputError{
		Name: name, Code: CodeTooLarge,
		Text: fmt.Sprintf("the file is larger than %d MB", MaxFileBytes>>20),
		Help: "give only the file that holds the kernel, without embedded data",
	}
}

// checkBytes refuses what is not source text at all.
func checkBytes(name string, src []byte) *InputError {
	switch {
	case len(src) > MaxFileBytes:
		return tooLarge(name)
	case bytes.IndexByte(src, 0) >= 0:
		return &InputError{
			Name: name, Code: CodeBinaryFile, Text: "the file holds NUL bytes: it is not source text",
			Help: "source must be ASCII or UTF-8 (UTF-16 must be converted)",
		}
	case len(bytes.TrimSpace(bytes.TrimPrefix(src, utf8BOM))) == 0:
		return &InputError{Name: name, Code: CodeEmptyFile, Text: "the file is empty", Help: "give a file with CUDA source"}
	}
	return nil
}

// checkScan refuses text that the lexer could not read to its end.
func checkScan(f *File, sc *scan, macros *Macros) *InputError {
	switch {
	case sc.tooDeep >= 0:
		return f.inputError(CodeTooDeep, sc.tooDeep,
			fmt.Sprintf("brackets are nested more than %d deep", MaxNesting), "generated code must be flattened first")
	case sc.unfinished >= 0 && !macros.isDead(sc.unfinished):
		return f.inputError(CodeTruncated, sc.unfinished,
			"the file ends inside a comment or raw string that begins here", "is the file complete?")
	case sc.badUTF8 >= 0 && !macros.isDead(sc.badUTF8):
		return f.inputError(CodeInvalidUTF8, sc.badUTF8,
			"bytes that are not UTF-8, outside of comments and literals", "convert the file to UTF-8")
	}
	return nil
}

func (f *File) inputError(code diag.Code, at int, text, help string) *InputError {
	return &InputError{Name: f.Name, Code: code, Pos: f.Position(at), Text: text, Help: help}
}
