package record_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

// Wherever a write was cut off, what stands before it is read, and a line of which
// all but the newline is there counts.
func TestATextThatEndsAnywhereIsReadUpToThere(t *testing.T) {
	v := variant(2)
	parts := []string{encode(t, variantLine(v)), encode(t, pair(v, 0)), encode(t, pair(v, 1), pair(v, 2), pair(v, 3)), encode(t, pair(v, 4))}
	text := strings.Join(parts, "")
	for n := range len(text) + 1 {
		lines, at, whole := 0, 0, 0
		for i, p := range parts {
			if at += len(p); at <= n || at-1 == n {
				lines += map[bool]int{true: 3, false: 1}[i == 2]
				whole = min(at, n)
			}
		}
		for _, zeros := range []int{0, 1, 3000} {
			if zeros > 0 && (n == 0 || whole == n) {
				continue // nothing is torn there
			}
			got, err := record.Parse("f", []byte(text[:n]+strings.Repeat("\x00", zeros)))
			require.NoError(t, err, "%d bytes", n)
			require.Len(t, got.Lines, lines, "%d bytes", n)
			require.Equal(t, whole, got.Whole, "%d bytes", n)
			require.Equal(t, lines > 0 && whole == n && text[n-1] != '\n', got.Unended, "%d bytes", n)
		}
	}
}

// Power that fails may leave pages of a line unwritten that lie before its end.
func TestALastLineWithZerosInItIsTorn(t *testing.T) {
	v := variant(2)
	whole, last := encode(t, variantLine(v)), encode(t, pair(v, 0))
	for from := range len(last) - 1 {
		text := whole + last[:from] + strings.Repeat("\x00", len(last)-1-from) + "\n"
		got, err := record.Parse("f", []byte(text))
		require.NoError(t, err)
		assert.Equal(t, len(whole), got.Whole)
	}
}

func TestLinesThatWereAddedTogetherAreNoneInTheMiddleToo(t *testing.T) {
	v := variant(2)
	group := encode(t, variantLine(v), pair(v, 0))
	first, _, _ := strings.Cut(group, "\n")
	text := first + "\n" + group + first + "\n"
	got, err := record.Parse("f", []byte(text))
	require.NoError(t, err)
	assert.Len(t, got.Lines, 3, "texts that somebody put together: what can be read is")
	assert.Equal(t, len(first)+1+len(group), got.Whole)

	got, err = record.Parse("f", []byte(first+"\n"))
	require.NoError(t, err)
	assert.Empty(t, got.Lines)
	assert.Empty(t, got.Names, "the variant is not there")
}

func TestOtherPeoplesTextIsNeverTorn(t *testing.T) {
	v := variant(2)
	for _, text := range []string{"int", "{\"a\"", "\x00\x00\x00", "\x7fELF\x00", "{\"schema\":1,\"kernel\":\"k\"}", "[", "schema"} {
		_, err := record.Parse("f", []byte(text))
		assert.Error(t, err, text)
		if text != "\x00\x00\x00" {
			_, err = record.Parse("f", []byte(encode(t, variantLine(v))+text))
			assert.Error(t, err, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	v := variant(2)
	text := encode(f, variantLine(v), pair(v, 0)) + encode(f, pair(v, 1))
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)-1]))
	f.Add([]byte(text[:len(text)-30] + "\x00\n"))
	f.Add([]byte(strings.ReplaceAll(strings.ReplaceAll(text, `"schema":2`, `"schema":1`), "Times\"", "\"")))
	f.Add([]byte(`{"schema":1,"key":"k","variant":{"subject":{"kernel":"k","machine":{"on":"gpu"}}}}`))
	f.Add([]byte(`{"schema":3}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := record.Parse("f", src)
		if err != nil {
			require.ErrorContains(t, err, "f:")
			return
		}
		require.LessOrEqual(t, got.Whole, len(src))
		again, err := record.Parse("f", src[:got.Whole])
		require.NoError(t, err, "what is left when the end is cut off")
		require.Equal(t, got.Whole, again.Whole)
		require.Equal(t, append([]record.Line{}, got.Lines...), append([]record.Line{}, again.Lines...))
		require.Equal(t, got.Names, again.Names)
		for i, l := range got.Lines {
			text, err := record.Encode(l)
			require.NoError(t, err)
			line, err := record.Parse("f", append([]byte(encode(t, variantOf(got.Lines[:i+1], l.Key))), text...))
			require.NoError(t, err)
			require.Equal(t, encode(t, l), encode(t, line.Lines[1]))
		}
	})
}

// variantOf is the line that has the variant of a key.
func variantOf(lines []record.Line, key string) record.Line {
	for _, l := range lines {
		if l.Key == key && l.Variant != nil {
			return l
		}
	}
	return record.Line{}
}
