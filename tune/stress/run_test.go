//go:build unix

package stress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

// standIn is a program that says that its one launch of the kernel took so many
// milliseconds as the script prints.
const standIn = `#!/bin/sh
bytes=${SMUX_LAUNCH_BYTES} carveout=${SMUX_LAUNCH_CARVEOUT-none}
echo "sum $1"
took() { echo "launch $1 $2 $SMUX_LAUNCH_THREADS $bytes" >>"$SMUX_LAUNCH_OUT"; }
`

// plan runs scripts in the place of programs: one for each cap.
func plan(t *testing.T, levels []Level, scripts map[int]string) Plan {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return Plan{
		Subject: Subject{Source: "s", Kernel: "k", Threads: 64, GPU: "a100", Args: []string{"7"}},
		Levels:  levels, Repeats: 3, WarmUp: 1, Timeout: 10 * time.Second,
		Build: func(_ context.Context, l Level, out string) error {
			script, ok := scripts[l.Cap]
			if !ok {
				return errors.New("line 3: no such thing")
			}
			return os.WriteFile(out, []byte(standIn+script), 0o755)
		},
	}
}

// leftBehind lists what is in the temporary folder.
func leftBehind(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
	require.NoError(t, err)
	return found
}

func TestEachLevelIsMeasuredAsItSays(t *testing.T) {
	p := plan(t, []Level{{Blocks: 3}, {Blocks: 1, Bytes: 4096, Carveout: true}, {Blocks: 2, Bytes: 100, Carveout: true}, {Blocks: 4, Cap: 4}}, map[int]string{
		0: `case $bytes.$carveout in 0.none) took 2.5 3; took 0.5 3;; 4096.100) took 9 1;; 100.100) took 4 2;; *) exit 1;; esac`,
		4: `took 3.25 5`,
	})
	rows, err := Run(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, rows, 4)
	for i, want := range []Row{
		{Milliseconds: []float64{3, 3, 3}, Launches: 2, Active: 3},
		{Milliseconds: []float64{9, 9, 9}, Launches: 1, Active: 1},
		{Milliseconds: []float64{4, 4, 4}, Launches: 1, Active: 2},
		{Milliseconds: []float64{3.25, 3.25, 3.25}, Launches: 1, Active: 5},
	} {
		want.Subject, want.Level = p.Subject, p.Levels[i]
		assert.Equal(t, want, rows[i])
	}
	assert.Equal(t, 5, rows[3].Blocks(), "what the CUDA runtime said")
	assert.Empty(t, leftBehind(t))
}

func TestWhatGoesWrongWithALevelIsItsRow(t *testing.T) {
	levels := []Level{{Blocks: 9}, {Blocks: 1, Bytes: 1}, {Blocks: 2, Bytes: 2}, {Blocks: 3, Bytes: 3}, {Blocks: 4, Bytes: 4}, {Blocks: 5, Bytes: 5}, {Blocks: 6, Bytes: 6}, {Blocks: 7, Bytes: 7}, {Blocks: 10, Cap: 10}, {Blocks: 11, Cap: 11}}
	p := plan(t, levels, map[int]string{
		0: `case $bytes in
1) echo "ERROR: odd" >&2; exit 4;;
2) sleep 30;;
3) echo "sum 8"; took 1 3;;
4) ;;
5) echo captured >>"$SMUX_LAUNCH_OUT";;
6) echo cudaErrorInvalidValue >>"$SMUX_LAUNCH_OUT";;
*) took 1 9;;
esac`,
		11: `took 1 11; exit 0`,
	})
	p.Timeout = time.Second
	rows, err := Run(t.Context(), p)
	require.NoError(t, err)
	for i, want := range []*record.Failure{
		nil,
		{Kind: record.FailedRun, Text: "exit status 4: ERROR: odd"},
		{Kind: record.FailedTimeout, Text: "it did not end within 1s"},
		{Kind: record.FailedOutput, Text: "it prints 3 lines, and the original 2"},
		{Kind: record.FailedUntimed, Text: "it did not launch the kernel, or asked for it with a CUDA error pending"},
		{Kind: record.FailedUntimed, Text: "a launch is captured into a graph, which can't be timed"},
		{Kind: record.FailedUntimed, Text: "a launch was not timed: cudaErrorInvalidValue"},
		nil,
		{Kind: record.FailedCompile, Text: "line 3: no such thing"},
		nil,
	} {
		assert.Equal(t, want, rows[i].Failure, "%d bytes", i)
		assert.Equal(t, want == nil, len(rows[i].Milliseconds) == 3)
	}
	assert.Empty(t, leftBehind(t))
}

func TestTheOriginalMustRun(t *testing.T) {
	for name, c := range map[string]struct {
		scripts map[int]string
		want    record.FailureKind
	}{
		"it can't be compiled": {nil, record.FailedCompile},
		"it fails":             {map[int]string{0: "exit 1"}, record.FailedRun},
		"it launches nothing":  {map[int]string{0: ""}, record.FailedUntimed},
	} {
		rows, err := Run(t.Context(), plan(t, []Level{{Blocks: 2}, {Blocks: 1, Bytes: 8}}, c.scripts))
		var failed *record.Failure
		require.ErrorAs(t, err, &failed, name)
		assert.Equal(t, c.want, failed.Kind, name)
		assert.Len(t, rows, 2, name)
	}
}

func TestAnInterruptLeavesNothingBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := filepath.Join(t.TempDir(), "started")
	p := plan(t, []Level{{Blocks: 2}}, map[int]string{0: fmt.Sprintf("echo > %s; sleep 60", started)})
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := Run(ctx, p)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, leftBehind(t))
}

// The levels take turns, after a turn of all that doesn't count.
func TestLevelsTakeTurns(t *testing.T) {
	order := filepath.Join(t.TempDir(), "order")
	p := plan(t, []Level{{Blocks: 2}, {Blocks: 1, Bytes: 5}}, map[int]string{0: fmt.Sprintf(`printf "$bytes " >>%s; took $(wc -w <%s) 2`, order, order)})
	rows, err := Run(t.Context(), p)
	require.NoError(t, err)
	text, err := os.ReadFile(order)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("0 5 ", 4), string(text))
	assert.Equal(t, []float64{3, 5, 7}, rows[0].Milliseconds)
	assert.Equal(t, []float64{4, 6, 8}, rows[1].Milliseconds)
}

func TestWhichOutputsDiffer(t *testing.T) {
	original := [][]byte{[]byte("ok 1\nrun 17\nTime: 1.25 ms\n"), []byte("ok 1\nrun 18\nTime: 1.25 ms\n")}
	for text, want := range map[string]string{
		"ok 1\nrun 99\nTime: 7 ms\n": "", // a line that changes by itself, and a time
		"ok 2\nrun 17\nTime: 1 ms\n": "line 1 of its output differs from the original's",
		"ok 1\nrun 17\nCame: 1 no\n": "line 3 of its output differs from the original's",
		"ok 1\n":                     "it prints 2 lines, and the original 4",
	} {
		assert.Equal(t, want, differs(original, []byte(text)), text)
	}
	assert.Empty(t, differs([][]byte{[]byte("a"), []byte("a\nb")}, []byte("c")), "the original itself prints now this, now that")
}
