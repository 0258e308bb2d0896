package cmd

import (
	"encoding/json"
	"io"
)

// writeDocument writes a document for other programs as JSON, for people to read, too.
func writeDocument(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // <<<grid, block>>>
	e.SetIndent("", "  ")
	return e.Encode(document)
}
