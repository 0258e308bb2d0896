package kit

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomEdits are edits of a text of n bytes that do not overlap.
func randomEdits(r *rand.Rand, n int) []edit.Edit {
	var out []edit.Edit
	for at := 0; ; {
		at += r.Intn(6)
		if at > n {
			break
		}
		e := edit.Edit{Start: at, End: min(n, at+r.Intn(4)), New: strings.Repeat(string(rune('A'+r.Intn(26))), r.Intn(4))}
		out = append(out, e)
		// The next one may begin where this one ends, unless both insert: their order would be that of the list.
		if at = e.End; e.Start == e.End {
			at++
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestComposedEditsDoWhatBothDo(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 4000 {
		src := make([]byte, r.Intn(30))
		for i := range src {
			src[i] = byte('a' + i%26)
		}
		first := randomEdits(r, len(src))
		m, err := newMiddle(src, first)
		require.NoError(t, err)
		second := randomEdits(r, len(m.text))
		want, err := edit.NewBuffer(second).Apply(m.text)
		require.NoError(t, err)
		composed, err := m.compose(second)
		require.NoError(t, err)
		got, err := edit.NewBuffer(composed).Apply(src)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%q, then %q: %q", first, second, composed)

		touched := make([]bool, len(src))
		for _, e := range first {
			for i := e.Start; i < e.End; i++ {
				touched[i] = true
			}
		}
		for _, e := range second {
			for i := e.Start; i < e.End; i++ {
				if at, kept := m.original(i); kept {
					touched[at] = true
				}
			}
		}
		for _, e := range composed {
			for i := e.Start; i < e.End; i++ {
				require.True(t, touched[i], "byte %d of %q: %q, then %q: %q", i, src, first, second, composed)
			}
		}
	}
}

func TestOffsetsAreForwarded(t *testing.T) {
	m, err := newMiddle([]byte("abcdef"), []edit.Edit{{Start: 1, End: 3, New: "XYZ"}, {Start: 4, End: 4, New: "+"}, {Start: 5, End: 6, New: ""}})
	require.NoError(t, err)
	require.Equal(t, "aXYZd+e", string(m.text))
	var got []int
	var kept []bool
	for at := range len(m.text) + 1 {
		offset, same := m.original(at)
		got, kept = append(got, offset), append(kept, same)
	}
	assert.Equal(t, []int{0, 1, 1, 1, 3, 4, 4, 6}, got)
	assert.Equal(t, []bool{true, false, false, false, true, false, true, true}, kept)
}

func TestComposeRefusesOverlaps(t *testing.T) {
	_, err := newMiddle([]byte("abc"), []edit.Edit{{Start: 0, End: 2, New: ""}, {Start: 1, End: 3, New: ""}})
	assert.Error(t, err)
	m, err := newMiddle([]byte("abc"), nil)
	require.NoError(t, err)
	_, err = m.compose([]edit.Edit{{Start: 0, End: 2, New: ""}, {Start: 1, End: 3, New: ""}})
	assert.Error(t, err)
}
