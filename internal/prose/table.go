package prose

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Table sets text in columns, for people at a terminal: rows of cells, the first of them the heading. A row that is shorter than that
// lets its last cell run on.
type Table struct {
	Indent int // blanks in front of each line
	Rows   [][]string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Print writes the rows in columns, two blanks between them and none at the ends of lines.
func (t *Table) Print(out *bytes.Buffer) {
	var width []int
	for _, r := range t.Rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			if len(r) == len(t.Rows[0]) || i < len(r)-1 {
				width[i] = max(width[i], utf8.RuneCountInString(c))
			}
		}
	}
	for _, r := range t.Rows {
		line := strings.Repeat(" ", t.Indent)
		for i, c := range r {
			line += c
			if i < len(r)-1 {
				line += strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
