package stress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/tune/record"
)

func rowsOf(kernel, gpu string, times ...float64) []Row {
	var out []Row
	for i, t := range times {
		s := Subject{Source: "abc", Kernel: kernel, Threads: 128, GPU: gpu, Demand: occupancy.Demand{Threads: 128, Registers: 60}, Args: []string{"9", "a b"}}
		out = append(out, Row{Schema: Schema, Subject: s, Level: Level{Blocks: i + 1, Occupancy: 0.125, Bytes: 100 * (len(times) - i), Carveout: true}, Active: i + 1, Milliseconds: []float64{t, t, t}, Launches: 2})
	}
	return out
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	rows := append(rowsOf("k", "a100", 20, 10, 10), rowsOf("k", "h100", 8, 4, 2)...)
	rows[1].Milliseconds, rows[1].Failure = nil, failed(record.FailedRun, "exit status 1: <&>")
	text, err := Encode(rows)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o644))
	all, err := Read(file)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, rows[:3], all[0].Rows)
	assert.Equal(t, rows[3:], all[1].Rows)
	assert.Equal(t, rows[0].Subject, all[0].Subject)
}

func TestALevelMeasuredAgainCountsOnce(t *testing.T) {
	rows := append(rowsOf("k", "a100", 20, 10, 5), rowsOf("k", "a100", 20, 10, 10)...)
	text, err := Encode(rows)
	require.NoError(t, err)
	all, err := Parse("r", text)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, rows[3:], all[0].Rows)
	assert.Equal(t, 2, all[0].Flat(DefaultTolerance).Blocks)
}

// With the largest carve-out the cache is smaller: the original is no point of the
// same curve.
func TestACurveHasOneCarveout(t *testing.T) {
	rows := rowsOf("k", "a100", 20, 10, 10)
	original := rows[2]
	original.Level.Carveout, original.Level.Bytes, original.Milliseconds = false, 0, []float64{6}
	s := Series{Subject: original.Subject, Rows: append([]Row{original}, rows...)}
	assert.Equal(t, []Point{{Blocks: 1, Median: 20}, {Blocks: 2, Median: 10}, {Blocks: 3, Median: 10}}, s.Curve())
	for i := range s.Rows {
		s.Rows[i].Level.Carveout = false
	}
	assert.Len(t, s.Curve(), 4, "where no level sets it, all belong together")
}

func TestWhatIsNoRecord(t *testing.T) {
	line := `{"schema":1,"source":"s","kernel":"k","threads":64,"gpu":"a100","demand":{},"level":{"blocks":2,"occupancy":0.5},"milliseconds":[1]}`
	_, err := Parse("f", []byte(line))
	require.NoError(t, err)
	for text, want := range map[string]string{
		"":                                 "f: it holds no measurement",
		"\n\nhello":                        "f:3: this is not a measurement: ",
		line + "\n{}":                      "f:2: this is not a measurement: it has no schema",
		replaced(line, `":1,"s`, `":2,"s`): "f:1: it has schema 2; this smux reads 1",
		replaced(line, `"k"`, `""`):        "f:1: it names no kernel or no GPU",
		replaced(line, `":2`, `":0`):       "f:1: it has no thread blocks per SM",
		replaced(line, `[1]`, `[]`):        "f:1: it has neither times nor a failure",
		replaced(line, `[1]`, `[1,-1]`):    "f:1: a time is below nothing",
	} {
		_, err := Parse("f", []byte(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func replaced(text, from, to string) string { return strings.Replace(text, from, to, 1) }

func TestSeriesOfAKernelOnAGPU(t *testing.T) {
	text, err := Encode(append(rowsOf("k", "a100", 2, 1), rowsOf("l", "a100", 3, 1)...))
	require.NoError(t, err)
	all, err := Parse("f", text)
	require.NoError(t, err)
	s, ok := For(all, "", "l", 0, "a100")
	require.True(t, ok)
	assert.Equal(t, "l", s.Kernel)
	_, ok = For(all, "abc", "k", 128, "a100")
	assert.True(t, ok)
	for _, c := range []struct {
		source, kernel string
		threads        int
		gpu            string
	}{{"other", "k", 128, "a100"}, {"", "m", 0, "a100"}, {"", "k", 64, "a100"}, {"", "k", 0, "h100"}} {
		_, ok = For(all, c.source, c.kernel, c.threads, c.gpu)
		assert.False(t, ok, "%+v", c)
	}
}
