package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
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

// checkDrawing refuses a file for a drawing that cannot be meant, before anything is computed: none, standard output,
// or one of the inputs, which the drawing would replace.
func checkDrawing(given *pflag.FlagSet, flag, file string, inputs ...string) error {
	switch {
	case !given.Changed(flag):
		return nil
	case file == "":
		return diag.Usagef("write --"+flag+" FILE.svg", "--%s names no file", flag)
	case file == "-":
		return diag.Usagef("write --"+flag+" FILE.svg", "--%s needs a file of its own: standard output has the report", flag)
	}
	there, err := os.Lstat(file)
	if err != nil {
		return nil // writing it says what is wrong, if anything is
	}
	if sameAsOne(there, inputs) {
		return diag.Usagef("name another file", "--%s %s would replace a file that is read", flag, file)
	}
	return disk.Replaceable(file, there)
}

// sameAsOne reports whether a file is one of those that are named, by whatever name.
func sameAsOne(file os.FileInfo, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		other, err := os.Stat(name)
		return err == nil && os.SameFile(file, other)
	})
}
