package load

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// The codes of input that cannot even be read.
const (
	CodeMissingFile diag.Code = "missing-file"
	CodeDirectory   diag.Code = "is-directory"
	CodeUnreadable  diag.Code = "unreadable-file" // in documents; on stderr it is an I/O error
)

// ReadSource reads a file. The error is a *parser.InputError for what a person got wrong,
// a *diag.Failure for what the system did.
func ReadSource(name string) ([]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, &parser.InputError{Name: name, Code: CodeMissingFile, Text: "there is no such file"}
	}
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, FolderError(name)
	}
	src, err := readLimited(f)
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	return src, nil
}

// FolderError is the error about a folder where a file is expected.
func FolderError(name string) error {
	return &parser.InputError{Name: name, Code: CodeDirectory, Text: "this is a directory",
		Help: "name the files of one program, such as " + filepath.Join(project.Folder(name), "*.cu") + "; folders are for analyze, rewrite, report, occupancy, check, verify and baseline"}
}

// readLimited reads everything, but not much more than the parser takes: what
// is longer is refused there.
func readLimited(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, parser.MaxFileBytes+1))
}

// ReportUnread says why a file could not be read, keeps that for the document that may
// be printed, and notes the exit code; nothing where err is nil.
func ReportUnread(c *console.Console, name string, err error) {
	var input *parser.InputError
	switch {
	case err == nil:
	case errors.As(err, &input):
		reportMessage(c, input.Message())
	default:
		c.Fail(err)
		c.Unread = append(c.Unread, diag.Message{Pos: diag.Position{File: name}, Code: CodeUnreadable, Text: err.Error()})
	}
}

// reportMessage says what is wrong with an input, notes the exit code and keeps the
// message for the document that may be printed.
func reportMessage(c *console.Console, m diag.Message) {
	c.Note(diag.ExitUsage)
	c.Message(m)
	c.Unread = append(c.Unread, m)
}
