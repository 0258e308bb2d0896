package verify_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// persistentWays are the ways in which blocks stay, by the program that they are tried on.
// Blocks of grouprows read rows of their own until their end.
var persistentWays = map[string][]string{
	"groups":    {"vtb named N=2 persistent", "vtb named N=4 barrier-register persistent", "vtb lock N=3 persistent", "dyn lock N=4 M=2 persistent"},
	"grouprows": {"co-vtb named N=2 P=2 persistent", "co-vtb named N=4 P=3 barrier-register persistent", "co-vtb lock N=3 P=1 persistent"},
}

// TestPersistentBlocksAreEqual: blocks that run one group of thread blocks after the other do
// what all of them did, where the last group is odd or one thread block. The device of the
// shim holds 128 blocks of 128 threads.
func TestPersistentBlocksAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for name, ways := range persistentWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prog := loadProgram(t, "testdata/"+name+".cu")
			request := verify.Request{
				Original: oneFile(name, prog.Files[0].Src), Timeout: 5 * time.Minute, Jobs: 1,
				Args:             [][]string{{"257"}, {"770"}},
				Schedules:        []execute.Schedule{{Kind: "ascending"}},
				CheckedSchedules: []execute.Schedule{{Kind: "descending"}},
			}
			for _, way := range ways {
				text := inRounds(t, prog, way)
				require.Contains(t, string(text), "smux::persistent")
				request.Variants = append(request.Variants, verify.Variant{Name: way, Program: oneFile(name, text), Checked: true})
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
		})
	}
}

// TestPersistentMutantsAreKilled: what would go wrong in a loop over groups is found, where the
// last group of a block is odd or its first one is. The last barrier of a region is none of
// these faults in named mode: all threads hand the turn over, and all of the next v-TB take it.
func TestPersistentMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	suite.OnlyFull(t)
	for way, c := range map[string]struct {
		program     string
		grids, same []string
	}{
		"vtb named N=2 persistent":                  {"groups", []string{"257", "5"}, []string{"sums:barrier#2"}},
		"vtb named N=4 barrier-register persistent": {"groups", []string{"257", "5"}, []string{"sums:barrier#2"}},
		// What waits for a lock takes a watchdog's time: the first groups are full here.
		"dyn lock N=4 M=2 persistent":     {"groups", []string{"257"}, []string{"runtime:count-full", "runtime:all-active"}},
		"co-vtb named N=2 P=2 persistent": {"grouprows", []string{"389", "5"}, nil}, // one left alone would meet at the ring
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			prog := loadProgram(t, "testdata/"+c.program+".cu")
			text := inRounds(t, prog, way)
			killed := map[string]bool{}
			var mutants []mutate.Mutant
			for _, grid := range c.grids {
				var deaths [][]string
				mutants, deaths = deathsOf(t, prog, c.program, text, grid)
				for i, m := range mutants {
					killed[m.ID] = killed[m.ID] || len(deaths[i+1]) > 0
				}
			}
			for _, m := range mutants {
				assert.Equal(t, slices.Contains(c.same, m.ID), !killed[m.ID], "%s: %s: %s", m.ID, m.Pos, m.Text)
			}
		})
	}
}
