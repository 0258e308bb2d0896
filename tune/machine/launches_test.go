package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
)

func TestWhatARunSaysOfItsLaunches(t *testing.T) {
	for text, want := range map[string]record.FailureKind{
		"launch 1.5 2 64 0\nlaunch 0.25 2 64 128\n": "",
		"":                                          record.FailedUntimed,
		"launch 1 1 1 0\ncaptured\n":                record.FailedUntimed,
		"launch nan 1 1 0\n":                        record.FailedUntimed,
		"launch 1 1 1 0\nlaun":                      record.FailedUntimed, // it was killed
		"cudaErrorLaunchOutOfResources\n":           record.FailedResources,
		"cudaErrorInvalidConfiguration\n":           record.FailedResources,
		"cudaErrorInvalidValue\n":                   record.FailedResources,
		"launch 1 1 1 0\ncudaErrorIllegalAddress\n": record.FailedCrash,
		"cudaErrorLaunchTimeout\n":                  record.FailedTimeout,
		"cudaErrorNoKernelImageForDevice\n":         record.FailedRun,
		"cudaErrorSomethingNew\n":                   record.FailedRun,
	} {
		file := filepath.Join(t.TempDir(), "launches")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		launches, failure := readLaunches(file)
		if want == "" {
			require.Nil(t, failure, text)
			assert.Len(t, launches.Launches, 2)
			continue
		}
		require.NotNil(t, failure, text)
		assert.Equal(t, want, failure.Kind, "%q: %s", text, failure)
		assert.NotEmpty(t, failure.Text)
	}
	_, failure := readLaunches(filepath.Join(t.TempDir(), "none"))
	require.NotNil(t, failure, "a program that launches nothing")
	assert.Equal(t, record.FailedUntimed, failure.Kind)
}

func TestWhatOfARunCounts(t *testing.T) {
	var run instrument.Run
	for _, t := range []float64{9, 9, 1, 2, 3, 4} {
		run.Launches = append(run.Launches, instrument.Launch{Milliseconds: t})
	}
	alone := Program{Repeats: 2, WarmUp: 1}
	got, failure := alone.samples(run)
	require.Nil(t, failure)
	assert.Equal(t, []float64{3, 7}, got)
	alone.Repeats = 3
	_, failure = alone.samples(run)
	require.NotNil(t, failure)
	assert.Equal(t, record.FailedUntimed, failure.Kind)
	whole := Program{}
	got, failure = whole.samples(run)
	require.Nil(t, failure)
	assert.Equal(t, []float64{28}, got, "one sample of a run")
}
