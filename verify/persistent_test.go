package verify_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// TestPersistentBlocksAreEqual: blocks that run one group of thread blocks after the other do
// what all of them did, where the last group is odd or one thread block. The device of the
// shim holds 128 blocks of 128 threads.
func TestPersistentBlocksAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	t.Parallel()
	prog := loadProgram(t, "testdata/groups.cu")
	request := verify.Request{
		Original: oneFile("groups", prog.Files[0].Src), Timeout: 5 * time.Minute, Jobs: 1,
		Args:             [][]string{{"257"}, {"770"}},
		Schedules:        []execute.Schedule{{Kind: "ascending"}},
		CheckedSchedules: []execute.Schedule{{Kind: "descending"}},
	}
	for _, way := range []string{"vtb named N=2 persistent", "vtb named N=4 barrier-register persistent", "vtb lock N=3 persistent", "dyn lock N=4 M=2 persistent"} {
		text := inRounds(t, prog, way)
		require.Contains(t, string(text), "smux::persistent")
		request.Variants = append(request.Variants, verify.Variant{Name: way, Program: oneFile("groups", text), Checked: true})
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	for _, f := range verdict.Failures {
		assert.Fail(t, "could not be run", "%s: %s\n%s", f.Variant, f.Message, f.Output)
	}
	for _, f := range verdict.Findings {
		assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
}

// TestPersistentMutantsAreKilled: what would go wrong in a loop over groups is found, where the
// last group of a block is odd or its first one is. The last barrier of a region is none of
// these faults: the turn is handed over by all threads, and taken by all of the next v-TB.
func TestPersistentMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	suite.OnlyFull(t)
	t.Parallel()
	prog := loadProgram(t, "testdata/groups.cu")
	text := inRounds(t, prog, "vtb named N=2 persistent")
	mutants, last := deathsOf(t, prog, "groups", text, "257")
	_, first := deathsOf(t, prog, "groups", text, "3")
	for i, m := range mutants {
		assert.Equal(t, m.ID == "sums:barrier#2", len(last[i+1])+len(first[i+1]) == 0, "%s: %s: %s", m.ID, m.Pos, m.Text)
	}
}
