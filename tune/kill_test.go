//go:build unix

package tune_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// These make this test program tune with a store and end: a test starts it as another
// process, and kills it.
const (
	storeVariable = "SMUX_TEST_TUNE_STORE"
	caseVariable  = "SMUX_TEST_TUNE_CASE"
)

// telling is a store that says of each line that it is on the disk, when it is.
type telling struct{ *record.Store }

func (s telling) Append(lines ...record.Line) error {
	if err := s.Store.Append(lines...); err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Println("kept", name(l))
	}
	return nil
}

// name tells the lines of a run apart.
func name(l record.Line) string {
	switch {
	case l.Variant != nil:
		return l.Key + " variant"
	case l.Pair != nil:
		return fmt.Sprintf("%s %s %d %q", l.Key, l.Pair.Phase, l.Pair.Turn, l.Pair.Against)
	}
	return l.Key + " failure"
}

// killed are the runs that are killed, and how often.
var killed = []struct {
	devices, kills int
	strategy       search.Strategy
}{
	{1, 20, search.Exhaustive{}},
	{1, 15, search.Guided{Looks: true}},
	{2, 15, search.Exhaustive{}},
}

// noisy is a request whose times depend on nothing but the forms and the turns. Some
// forms fail.
func noisy(st tune.Store, which int) tune.Request {
	m := &faulty{
		model.New(model.Options{GPU: "a100", Seed: 5, Error: 0.05, Noise: 0.01, Jitter: 0.005, Outliers: 0.02, Devices: killed[which].devices}),
		200 * time.Microsecond,
		map[string]fault{
			"vtb lock N=2":  {record.Failure{Kind: record.FailedCompile, Text: "so it is"}, 0},
			"vtb named N=3": {record.Failure{Kind: record.FailedOutput, Text: "so it is"}, 3},
		},
	}
	req := request(st, m)
	req.Strategy = killed[which].strategy
	return req
}

func TestTuningProcess(t *testing.T) {
	path := os.Getenv(storeVariable)
	if path == "" {
		t.Skip("is started by another test")
	}
	which, err := strconv.Atoi(os.Getenv(caseVariable))
	require.NoError(t, err)
	st, err := record.Open(path)
	require.NoError(t, err)
	_, err = tune.Run(t.Context(), noisy(telling{st}, which))
	require.NoError(t, err)
}

// finish runs to the end, and returns what is decided and the text of the store.
func finish(t *testing.T, path string, which int) (*judge.Verdict, string) {
	st, err := record.Open(path)
	require.NoError(t, err)
	defer st.Close()
	v, err := tune.Run(t.Context(), noisy(st, which))
	require.NoError(t, err)
	require.GreaterOrEqual(t, v.Chosen, 0, v.Why)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return v, string(text)
}

// A run is killed again and again, and each time goes on where it was: nothing that
// was measured is lost or measured twice, and what is decided in the end is what a run
// decides that nobody disturbed.
func TestKillsChangeNothingOfWhatIsMeasuredAndDecided(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SMUX_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("SMUX_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for which, c := range killed {
		want, text := finish(t, filepath.Join(t.TempDir(), "whole.jsonl"), which)
		chosen := want.Rows[want.Chosen].Name
		runs := 0
		for kills := 0; kills < c.kills; runs++ {
			path := filepath.Join(t.TempDir(), "broken.jsonl")
			kills += breakUp(t, path, which, c.kills-kills, random)
			got, broken := finish(t, path, which)
			require.Equal(t, chosen, got.Rows[got.Chosen].Name)
			if c.devices == 1 { // the lines of two come in any order
				require.Equal(t, want, got)
				require.Equal(t, text, broken)
			}
		}
		t.Logf("%T on %d devices: %d kills in %d runs of %d lines choose %s", c.strategy, c.devices, c.kills, runs, strings.Count(text, "\n"), chosen)
	}
}

// breakUp kills a run until it was killed often enough or comes to its end, and returns
// how often that was. It looks into the store after each.
func breakUp(t *testing.T, path string, which, most int, random *rand.Rand) (kills int) {
	kept := map[string]bool{}
	for kills < most {
		c := exec.Command(os.Args[0], "-test.run", "^TestTuningProcess$", "-test.v")
		c.Env = append(os.Environ(), storeVariable+"="+path, caseVariable+"="+strconv.Itoa(which))
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		more := random.IntN(13) // lines that it keeps before it is killed
		killIn := func(milliseconds float64) {
			time.AfterFunc(time.Duration(random.Float64()*milliseconds*float64(time.Millisecond)), func() { c.Process.Kill() })
		}
		if more == 0 { // while it starts, perhaps
			killIn(30)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			line, ok := strings.CutPrefix(lines.Text(), "kept ")
			if !ok {
				continue
			}
			require.False(t, kept[line], "%s was there already", line)
			kept[line] = true
			if more--; more == 0 {
				killIn(3)
			}
		}
		err = c.Wait()
		there := map[string]bool{}
		if lines, _, readErr := record.ReadTorn(path); assert.True(t, readErr == nil || os.IsNotExist(readErr) && len(kept) == 0, "%v", readErr) {
			for _, l := range lines {
				require.False(t, there[name(l)], "%s is there twice", name(l))
				there[name(l)] = true
			}
		}
		for line := range kept {
			require.True(t, there[line], "%s is lost", line)
		}
		kept = there // with what it could not say any more
		if err == nil {
			return kills
		}
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended)
		require.Equal(t, syscall.SIGKILL, ended.Sys().(syscall.WaitStatus).Signal(), "it failed by itself")
		kills++
	}
	return kills
}
