package cmd

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/smux-cuda/smux/diag"
)

// readable is a document for other programs that there is also a text of, for people.
type readable interface{ Text(*bytes.Buffer) }

// printDocument prints a document on stdout, as JSON or for people.
func (s *session) printDocument(d readable, asJSON bool) error {
	out, err := render(d, asJSON)
	if err == nil {
		_, err = s.Stdout.Write(out)
	}
	return err
}

// render returns what printDocument prints.
func render(d readable, asJSON bool) ([]byte, error) {
	var out bytes.Buffer
	if !asJSON {
		d.Text(&out)
	} else if err := writeDocument(&out, d); err != nil {
		return nil, diag.Failed("writing the report", err)
	}
	return out.Bytes(), nil
}

// writeDocument writes a document for other programs as JSON, for people to read, too.
func writeDocument(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // <<<grid, block>>>
	e.SetIndent("", "  ")
	return e.Encode(document)
}
