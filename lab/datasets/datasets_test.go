package datasets

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/space"
)

// TestMain runs the tests at the top of the repository, as go run is.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// missed are records on which a search by looks stops too early, and what it loses there in percent: of the transpose
// slice R=2 by=window is expected at 0.998 and gains most, and what was found before has gained more than what is left is
// expected to.
var missed = map[string]float64{
	"transpose on model of gtx480@16, error 10 %, noise 0.5 %, seed 1": 2.3,
	"transpose on model of gtx480@16, error 20 %, noise 0.5 %, seed 1": 3.9,
}

// A search by looks reaches the goal on every other record: within 2 % of the best with
// a third of the measurements, and as well if the model errs half or twice as much as in the
// files.
func TestGuidedLooksReachTheGoalOnEveryRecord(t *testing.T) {
	sets := 0
	for _, board := range boards {
		lines, kernels, err := read(filepath.Join(folder, fileOf(board)))
		require.NoError(t, err)
		for _, set := range Sets(lines, space.Traits) {
			reaches(t, set)
			sets++
		}
		for _, k := range kernels {
			for _, off := range modelErrors {
				simulated, err := simulated(k, off, seed)
				require.NoError(t, err)
				for _, set := range simulated {
					reaches(t, set)
					sets++
				}
			}
		}
	}
	assert.Equal(t, 132, sets)
}

func reaches(t *testing.T, s Set) {
	t.Helper()
	o := s.Replay(search.Guided{Looks: true})
	name := s.Subject.Kernel + " on " + s.Subject.Machine.Device
	assert.LessOrEqual(t, o.Loss, max(within, missed[name]), "%s on %s: %+v", s.Subject.Kernel, s.Subject.Machine.Device, o)
	assert.LessOrEqual(t, o.Share, most, "%s on %s: %+v", s.Subject.Kernel, s.Subject.Machine.Device, o)
	assert.Equal(t, len(s.Items)*pairs, o.AllPairs)
}

// What full measurements of a third of the forms find depends on how far the
// model is off.
func TestGuidedIsBetterThanChanceWhereTheModelErrs(t *testing.T) {
	var guided, random tally
	for _, board := range boards {
		lines, _, err := read(filepath.Join(folder, fileOf(board)))
		require.NoError(t, err)
		for _, set := range Sets(lines, space.Traits) {
			guided.add(set.Replay(search.Guided{}))
			random.add(set.Replay(limited(search.Random{Seed: 1}, len(set.Items)/3)))
		}
	}
	assert.Greater(t, guided.good, random.good+5)
	assert.Less(t, sum(guided.losses), sum(random.losses)/2)
	assert.LessOrEqual(t, guided.share/float64(guided.sets), most)
}

// A record is what the program writes today: of one kernel, as all of them take
// a minute.
func TestTheRecordsAreMadeByThisProgram(t *testing.T) {
	const board, name = "gtx480@16", "fft"
	made, err := kernels("examples", name, board)
	require.NoError(t, err)
	_, recorded, err := read(filepath.Join(folder, fileOf(board)))
	require.NoError(t, err)
	for _, k := range made {
		lines, err := simulate(k, modelErrors[1], seed)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "one.jsonl")
		require.NoError(t, save(path, lines))
		_, again, err := read(path)
		require.NoError(t, err)
		assert.Contains(t, recorded, again[0], "renew them with go run ./lab/main.go datasets -update")
	}
}

func TestTheTrialsAreRecordedAsWhatTheyAre(t *testing.T) {
	want, err := trials()
	require.NoError(t, err)
	got, kernels, err := read(filepath.Join(folder, "trials.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.Len(t, kernels, 4)
	assert.Equal(t, "a cycle-level simulator of a GTX480, 16 kB", kernels[0].subject.Machine.Device)
	var verdicts []judge.Verdict
	for _, k := range kernels {
		v := judge.Verdict{Subject: k.subject}
		for _, form := range k.forms {
			row := judge.Row{MeasuredVariant: form}
			for _, l := range got {
				if l.Pair != nil && l.Key == form.Key() {
					row.Search.Median = l.Pair.Base[0] / l.Pair.Variant[0]
				}
			}
			v.Rows = append(v.Rows, row)
		}
		verdicts = append(verdicts, v)
	}
	r := fidelity.Of(verdicts)
	assert.Equal(t, 4, r.Summary.Subjects)
	assert.Positive(t, r.Summary.Kendall)
	var text bytes.Buffer
	r.Text(&text)
	t.Log(text.String())
}

func TestTheTableHasARowForEachStrategyAndError(t *testing.T) {
	var table bytes.Buffer
	require.NoError(t, tabulate(&table, 0))
	assert.Equal(t, 1+len(strategies)*len(modelErrors), bytes.Count(table.Bytes(), []byte("\n")))
	assert.NotContains(t, table.String(), "NaN")
	t.Log("\n" + table.String())
}

func TestRecordsHoldWhatTheyAreMeasuredOn(t *testing.T) {
	lines, _, err := read(filepath.Join(folder, fileOf("t4")))
	require.NoError(t, err)
	for _, l := range lines {
		if l.Variant != nil {
			assert.Equal(t, record.Machine{On: "model", GPU: "t4", Device: "model of t4, error 10 %, noise 0.5 %, seed 1"}, l.Variant.Subject.Machine)
		}
	}
}
