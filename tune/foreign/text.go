package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/record"
)

// The codes of files that can't be imported.
const (
	CodeBroken  diag.Code = "results-broken"  // not JSON, or cut off
	CodeUnknown diag.Code = "results-unknown" // JSON that is not in a format that is read
)

type text struct {
	name string
	src  []byte
}

// member is a member of an object, or an element of a list, which has no key.
type member struct {
	key   string
	at    int // offset of the key, or of the element
	value json.RawMessage
	end   int // offset after it
}

// withoutNaN puts "" and blanks in the place of NaN and the infinities, which Python's json writes and JSON lacks.
func withoutNaN(src []byte) []byte {
	if !bytes.Contains(src, []byte("NaN")) && !bytes.Contains(src, []byte("Infinity")) {
		return src
	}
	return stringOrNaN.ReplaceAllFunc(src, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		return append([]byte(`""`), bytes.Repeat([]byte{' '}, len(match)-2)...)
	})
}

var stringOrNaN = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*(?:"|\\?\z)|NaN|-?Infinity`)

// next returns the offset of the next value or key from an offset on.
func (t *text) next(at int) int {
	for at < len(t.src) && bytes.IndexByte([]byte(" \t\r\n,:"), t.src[at]) >= 0 {
		at++
	}
	return at
}

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

// explain turns an error of the decoder into one with a place. The decoder's offsets count from base.
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
		// The decoder counts from its last token; the text as a whole has its first error where it is.
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

// members returns those of the object or list at an offset, and the offset after it; with an error those before it. what names it.
func (t *text) members(at int, begin json.Delim, what string) (out []member, end int, err error) {
	at = t.next(at)
	d := json.NewDecoder(bytes.NewReader(t.src[at:]))
	if token, err := d.Token(); err != nil {
		return nil, at, t.explain(err, 0)
	} else if token != begin {
		return nil, at, t.unknown(at, what+" must begin here, with "+begin.String())
	}
	for d.More() {
		m := member{at: t.next(at + int(d.InputOffset()))}
		if begin == '{' {
			key, err := d.Token()
			if err != nil {
				return out, at, t.explain(err, 0)
			}
			m.key = key.(string) // the decoder takes no other
		}
		if err := d.Decode(&m.value); err != nil {
			return out, at, t.explain(err, 0)
		}
		m.end = at + int(d.InputOffset())
		out = append(out, m)
	}
	if _, err := d.Token(); err != nil {
		return out, at, t.explain(err, 0)
	}
	return out, at + int(d.InputOffset()), nil
}

// document returns the members of the text's object, after which nothing may stand.
func (t *text) document(what string) (map[string]member, error) {
	all, end, err := t.members(0, '{', what)
	if err != nil {
		return nil, err
	}
	if end = t.next(end); len(bytes.TrimSpace(t.src[end:])) > 0 {
		return nil, t.broken(end, "something stands after the end of the document")
	}
	out := map[string]member{}
	for _, m := range all {
		out[m.key] = m
	}
	return out, nil
}

// runs reads a list of results, if it is there, one by one, whose times are in a unit. Without any untimed is the failure.
func (t *text) runs(r *Results, list member, unit float64, untimed string, one func(member) (run Run, why string, err error)) error {
	if list.value == nil {
		return nil
	}
	results, _, err := t.members(list.end-len(list.value), '[', "the results")
	if err != nil {
		return err
	}
	for _, m := range results {
		run, why, err := one(m)
		if err != nil {
			return err
		}
		if why != "" {
			return t.unknown(m.at, why)
		}
		if run.Times = times(run.Times, unit); run.Failure == nil && len(run.Times) == 0 {
			run.Failure = failed(record.FailedUntimed, untimed)
		}
		r.Runs = append(r.Runs, run)
	}
	return nil
}

// read reads a member, if it is there, into what a pointer leads to.
func (t *text) read(m member, into any) error {
	if m.value == nil {
		return nil
	}
	if err := json.Unmarshal(m.value, into); err != nil {
		return t.explain(err, m.end-len(m.value))
	}
	return nil
}
