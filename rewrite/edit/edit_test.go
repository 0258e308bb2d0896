package edit

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApplyMakesAllEdits(t *testing.T) {
	const src = "abcdef"
	tests := []struct {
		name  string
		edits []Edit
		want  string
	}{
		{"none", nil, "abcdef"},
		{"insertion at the start", []Edit{{0, 0, "<"}}, "<abcdef"},
		{"insertion at the end", []Edit{{6, 6, ">"}}, "abcdef>"},
		{"replacement", []Edit{{1, 3, "XYZ"}}, "aXYZdef"},
		{"deletion", []Edit{{1, 3, ""}}, "adef"},
		{"everything", []Edit{{0, 6, "x"}}, "x"},
		{"out of order", []Edit{{4, 5, "E"}, {1, 2, "B"}}, "aBcdEf"},
		{"insertions at one offset keep their order", []Edit{{3, 3, "1"}, {3, 3, "2"}, {3, 3, "3"}}, "abc123def"},
		{"adjacent replacements", []Edit{{2, 4, "CD"}, {0, 2, "AB"}}, "ABCDef"},
		{"insertion before a replacement", []Edit{{2, 4, "X"}, {2, 2, "<"}}, "ab<Xef"},
		{"insertion behind a replacement", []Edit{{2, 4, "X"}, {4, 4, ">"}}, "abX>ef"},
		{"insertion between two replacements", []Edit{{4, 5, "E"}, {4, 4, "|"}, {2, 4, "CD"}}, "abCD|Ef"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Buffer{edits: slices.Clone(tt.edits)}
			got, err := b.Apply([]byte(src))
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
			assert.Equal(t, tt.edits, b.edits, "applying leaves the buffer alone")
		})
	}
}

func TestApplyRefusesOverlaps(t *testing.T) {
	tests := []struct {
		name string
		a, b Edit
	}{
		{"partly", Edit{1, 3, "x"}, Edit{2, 4, "y"}},
		{"one inside the other", Edit{0, 6, "x"}, Edit{2, 3, "y"}},
		{"the same bytes", Edit{1, 3, "x"}, Edit{1, 3, "y"}},
		{"insertion inside a replacement", Edit{1, 4, "x"}, Edit{2, 2, "y"}},
		{"insertion inside a deletion", Edit{1, 4, ""}, Edit{3, 3, "y"}},
	}
	for _, tt := range tests {
		for _, edits := range [][]Edit{{tt.a, tt.b}, {tt.b, tt.a}} {
			b := Buffer{edits: edits}
			got, err := b.Apply([]byte("abcdef"))
			var overlap *OverlapError
			require.ErrorAs(t, err, &overlap, tt.name)
			assert.ElementsMatch(t, edits, []Edit{overlap.A, overlap.B}, tt.name)
			assert.Contains(t, err.Error(), "overlap", tt.name)
			assert.Nil(t, got, tt.name)
		}
	}
}

func TestApplyRefusesWhatLiesOutside(t *testing.T) {
	for _, e := range []Edit{{5, 7, "x"}, {7, 7, "x"}, {-1, 0, "x"}, {3, 2, "x"}} {
		b := Buffer{edits: []Edit{e}}
		got, err := b.Apply([]byte("abcdef"))
		require.Error(t, err, "%v", e)
		assert.Nil(t, got, "%v", e)
		assert.False(t, errors.As(err, new(*OverlapError)), "%v is no overlap", e)
	}
}

func TestApplyRangeGivesThatRange(t *testing.T) {
	got, err := ApplyRange([]byte("abcdef"), []Edit{{2, 3, "C"}, {4, 4, "|"}}, 1, 5)
	require.NoError(t, err)
	assert.Equal(t, "bCd|e", string(got))
	_, err = ApplyRange([]byte("abcdef"), []Edit{{0, 2, "x"}}, 1, 5)
	require.Error(t, err)
}

// FuzzApply makes edits of bytes, three at a time: where one starts, how long
// it is, how much it inserts. Applying never panics. It fails exactly where a
// slow and simple check finds a fault, and otherwise gives what a byte-by-byte
// copy gives.
func FuzzApply(f *testing.F) {
	f.Add([]byte("abcdef"), []byte{0, 0, 1, 2, 2, 0})
	f.Add([]byte("abcdef"), []byte{1, 3, 1, 2, 0, 1})
	f.Add([]byte("abcdef"), []byte{2, 0, 1, 2, 0, 2, 2, 2, 3, 4, 0, 1})
	f.Add([]byte(""), []byte{0, 0, 5})
	f.Add([]byte("x"), []byte{1, 1, 0})
	f.Fuzz(func(t *testing.T, src, program []byte) {
		var b Buffer
		for i := 0; i+2 < len(program) && i < 60; i += 3 {
			text := string(bytes.Repeat([]byte{byte('A' + i/3%26)}, int(program[i+2]%4)))
			start := int(program[i])
			if n := int(program[i+1]); n == 0 {
				b.Insert(start, text)
			} else {
				b.Replace(start, start+n, text)
			}
		}
		before := bytes.Clone(src)
		got, err := b.Apply(src)
		if !bytes.Equal(before, src) {
			t.Fatal("the source was changed")
		}
		outside, overlap := faults(b.edits, len(src))
		switch {
		case outside || overlap:
			if err == nil {
				t.Fatalf("%v on %d bytes: no error", b.edits, len(src))
			}
			if !outside && !errors.As(err, new(*OverlapError)) {
				t.Fatalf("%v: %v is no overlap error", b.edits, err)
			}
		case err != nil:
			t.Fatalf("%v on %d bytes: %v", b.edits, len(src), err)
		default:
			if want := applySlowly(src, b.edits); !bytes.Equal(got, want) {
				t.Fatalf("%v on %q: got %q, want %q", b.edits, src, got, want)
			}
		}
	})
}

// faults compares every edit with every other.
func faults(edits []Edit, n int) (outside, overlap bool) {
	for i, a := range edits {
		outside = outside || a.Start < 0 || a.End > n || a.Start > a.End
		for _, b := range edits[:i] {
			switch {
			case a.Start == a.End && b.Start == b.End:
			case a.Start == a.End:
				overlap = overlap || b.Start < a.Start && a.Start < b.End
			case b.Start == b.End:
				overlap = overlap || a.Start < b.Start && b.Start < a.End
			default:
				overlap = overlap || a.Start < b.End && b.Start < a.End
			}
		}
	}
	return outside, overlap
}

// applySlowly builds the result byte by byte.
func applySlowly(src []byte, edits []Edit) []byte {
	out := []byte{}
	for at := 0; at <= len(src); at++ {
		replaced := false
		for _, e := range edits {
			if e.Start == at && e.End == at {
				out = append(out, e.New...)
			}
		}
		for _, e := range edits {
			if e.Start == at && e.End > at {
				out = append(out, e.New...)
			}
			replaced = replaced || e.Start <= at && at < e.End
		}
		if at < len(src) && !replaced {
			out = append(out, src[at])
		}
	}
	return out
}
