package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/smux-cuda/smux/diag"
)

// The codes of files that can't be imported.
const (
	CodeBroken  diag.Code = "results-broken"  // not JSON, or cut off
	CodeUnknown diag.Code = "results-unknown" // JSON that is not in a format that is read
)

// text is a JSON text that is read from the front to the end.
type text struct {
	name string
	src  []byte
	d    *json.Decoder
}

func newText(name string, src []byte) *text {
	src = withoutNaN(src)
	return &text{name, src, json.NewDecoder(bytes.NewReader(src))}
}

// withoutNaN returns a text in which NaN and the infinities, which Python's json writes
// and JSON lacks, are empty strings of the same length with blanks after them.
func withoutNaN(src []byte) []byte {
	if !bytes.Contains(src, []byte("NaN")) && !bytes.Contains(src, []byte("Infinity")) {
		return src
	}
	src = bytes.Clone(src)
	inString := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		default:
			for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(src[i:], []byte(word)) {
					n := copy(src[i:], `""`)
					for n < len(word) {
						src[i+n] = ' '
						n++
					}
					i += len(word) - 1
					break
				}
			}
		}
	}
	return src
}

// offset is that of the next value or key.
func (t *text) offset() int {
	at := int(t.d.InputOffset())
	for at < len(t.src) && bytes.IndexByte([]byte(" \t\r\n,:"), t.src[at]) >= 0 {
		at++
	}
	return at
}

// place returns the position of a byte.
func (t *text) place(offset int) diag.Position {
	offset = min(max(offset, 0), len(t.src))
	before := t.src[:offset]
	return diag.Position{File: t.name, Line: 1 + bytes.Count(before, []byte{'\n'}), Column: offset - bytes.LastIndexByte(before, '\n')}
}

// unknown is the error that what stands at a place is not in a format that is read.
func (t *text) unknown(offset int, what string) error {
	return diag.Message{Pos: t.place(offset), Code: CodeUnknown, Text: what, Help: diag.Help(CodeUnknown)}
}

// broken is the error that what stands at a place is not JSON.
func (t *text) broken(offset int, what string) error {
	return diag.Message{Pos: t.place(offset), Code: CodeBroken, Text: what, Help: diag.Help(CodeBroken)}
}

// explain turns an error of the decoder into one with a place. base is what the decoder's
// offsets count from.
func (t *text) explain(err error, base int) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	var said diag.Message
	end := len(bytes.TrimRight(t.src, " \t\r\n"))
	switch {
	case errors.As(err, &said):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return t.broken(end, "the file ends here, in the middle of the document: it was cut off")
	case errors.As(err, &syntax):
		// The decoder counts from its last token; the text as a whole has its first error
		// where it is.
		var all json.RawMessage
		if errors.As(json.Unmarshal(t.src, &all), &syntax) && syntax.Error() == "unexpected end of JSON input" {
			return t.broken(end, "the file ends here, in the middle of the document: it was cut off")
		}
		return t.broken(int(syntax.Offset)-1, "this is not JSON: "+syntax.Error())
	case errors.As(err, &typ):
		where := ""
		if typ.Field != "" {
			where = " for " + typ.Field
		}
		return t.unknown(base+int(typ.Offset)-1, "a "+typ.Value+where+" stands here, where something else belongs")
	}
	return t.broken(base, err.Error())
}

// object reads an object; each reads the value of a key. opened says what the object is,
// for messages.
func (t *text) object(opened string, each func(key string, at int) error) error {
	if err := t.open('{', opened); err != nil {
		return err
	}
	for t.d.More() {
		at := t.offset()
		key, err := t.d.Token()
		if err != nil {
			return t.explain(err, 0)
		}
		name, ok := key.(string)
		if !ok {
			return t.unknown(at, "this is not the name of a member")
		}
		if err := each(name, at); err != nil {
			return err
		}
	}
	return t.close()
}

// array reads a list; each reads an element.
func (t *text) array(opened string, each func(at int) error) error {
	if err := t.open('[', opened); err != nil {
		return err
	}
	for t.d.More() {
		if err := each(t.offset()); err != nil {
			return err
		}
	}
	return t.close()
}

func (t *text) open(with json.Delim, opened string) error {
	at := t.offset()
	token, err := t.d.Token()
	if err != nil {
		return t.explain(err, 0)
	}
	if token != with {
		return t.unknown(at, opened+" must begin here, with "+with.String())
	}
	return nil
}

func (t *text) close() error {
	if _, err := t.d.Token(); err != nil {
		return t.explain(err, 0)
	}
	return nil
}

// value reads a value into what a pointer leads to.
func (t *text) value(into any) error {
	at := t.offset()
	var raw json.RawMessage
	if err := t.d.Decode(&raw); err != nil {
		return t.explain(err, 0)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return t.explain(err, at)
	}
	return nil
}

// skip passes over a value.
func (t *text) skip() error {
	var raw json.RawMessage
	return t.value(&raw)
}

// end refuses what stands after the document.
func (t *text) end() error {
	at := t.offset()
	if rest := bytes.TrimSpace(t.src[min(at, len(t.src)):]); len(rest) > 0 {
		return t.broken(at, "something stands after the end of the document")
	}
	return nil
}
