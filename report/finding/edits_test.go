package finding

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// apply puts edits into a text, the last first.
func apply(before []byte, edits []Edit) string {
	out := string(before)
	for i := len(edits) - 1; i >= 0; i-- {
		out = out[:edits[i].Start.Offset] + string(edits[i].Text) + out[edits[i].End.Offset:]
	}
	return out
}

// offset finds a place again by its line and column alone.
func offset(text []byte, p Point) int {
	at := 0
	for range p.Line - 1 {
		n := strings.IndexByte(string(text[at:]), '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	return at + p.Column - 1
}

func requireGives(t *testing.T, before, after string) []Edit {
	t.Helper()
	c := Change{Before: []byte(before), After: []byte(after)}
	edits := c.Edits()
	require.Equal(t, after, apply(c.Before, edits))
	behind := -1
	for _, e := range edits {
		require.Less(t, behind, e.Start.Offset, "a line that stays lies between two edits")
		require.LessOrEqual(t, e.Start.Offset, e.End.Offset)
		require.Equal(t, e.Start.Offset, offset(c.Before, e.Start), "%+v", e.Start)
		require.Equal(t, e.End.Offset, offset(c.Before, e.End), "%+v", e.End)
		behind = e.End.Offset
	}
	whole, ok := c.whole()
	require.Equal(t, before != after, ok)
	if ok {
		require.Equal(t, after, apply(c.Before, []Edit{whole}))
	}
	return edits
}

func TestEditsAreTheChangedLines(t *testing.T) {
	at := func(offset, line, column int) Point { return Point{offset, line, column} }
	for _, tt := range []struct {
		name, before, after string
		want                []Edit
	}{
		{"nothing", "a\n", "a\n", nil},
		{"a line", "a\nb\nc\n", "a\nB\nc\n", []Edit{{at(2, 2, 1), at(4, 3, 1), []byte("B\n")}}},
		{"two places", "a\nb\nc\n", "A\nb\nC\n", []Edit{{at(0, 1, 1), at(2, 2, 1), []byte("A\n")}, {at(4, 3, 1), at(6, 4, 1), []byte("C\n")}}},
		{"inserted", "a\nb\n", "a\nx\nb\n", []Edit{{at(2, 2, 1), at(2, 2, 1), []byte("x\n")}}},
		{"deleted", "a\nb\n", "b\n", []Edit{{at(0, 1, 1), at(2, 2, 1), nil}}},
		{"appended", "a\n", "a\nb\n", []Edit{{at(2, 2, 1), at(2, 2, 1), []byte("b\n")}}},
		{"no newline at the end", "a\nbc", "a\nx", []Edit{{at(2, 2, 1), at(4, 2, 3), []byte("x")}}},
		{"a newline at the end", "ab", "ab\n", []Edit{{at(0, 1, 1), at(2, 1, 3), []byte("ab\n")}}},
		{"from nothing", "", "a\n", []Edit{{at(0, 1, 1), at(0, 1, 1), []byte("a\n")}}},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", []Edit{{at(3, 2, 1), at(6, 3, 1), []byte("c\r\n")}}},
		{"behind a byte order mark", bom + "a\n", bom + "b\n", []Edit{{at(3, 1, 4), at(5, 2, 1), []byte("b\n")}}},
		{"a single line behind a byte order mark", bom + "a", bom + "b", []Edit{{at(3, 1, 4), at(4, 1, 5), []byte("b")}}},
		{"a byte order mark that goes", bom + "a\n", "a\n", []Edit{{at(0, 1, 1), at(5, 2, 1), []byte("a\n")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := requireGives(t, tt.before, tt.after)
			require.Len(t, got, len(tt.want))
			for i, e := range tt.want {
				require.Equal(t, e.Start, got[i].Start)
				require.Equal(t, e.End, got[i].End)
				require.Equal(t, string(e.Text), string(got[i].Text))
			}
		})
	}
}

func TestEditsOfAnyChangeGiveWhatIsBehindIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	text := func() string {
		var out strings.Builder
		if rng.IntN(4) == 0 {
			out.WriteString(bom)
		}
		for range rng.IntN(12) {
			out.WriteString([]string{"a", "b", "é", "𝕊", "", "\xff"}[rng.IntN(6)])
			out.WriteString([]string{"\n", "\n", "\r\n", "\r"}[rng.IntN(4)])
		}
		if rng.IntN(2) == 0 {
			out.WriteString("end")
		}
		return out.String()
	}
	for range 5000 {
		requireGives(t, text(), text())
	}
}

func FuzzEdits(f *testing.F) {
	f.Add("a\nb", "a\r\nc\n")
	f.Add(bom+"x", bom)
	f.Fuzz(func(t *testing.T, before, after string) { requireGives(t, before, after) })
}

func TestColumnsAreCountedAsEditorsDo(t *testing.T) {
	text := bom + "é𝕊x\r\n\tä\xffy\n"
	s := (&Report{Source: func(string) []byte { return []byte(text) }}).Sources()
	for _, tt := range []struct {
		at         string
		line, want int
	}{{"é", 1, 1}, {"𝕊", 1, 2}, {"x", 1, 4}, {"\t", 2, 1}, {"ä", 2, 2}, {"\xff", 2, 3}, {"y", 2, 4}} {
		line, _ := s.Line("f", tt.line)
		got, ok := s.UTF16(diag.Position{File: "f", Line: tt.line, Column: strings.Index(line, tt.at) + 1})
		require.True(t, ok)
		assert.Equal(t, tt.want, got, "%q", tt.at)
	}
	_, ok := s.UTF16(diag.Position{File: "f", Line: 2, Column: 7})
	assert.False(t, ok, "behind the end")
	_, ok = s.UTF16(diag.Position{File: "f", Line: 3, Column: 1})
	assert.False(t, ok, "no such line")
	_, ok = (&Report{}).Sources().UTF16(diag.Position{File: "f", Line: 1, Column: 1})
	assert.False(t, ok, "no text")
}
