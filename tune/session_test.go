package tune_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/verify"
)

// example is a program of which the model expects much.
const example = "../examples/fft/fft.cu"

// newSession is a session on times that the model makes up, and what it says.
func newSession(t *testing.T) (*tune.Session, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	c := console.New(strings.NewReader(""), &said, &said)
	rules := judge.DefaultRules()
	rules.MinPairs, rules.MaxPairs, rules.Confirm = 3, 9, 9
	return &tune.Session{
		Console: c,
		Options: tune.Options{
			On: tune.OnModel, Strategy: search.Guided{Looks: true}, Budget: tune.Budget{Forms: 6}, Rules: rules, WarmUp: 1, Repeats: 3,
			Timeout: time.Minute, Seed: 1, ModelError: 0.05, ModelNoise: 0.005, Store: filepath.Join(t.TempDir(), "measured.jsonl"),
		},
		Load: loading(c, example, "gtx480@16"),
		NVIDIASMI: func(context.Context, ...string) (string, error) {
			return "", errors.New("there is no GPU")
		},
	}, &said
}

// loading reads a program for a GPU.
func loading(c *console.Console, path, gpu string) func() (tune.Files, error) {
	return func() (tune.Files, error) {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		return tune.Files{GPUs: targets.Request{Names: []string{gpu}}, Job: &pipeline.Job{
			Console: c, Program: prog, Ask: pipeline.Ask{Resources: resources.Estimate, MinGain: 5}, Quiet: true,
			FindNVCC: func() (*nvcc.Toolkit, error) { return nil, &nvcc.MissingError{Tool: "nvcc"} }, Rewrite: rewrite.RunAnalysed,
		}}, errors.Join(errs...)
	}
}

func TestAProgramIsTunedWithoutACommandLine(t *testing.T) {
	s, said := newSession(t)
	found, err := s.Measure()
	require.NoError(t, err, said)
	require.NotEmpty(t, found.Verdicts)
	chosen := 0
	for _, v := range found.Verdicts {
		if v.Chosen >= 0 && !v.Rows[v.Chosen].Candidate.IsOriginal() {
			chosen++
		}
	}
	require.Positive(t, chosen, said)
	result, err := s.Winners(found)
	require.NoError(t, err)
	require.Len(t, result.Files, 1)
	after := string(result.Files[0].After)
	assert.NotContains(t, after, "smux tune:", "made up: no comment says it")
	assert.Equal(t, chosen, strings.Count(said.String(), "its times were not measured on a GPU"), said)
	lines := strings.Count(string(result.Files[0].Before), "\n")
	for _, k := range result.Kernels {
		text := strings.Split(string(result.Files[0].Before), "\n")[k.Pos.Line-1]
		assert.Contains(t, text, k.Name, "each is told where it stands in the file")
		for _, n := range k.Notes {
			assert.LessOrEqual(t, n.Pos.Line, lines)
		}
	}

	again, _ := newSession(t)
	replayed, err := again.Replay(s.Store, true)
	require.NoError(t, err)
	assert.Equal(t, found.Verdicts, replayed.Verdicts, "the record is all that decides")
	same, err := again.Winners(replayed)
	require.NoError(t, err)
	assert.Equal(t, result.Files, same.Files)
	report, err := again.Fidelity([]string{s.Store})
	require.NoError(t, err)
	assert.NotEmpty(t, report)
}

func TestWhatDiffersOnTheCPUIsNotWritten(t *testing.T) {
	s, said := newSession(t)
	s.Verify = true
	asked := 0
	s.Same = func(r verify.Request) (bool, error) {
		asked++
		require.Len(t, r.Variants, 1)
		assert.NotEqual(t, r.Original.Files[0].Text, r.Variants[0].Program.Files[0].Text)
		assert.NotEmpty(t, r.Variants[0].Rewritten)
		return false, nil
	}
	found, err := s.Measure()
	require.NoError(t, err)
	result, err := s.Winners(found)
	require.NoError(t, err)
	assert.Positive(t, asked)
	assert.Empty(t, result.Files)
	assert.Contains(t, said.String(), "is not written: it did not pass verification")
}

func TestAnotherTextIsNotWhatWasMeasured(t *testing.T) {
	s, _ := newSession(t)
	_, err := s.Measure()
	require.NoError(t, err)
	other, said := newSession(t)
	load := other.Load
	other.Load = func() (tune.Files, error) {
		f, err := load()
		f.Job.Program, _ = f.Job.Program.WithTexts(map[string][]byte{example: append([]byte("// more\n"), f.Job.Program.Files[0].Src...)})
		return f, err
	}
	_, err = other.Replay(s.Store, true)
	assert.ErrorContains(t, err, "the files are not what was measured")
	_, err = other.Replay(s.Store, false)
	require.NoError(t, err)
	assert.Contains(t, said.String(), "the files are not what was measured", "a remark, where nothing is to be written")
	none, _ := newSession(t)
	none.Load = nil
	_, err = none.Replay(s.Store, true)
	assert.ErrorContains(t, err, "no files to change")
	none.Kernels = []string{"nosuch"}
	_, err = none.Replay(s.Store, false)
	assert.ErrorContains(t, err, "holds no such measurement")
}

