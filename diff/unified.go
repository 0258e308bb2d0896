package diff

import (
	"bytes"
	"fmt"
	"strings"
)

// context is the number of equal lines shown around a change.
const context = 3

// Unified returns the unified diff that turns a into b, or nothing where they are equal. The names go into the header
// after "a/" and "b/", with slashes; an old name that is empty is that of a file that is not there; a name that holds
// quotes, control characters or bytes beyond ASCII is quoted as git quotes it.
func Unified(oldName, newName string, a, b []byte) []byte {
	if bytes.Equal(a, b) {
		return nil
	}
	la, lb := splitLines(a), splitLines(b)
	var out bytes.Buffer
	from := "/dev/null"
	if oldName != "" {
		from = headerName("a/" + oldName)
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, headerName("b/"+newName))
	for _, h := range hunks(Changes(la, lb)) {
		h.write(&out, la, lb)
	}
	return out.Bytes()
}

// hunk is a run of changes whose context lines touch or overlap.
type hunk []Change

// hunks groups changes so that no two hunks share a context line.
func hunks(cs []Change) []hunk {
	var hs []hunk
	for i, c := range cs {
		if i > 0 && c.ALo-cs[i-1].AHi <= 2*context {
			hs[len(hs)-1] = append(hs[len(hs)-1], c)
			continue
		}
		hs = append(hs, hunk{c})
	}
	return hs
}

// write prints the hunk header, its changes and the context around them.
func (h hunk) write(out *bytes.Buffer, a, b []string) {
	first, last := h[0], h[len(h)-1]
	before := min(context, first.ALo)
	after := min(context, len(a)-last.AHi)
	aLo, aHi := first.ALo-before, last.AHi+after
	bLo, bHi := first.BLo-before, last.BHi+after
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(aLo, aHi), span(bLo, bHi))

	at := aLo
	for _, c := range h {
		writeLines(out, ' ', a[at:c.ALo])
		writeLines(out, '-', a[c.ALo:c.AHi])
		writeLines(out, '+', b[c.BLo:c.BHi])
		at = c.AHi
	}
	writeLines(out, ' ', a[at:aHi])
}

// span prints the 0-based range [lo, hi) of lines as a hunk header counts it: from 1, the length left out where it is
// 1, and an empty range named by the line before it.
func span(lo, hi int) string {
	switch n := hi - lo; n {
	case 0:
		return fmt.Sprintf("%d,0", lo)
	case 1:
		return fmt.Sprint(lo + 1)
	default:
		return fmt.Sprintf("%d,%d", lo+1, n)
	}
}

// writeLines prints lines after a mark, and says so where the last one ends without a newline.
func writeLines(out *bytes.Buffer, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// headerName returns a name as git writes it in a --- or +++ line.
func headerName(name string) string {
	var quoted strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			quoted.WriteByte('\\')
			quoted.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			quoted.WriteByte(c)
		default:
			fmt.Fprintf(&quoted, "\\%03o", c)
		}
	}
	switch {
	case quoted.String() != name:
		return `"` + quoted.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t" // ends the name, for patch tools that stop at a space
	}
	return name
}
