package instrument

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLaunchesAreRead(t *testing.T) {
	r, err := ParseLaunches([]byte("launch 1.250000 4 256 0\n\nunchecked there is no memory\nlaunch 0.75 3 64 49152\r\n"))
	require.NoError(t, err)
	assert.Equal(t, Run{Launches: []Launch{{1.25, 4, 256, 0}, {0.75, 3, 64, 49152}}, Unchecked: "there is no memory"}, r)
	assert.Equal(t, 2.0, r.Milliseconds())
}

func TestWhatIsNoMeasurement(t *testing.T) {
	for text, why := range map[string]string{
		"":                            "it launched the kernel with no blocks of the size that is meant",
		"unchecked no memory\n":       "it launched the kernel with no blocks of the size that is meant",
		"launch 1 2 3 4\ncaptured\n":  "a launch is captured into a graph, which can't be timed",
		"cudaErrorInvalidValue\n":     "a launch was not timed: cudaErrorInvalidValue",
		"launch 1 2 3":                "a launch was not timed: launch 1 2 3",
		"launch -1 2 3 4":             "a launch was not timed: launch -1 2 3 4",
		"launch NaN 2 3 4":            "a launch was not timed: launch NaN 2 3 4",
		"launch +Inf 2 3 4":           "a launch was not timed: launch +Inf 2 3 4",
		"launch 1 x 3 4":              "a launch was not timed: launch 1 x 3 4",
		strings.Repeat("long ", 1000): "a launch was not timed: " + strings.Repeat("long ", 16),
	} {
		_, err := ParseLaunches([]byte(text))
		var untimed *UntimedError
		require.ErrorAs(t, err, &untimed)
		assert.Equal(t, why, untimed.Why)
	}
	_, err := ReadLaunches(filepath.Join(t.TempDir(), "missing"))
	assert.EqualError(t, err, "it did not launch the kernel, or asked for it with a CUDA error pending")
	_, err = ReadLaunches(t.TempDir())
	var path *os.PathError
	assert.ErrorAs(t, err, &path, "no property of the program")
}

func TestRepetitionsAreEqualGroups(t *testing.T) {
	r := Run{Launches: []Launch{{Milliseconds: 1}, {Milliseconds: 2}, {Milliseconds: 3}, {Milliseconds: 4}, {Milliseconds: 5}, {Milliseconds: 6}}}
	for n, want := range map[int][]float64{1: {21}, 2: {6, 15}, 3: {3, 7, 11}, 6: {1, 2, 3, 4, 5, 6}, 4: nil, 0: nil, 12: nil} {
		got, err := r.Repetitions(n)
		assert.Equal(t, want, got)
		assert.Equal(t, want == nil, err != nil)
	}
}

func FuzzParseLaunches(f *testing.F) {
	f.Add([]byte("launch 1.5 2 3 4\nunchecked x\n"))
	f.Add([]byte("captured"))
	f.Add([]byte("launch 1e400 2 3 4\nlaunch 1 99999999999999999999 3 4"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseLaunches(text)
		if err != nil {
			var untimed *UntimedError
			require.ErrorAs(t, err, &untimed)
			return
		}
		require.NotEmpty(t, r.Launches)
		sum := r.Milliseconds()
		require.False(t, math.IsNaN(sum) || math.IsInf(sum, 0) || sum < 0)
		parts, err := r.Repetitions(len(r.Launches))
		require.NoError(t, err)
		require.Len(t, parts, len(r.Launches))
	})
}
