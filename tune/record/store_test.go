package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

func variantLineOf(factor int) record.Line {
	c := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: factor}}
	v := record.MeasuredVariant{
		Subject:   record.Subject{Source: "s", Kernel: "k", Machine: record.Machine{On: "gpu", GPU: "a100"}},
		Candidate: c, Name: c.String(), Text: "t",
	}
	return record.Line{Schema: record.Schema, Key: v.Key(), Variant: &v}
}

func pairOf(turn int) record.Line {
	return record.Line{Schema: record.Schema, Key: variantLineOf(2).Key, Pair: &record.Pair{Phase: record.Search, Turn: turn, Base: []float64{1.5}, Variant: []float64{1}}}
}

func open(t testing.TB, path string) *record.Store {
	s, err := record.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t testing.TB, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func write(t testing.TB, text string) (path string) {
	path = filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// filled is a store with a variant and two pairs, closed.
func filled(t testing.TB) (path, text string) {
	path = filepath.Join(t.TempDir(), "s.jsonl")
	s := open(t, path)
	require.NoError(t, s.Append(variantLineOf(2)))
	require.NoError(t, s.Append(pairOf(0), pairOf(1)))
	require.NoError(t, s.Close())
	return path, read(t, path)
}

func TestWhatWasAddedIsThereWhenTheStoreIsOpenedAgain(t *testing.T) {
	path, _ := filled(t)
	s := open(t, path)
	assert.Equal(t, []record.Line{variantLineOf(2), pairOf(0), pairOf(1)}, s.Lines())
	require.NoError(t, s.Append(pairOf(2)))
	require.NoError(t, s.Append())
	want := []record.Line{variantLineOf(2), pairOf(0), pairOf(1), pairOf(2)}
	assert.Equal(t, want, s.Lines())
	got, torn, err := record.ReadTorn(path)
	require.NoError(t, err, "while it is written")
	assert.Equal(t, want, got)
	assert.Zero(t, torn)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	assert.Equal(t, want, s.Lines())
	assert.ErrorIs(t, s.Append(pairOf(3)), os.ErrClosed)
}

func TestALineThatNobodyCouldReadIsNotAdded(t *testing.T) {
	path, text := filled(t)
	s := open(t, path)
	assert.ErrorContains(t, s.Append(pairOf(2), record.Line{Key: "other", Failure: &record.Failure{Kind: "run"}}), "no variant with its key")
	timeless := pairOf(2)
	timeless.Pair = &record.Pair{Phase: record.Search}
	assert.ErrorContains(t, s.Append(timeless), "it has no times")
	assert.Len(t, s.Lines(), 3)
	assert.Equal(t, text, read(t, path))
	require.NoError(t, s.Append(variantLineOf(4), record.Line{Key: variantLineOf(4).Key, Failure: &record.Failure{Kind: "run"}}), "a variant and what there is to say of it")
}

func TestOnlyOneHasItOpen(t *testing.T) {
	if !disk.LocksWork {
		t.Skip("there are no file locks on this system")
	}
	path, _ := filled(t)
	s := open(t, path)
	_, err := record.Open(path)
	require.ErrorContains(t, err, "is writing to it")
	if !strings.Contains(err.Error(), "another process") {
		assert.ErrorContains(t, err, fmt.Sprintf("process %d", os.Getpid()))
	}
	lines, _, err := record.ReadTorn(path)
	require.NoError(t, err)
	assert.Len(t, lines, 3)
	require.NoError(t, s.Close())
	open(t, path)
}

func TestLinesOfSeveralGoroutinesAreAllKeptWhole(t *testing.T) {
	path, _ := filled(t)
	s := open(t, path)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 5 {
				assert.NoError(t, s.Append(pairOf(100*g+i), pairOf(100*g+i)))
				s.Lines()
			}
		})
	}
	wait.Wait()
	require.NoError(t, s.Close())
	lines, _, err := record.ReadTorn(path)
	require.NoError(t, err)
	assert.Equal(t, s.Lines(), lines)
	assert.Len(t, lines, 3+4*5*2)
	for i := 3; i < len(lines); i += 2 {
		assert.Equal(t, lines[i], lines[i+1], "added together, they stand together")
	}
}