func TestWhatCantBeMeasuredSaysWhatElseToDo(t *testing.T) {
	s, _ := newSession(t)
	s.On = tune.OnGPU
	_, err := s.Measure()
	var failure *diag.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, diag.ExitUsage, failure.Exit)
	assert.ErrorContains(t, err, "smux tune measures on a GPU: there is no GPU")
	assert.Contains(t, failure.Help, "--replay")
	s, _ = newSession(t)
	s.Devices = "0,x"
	_, err = s.Measure()
	assert.ErrorContains(t, err, `"x" is not an index`)
	s, _ = newSession(t)
	s.On = tune.OnModel
	assert.ErrorContains(t, s.Export(t.TempDir(), "", nil), "--export is for a GPU elsewhere")
	_, err = s.Import(t.TempDir(), false)
	assert.ErrorContains(t, err, "not a folder that --export has written")
	require.NoError(t, os.WriteFile(s.Store, []byte("{}\n"), 0o666))
	_, err = s.Measure()
	assert.Error(t, err, "a record that is none")
}

// two has a session read a program with the example's kernel twice.
func two(t *testing.T, s *tune.Session) {
	t.Helper()
	text, err := os.ReadFile(example)
	require.NoError(t, err)
	kernel, _, ok := strings.Cut(string(text[strings.Index(string(text), "__global__"):]), "\n}\n")
	require.True(t, ok)
	kernel += "\n}\n"
	load := s.Load
	s.Load = func() (tune.Files, error) {
		files, err := load()
		require.NoError(t, err)
		before, _, _ := strings.Cut(string(text), "__global__")
		prog, err := files.Job.Program.WithTexts(map[string][]byte{example: []byte(before + kernel + strings.Replace(kernel, "fft1024(", "other(", 1))})
		files.Job.Program, files.Job.Options.Block = prog, [3]int{64, 1, 1}
		files.Job.Options.Rewriter = "vtb"
		return files, err
	}
}

// TestABudgetOfTimeIsOneForAllKernels: by a clock that goes on by a second for each look at it.
func TestABudgetOfTimeIsOneForAllKernels(t *testing.T) {
	store, kernels := filepath.Join(t.TempDir(), "measured.jsonl"), map[float64][]string{}
	measure := func(seconds float64) string {
		s, said := newSession(t)
		two(t, s)
		s.Budget, s.Now, s.Store = tune.Budget{Seconds: seconds}, ticking(), store
		found, err := s.Measure()
		require.NoError(t, err, said)
		kernels[seconds] = nil
		for _, v := range found.Verdicts {
			kernels[seconds] = append(kernels[seconds], v.Subject.Kernel)
		}
		return said.String()
	}
	said := measure(10)
	assert.Equal(t, []string{"other"}, kernels[10], said)
	assert.Contains(t, said, "the budget of 10s is spent, and not tuned are: fft1024")
	first, err := os.ReadFile(store)
	require.NoError(t, err)
	again := measure(10)
	after, err := os.ReadFile(store)
	require.NoError(t, err)
	assert.Equal(t, string(first), string(after), "the same command measures nothing more: %s", again)
	said = measure(2000)
	assert.Equal(t, []string{"other", "fft1024"}, kernels[2000], said)
	assert.NotContains(t, said, "not tuned")
}

// TestAllWinnersAreWrittenWhereLaunchesAreOutOfSight: that one kernel's blocks are merged
// says nothing of the next one's, whose shape a person gave.
func TestAllWinnersAreWrittenWhereLaunchesAreOutOfSight(t *testing.T) {
	s, said := newSession(t)
	two(t, s)
	found, err := s.Measure()
	require.NoError(t, err, said)
	require.Len(t, found.Verdicts, 2, said)
	for _, v := range found.Verdicts {
		require.Positive(t, v.Chosen, said)
		require.Greater(t, v.Rows[v.Chosen].Candidate.Factor, 1, "blocks are merged")
	}
	result, err := s.Winners(found)
	require.NoError(t, err)
	require.Len(t, result.Files, 1)
	assert.Equal(t, 2, strings.Count(string(result.Files[0].After), "// smux vtb: "))
}
