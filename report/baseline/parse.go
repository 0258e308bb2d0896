package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/diag"
)

// CodeFile reports that a baseline can't be read.
const CodeFile diag.Code = "baseline-file"

// FormatError is a file that is not a baseline, or that can't be read as one.
type FormatError struct{ Message diag.Message }

func (e *FormatError) Error() string { return e.Message.Error() }

// Parse reads a baseline; name is that of the file, for messages. The error is a
// *FormatError.
func Parse(name string, src []byte) (*File, error) {
	wrong := func(offset int64, help, format string, args ...any) error {
		return &FormatError{diag.Message{Pos: place(name, src, offset), Code: CodeFile, Text: fmt.Sprintf(format, args...), Help: help}}
	}
	if at := conflict(src); at >= 0 {
		return nil, wrong(int64(at), `take one side ("git checkout --ours FILE"), then run "smux baseline write"`, "this is the mark of a merge that was not finished")
	}
	var head struct {
		Schema *int `json:"smux-baseline"`
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(src, &head); {
	case errors.As(err, &syntax):
		return nil, wrong(syntax.Offset-1, `take it from git again, or delete it and run "smux baseline write"`, "this is not JSON: %v", err)
	case err != nil || head.Schema == nil || *head.Schema < 1:
		return nil, wrong(0, `name another file; "smux baseline write" writes such files`, "this is not a baseline of smux")
	case *head.Schema > Schema:
		return nil, wrong(0, "update smux", "this baseline is of a newer smux: its schema is %d, and this one knows %d", *head.Schema, Schema)
	}
	f := &File{}
	var field *json.UnmarshalTypeError
	if err := json.Unmarshal(src, f); errors.As(err, &field) {
		return nil, wrong(field.Offset-1, `take it from git again, or delete it and run "smux baseline write"`, "this is no %s of a baseline: %s", field.Field, field.Value)
	} else if err != nil {
		return nil, wrong(0, "", "%v", err)
	}
	seen := map[key]bool{}
	for _, k := range f.Kernels {
		switch {
		case k.File == "" || k.Name == "":
			return nil, wrong(0, `take it from git again, or delete it and run "smux baseline write"`, "a kernel in it has no name or no file")
		case seen[k.key()]:
			return nil, wrong(0, `delete one of them, then run "smux baseline write"`, "kernel %q of %s is in it twice, as after a merge", k.Name, k.File)
		}
		seen[k.key()] = true
	}
	return f, nil
}

// conflict returns the offset of git's mark of a merge that needs a person, -1 for none.
func conflict(src []byte) int {
	for _, mark := range []string{"<<<<<<< ", "=======\n", ">>>>>>> ", "||||||| "} {
		if bytes.HasPrefix(src, []byte(mark)) {
			return 0
		}
		if i := bytes.Index(src, []byte("\n"+mark)); i >= 0 {
			return i + 1
		}
	}
	return -1
}

// place returns where an offset is.
func place(name string, src []byte, offset int64) diag.Position {
	at := max(0, min(int(offset), len(src)))
	before := src[:at]
	return diag.Position{File: name, Line: 1 + bytes.Count(before, []byte("\n")), Column: at - bytes.LastIndexByte(before, '\n')}
}
