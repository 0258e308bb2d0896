package cmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// occupancyByHand runs the command on a pretended terminal or none.
func occupancyByHand(t *testing.T, terminal bool, env map[string]string) (stdout string) {
	t.Helper()
	plot := filepath.Join(t.TempDir(), "out.svg")
	code, stdout, stderr := run(t, terminal, env, "occupancy", "--threads", "256", "--regs", "40", "--gpu", "a100,t4", "--plot", plot)
	require.Equal(t, diag.ExitOK, code, stderr)
	require.FileExists(t, plot)
	return stdout
}

func TestCurvesAreAsWideAsTheTerminal(t *testing.T) {
	longest := func(text string) int {
		n := 0
		for line := range strings.Lines(text) {
			if !strings.ContainsAny(line, "┤┼└") {
				continue
			}
			n = max(n, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		return n
	}
	plain := longest(occupancyByHand(t, false, map[string]string{"COLUMNS": "200"}))
	assert.LessOrEqual(t, plain, 80, "what is no terminal has 80 columns")
	wide := longest(occupancyByHand(t, true, map[string]string{"COLUMNS": "160", "NO_COLOR": "1"}))
	assert.LessOrEqual(t, wide, 160)
	assert.Greater(t, wide, 140)
}

func TestCurvesHaveColourOnlyOnATerminalThatWantsIt(t *testing.T) {
	assert.Contains(t, occupancyByHand(t, true, nil), "\x1b[")
	assert.NotContains(t, occupancyByHand(t, true, map[string]string{"NO_COLOR": "1"}), "\x1b")
	assert.NotContains(t, occupancyByHand(t, false, nil), "\x1b")
}

// gpuNames runs the command without --gpu on a machine whose nvidia-smi is as
// given.
func gpuNames(smi func(context.Context, ...string) (string, error)) (stdout, stderr string) {
	var out, errs bytes.Buffer
	s := newSession(strings.NewReader(""), &out, &errs)
	s.nvidiaSMI = smi
	s.main([]string{"occupancy", "--threads", "64"})
	return out.String(), errs.String()
}

func TestTheGPUsOfTheMachineAreTheDefault(t *testing.T) {
	stdout, stderr := gpuNames(func(_ context.Context, args ...string) (string, error) {
		assert.Contains(t, strings.Join(args, " "), "--query-gpu=name")
		return "Tesla T4, 7.5, 1590 MHz, 15360 MiB\n", nil
	})
	assert.Contains(t, stdout, "\n  t4 ")
	assert.Equal(t, 3, strings.Count(stdout, "\n"))
	assert.Empty(t, stderr)

	stdout, stderr = gpuNames(func(context.Context, ...string) (string, error) {
		return "Some New Board, 8.6, 1500 MHz, 1000 MiB\n", nil
	})
	assert.Contains(t, stdout, "somenewboard")
	assert.Contains(t, stderr, "not in the table")

	stdout, stderr = gpuNames(func(context.Context, ...string) (string, error) { return "", errors.New("nvidia-smi does not answer") })
	assert.Contains(t, stdout, "a100")
	assert.Contains(t, stderr, "no GPU was named and none can be asked here (nvidia-smi does not answer): taking ")
}

func TestAPlotThatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	code, stdout, _ := run(t, false, nil, "occupancy", "--threads", "64", "--gpu", "a100", "--plot", filepath.Join(dir, "no", "x.svg"))
	assert.Equal(t, diag.ExitInternal, code)
	assert.Empty(t, stdout)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
