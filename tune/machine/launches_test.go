package machine

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

func TestWhatARunSaysOfItsLaunches(t *testing.T) {
	for text, want := range map[string]struct {
		times []float64
		kind  record.FailureKind
	}{
		"launch 1.5 2 64 0\nlaunch 0.25 2 64 128\n": {times: []float64{1.5, 0.25}},
		"":                                     {},
		"\nlaunch 1 1 1 0\n\n":                 {times: []float64{1}},
		"launch 1 1 1 0\ncaptured\n":           {kind: record.FailedUntimed},
		"cudaErrorLaunchOutOfResources\n":      {kind: record.FailedResources},
		"cudaErrorInvalidConfiguration\n":      {kind: record.FailedResources},
		"cudaErrorInvalidValue\n":              {kind: record.FailedResources},
		"cudaErrorIllegalAddress\n":            {kind: record.FailedCrash},
		"cudaErrorLaunchTimeout\n":             {kind: record.FailedTimeout},
		"cudaErrorNoKernelImageForDevice\n":    {kind: record.FailedRun},
		"cudaErrorSomethingNew\n":              {kind: record.FailedRun},
		"launch -1 1 1 0\n":                    {kind: record.FailedUntimed},
		"launch nan 1 1 0\n":                   {kind: record.FailedUntimed},
		"launch inf 1 1 0\n":                   {kind: record.FailedUntimed},
		"launch 1 1 1\n":                       {kind: record.FailedUntimed},
		"launch 1 1 1 x\n":                     {kind: record.FailedUntimed},
		strings.Repeat("x", 2*mostLaunchLine):  {kind: record.FailedUntimed},
		"launch 1 1 1 0\nlaunch 2 1 1 0\nlaun": {kind: record.FailedUntimed}, // it was killed
	} {
		times, failure := parseLaunches(strings.NewReader(text))
		if want.kind != "" {
			require.NotNil(t, failure, "%.40q", text)
			assert.Equal(t, want.kind, failure.Kind, "%.40q: %s", text, failure)
			assert.Empty(t, times)
			continue
		}
		require.Nil(t, failure, "%.40q", text)
		assert.Equal(t, want.times, times, "%.40q", text)
	}
	times, failure := readLaunches(filepath.Join(t.TempDir(), "none"))
	assert.Nil(t, failure)
	assert.Empty(t, times)
}

func TestRepetitionsArePartedEqually(t *testing.T) {
	times := []float64{9, 9, 1, 2, 3, 4}
	got, failure := groups(times, 1, 2)
	require.Nil(t, failure)
	assert.Equal(t, []float64{3, 7}, got)
	_, failure = groups(times, 1, 3)
	require.NotNil(t, failure)
	assert.Equal(t, record.FailedUntimed, failure.Kind)

	alone := Program{Repeats: 2, WarmUp: 1}
	got, failure = alone.samples(times)
	require.Nil(t, failure)
	assert.Equal(t, []float64{3, 7}, got)
	whole := Program{}
	got, failure = whole.samples(times)
	require.Nil(t, failure)
	assert.Equal(t, []float64{28}, got, "one sample of a run")
	_, failure = whole.samples(nil)
	require.NotNil(t, failure)
	assert.Equal(t, record.FailedUntimed, failure.Kind, "a program that launches nothing")
}

// Whatever a log holds, there are times that can be reckoned with or a failure.
func FuzzLaunches(f *testing.F) {
	for _, s := range []string{"launch 1.5 2 64 0\n", "captured\n", "cudaErrorInvalidValue\n", "launch 1e999 1 1 1\n", "launch 0x1p-3 0 0 0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		times, failure := parseLaunches(strings.NewReader(text))
		if failure != nil && (len(times) > 0 || failure.Text == "" || failure.Kind == "") {
			t.Errorf("%q: %v and %v", text, times, failure)
		}
		for _, v := range times {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Errorf("%q: %v", text, v)
			}
		}
	})
}