func TestAnUnfinishedEndIsCutOff(t *testing.T) {
	_, text := filled(t)
	first := strings.Index(text, "\n") + 1
	for n := range len(text) {
		path := write(t, text[:n])
		want := 0
		switch {
		case n == len(text)-1: // all but the newline
			want = 3
		case n >= first-1:
			want = 1
		}
		lines, torn, err := record.ReadTorn(path)
		require.NoError(t, err)
		require.Len(t, lines, want, "%d bytes", n)
		require.Equal(t, text[:n], read(t, path), "reading changes nothing")
		if n%29 != 0 && n != len(text)-1 && n < len(text)-8 {
			continue // each opening waits for the disk
		}
		s := open(t, path)
		require.Equal(t, torn, s.Torn())
		require.Len(t, s.Lines(), want)
		require.NoError(t, s.Append(variantLineOf(2), pairOf(7)))
		require.NoError(t, s.Close())
		got, _, err := record.ReadTorn(path)
		require.NoError(t, err)
		require.Equal(t, append(lines[:len(lines):len(lines)], variantLineOf(2), pairOf(7)), got, "%d bytes", n)
	}
}

func TestAFileThatIsNoRecordStaysAsItIs(t *testing.T) {
	_, text := filled(t)
	for _, c := range []string{
		"__global__ void k() {}\n", "no newline", "{\"cache\": {}}", "\x00\x01\x02",
		text + "garbage\n" + text, text + text[:30] + "\n" + text, text + "garbage", "garbage\n" + text[:40],
	} {
		path := write(t, c)
		_, err := record.Open(path)
		require.ErrorContains(t, err, path+":", c)
		_, _, err = record.ReadTorn(path)
		assert.ErrorContains(t, err, path+":", c)
		assert.Equal(t, c, read(t, path))
	}
	c := text + `{"schema":99}` + "\n" + text[:30]
	path := write(t, c)
	_, err := record.Open(path)
	require.ErrorContains(t, err, "written by a newer smux")
	assert.Equal(t, c, read(t, path))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	assert.Empty(t, open(t, path).Lines(), "nothing holds it any more")
}

func TestAStoreOfAnOlderSchemaGoesOnInTodays(t *testing.T) {
	old := read(t, "../record/testdata/schema1.jsonl")
	path := write(t, old)
	s := open(t, path)
	require.Len(t, s.Lines(), 6)
	l := s.Lines()[4]
	require.NoError(t, s.Append(l))
	require.NoError(t, s.Close())
	text := read(t, path)
	assert.Equal(t, old, text[:len(old)], "what was there")
	assert.True(t, strings.HasPrefix(text[len(old):], fmt.Sprintf(`{"schema":%d,`, record.Schema)))
	lines, _, err := record.ReadTorn(path)
	require.NoError(t, err)
	assert.Equal(t, l, lines[6])
}

// What is added to a variant of a time when keys were computed in another way
// stays with it.
func TestAVariantKeepsTheKeyThatTheFileHas(t *testing.T) {
	_, text := filled(t)
	path := write(t, strings.ReplaceAll(text, variantLineOf(2).Key, "of-old"))
	s := open(t, path)
	assert.Equal(t, []record.Line{variantLineOf(2), pairOf(0), pairOf(1)}, s.Lines())
	require.NoError(t, s.Append(pairOf(2)))
	assert.Equal(t, pairOf(2), s.Lines()[3])
	require.NoError(t, s.Close())
	assert.NotContains(t, read(t, path), variantLineOf(2).Key)
	assert.Equal(t, []record.Line{variantLineOf(2), pairOf(0), pairOf(1), pairOf(2)}, open(t, path).Lines())
}
