package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Encode writes a baseline: a kernel on a few lines, so that a review shows what
// changed of which kernel, and commas between kernels on lines of their own, so that
// a kernel that is added changes no other's line.
func Encode(kernels []Kernel) []byte {
	sorted := slices.Clone(kernels)
	slices.SortStableFunc(sorted, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Nth, b.Nth))
	})
	var out bytes.Buffer
	out.WriteString("{\"smux-baseline\": " + text(Schema) + ", \"kernels\": [\n")
	for i, k := range sorted {
		if i > 0 {
			out.WriteString(",\n")
		}
		k.encode(&out)
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// encode writes one kernel.
func (k Kernel) encode(out *bytes.Buffer) {
	out.WriteString(`{"file": ` + text(k.File) + `, "kernel": ` + text(k.Name))
	if k.Nth > 0 {
		out.WriteString(`, "nth": ` + text(k.Nth))
	}
	out.WriteString(",\n \"shared\": " + text(k.Shared))
	out.WriteString(",\n \"share\": " + text(k.Share) + ", \"regions\": " + text(k.Regions))
	out.WriteString(",\n \"lines\": " + text(k.Lines))
	out.WriteString(",\n \"stands\": [")
	for i, s := range k.Stands {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  " + text(s))
	}
	out.WriteString("]}\n")
}

// text returns a value as JSON on one line.
func text(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // plain data
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}
