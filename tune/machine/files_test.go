package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// copied is the log of one copy of floats to the host.
func copied(values ...float32) []byte {
	var data, log bytes.Buffer
	_ = binary.Write(&data, binary.LittleEndian, values)
	h := fnv.New64a()
	h.Write(data.Bytes())
	_ = binary.Write(&log, binary.LittleEndian, []uint32{0x43585553, 1, 1, 0})
	_ = binary.Write(&log, binary.LittleEndian, []uint64{0, uint64(data.Len()), 0, h.Sum64(), uint64(data.Len())})
	return append(log.Bytes(), data.Bytes()...)
}

// outputs are those of a run with a log and what it printed.
func outputs(t *testing.T, rules Rules, original bool, exit int, log []byte, stdout string) *Files {
	t.Helper()
	f := &Files{dir: t.TempDir(), rules: rules, original: original, exit: exit}
	require.NoError(t, os.WriteFile(f.path(CopiesFile), log, 0o666))
	require.NoError(t, os.WriteFile(f.path(StdoutFile), []byte(stdout), 0o666))
	return f
}

func TestOutputsOfARunAreTheOriginals(t *testing.T) {
	near := Rules{Tolerance: verify.Tolerance{Abs: 0.25}}
	bench := Rules{Tolerance: near.Tolerance, Checksums: true}
	one, log := copied(1, 2), append(copied(1, 2), copied(3)...)
	for name, c := range map[string]struct {
		rules     Rules
		log       []byte
		stdout    string
		exit      int
		want      string
		tolerated bool
	}{
		"equal":             {log: log, stdout: "sum 3\ntook 5 ms\n"},
		"another time":      {log: log, stdout: "sum 3\ntook 17.25 ms\n"},
		"another value":     {log: append(copied(1, 2), copied(4)...), stdout: "sum 3\ntook 5 ms\n", want: "copy 2: float 0 is 4, in the original 3"},
		"a near value":      {rules: near, log: append(copied(1, 2.125), copied(3)...), stdout: "sum 3\ntook 5 ms\n"},
		"a far value":       {rules: near, log: append(copied(1, 2.5), copied(3)...), stdout: "sum 3\ntook 5 ms\n", want: "copy 1: float 1 is 2.5, in the original 2"},
		"no number":         {rules: near, log: append(copied(1, float32(math.NaN())), copied(3)...), want: "copy 1: float 1 is nan (0x7fc00000), in the original 2"},
		"a copy less":       {log: one, stdout: "sum 3\ntook 5 ms\n", want: "copy 2 is missing, in the original a copy to the host of 4 bytes"},
		"no log":            {stdout: "sum 3\ntook 5 ms\n", want: "copy 1 is missing, in the original a copy to the host of 8 bytes"},
		"another line":      {log: log, stdout: "sum 4\ntook 5 ms\n", want: `line 1 of the output is "sum 4", in the original "sum 3"`},
		"a line less":       {log: log, stdout: "sum 3\n", want: `line 2 of the output is missing, in the original "took 5 ms"`},
		"a line more":       {log: log, stdout: "sum 3\ntook 5 ms\nx", want: `line 3 of the output is "x", in the original missing`},
		"an exit status":    {log: log, stdout: "sum 3\ntook 5 ms\n", exit: 1, want: "the exit status is 1, in the original 0"},
		"checksums, strict": {rules: Rules{Checksums: true}, log: log, stdout: "sum 3\ntook 5 ms\n"},
		"checksums":         {rules: bench, log: log, stdout: "sum 3\ntook 5 ms\n"},
	} {
		want := outputs(t, c.rules, true, 0, log, "sum 3\ntook 5 ms\n")
		seen, failure := want.Compare(outputs(t, c.rules, false, c.exit, c.log, c.stdout))
		if c.want != "" {
			require.NotNil(t, failure, name)
			assert.Equal(t, record.Failure{Kind: record.FailedOutput, Text: c.want}, *failure, name)
			_, failure = want.Compare(outputs(t, c.rules, true, c.exit, c.log, c.stdout))
			require.NotNil(t, failure, name)
			assert.Equal(t, record.FailedUnsteady, failure.Kind, "%s: it was the original itself", name)
			continue
		}
		require.Nil(t, failure, name)
		assert.Equal(t, record.Evidence{Copies: 2, Bytes: 12, Lines: 1}, seen, name)
	}
}

func TestChecksumsOfTolerableCopiesAreNotCompared(t *testing.T) {
	const line = "  out: 2 elements, checksum %016x\n"
	want, got := fmt.Sprintf(line, 1), fmt.Sprintf(line, 2)
	for _, c := range []struct {
		rules Rules
		equal bool
	}{
		{Rules{Checksums: true}, false},
		{Rules{Tolerance: verify.Tolerance{Rel: 0.5}}, false}, // a person's own program
		{Rules{Checksums: true, Tolerance: verify.Tolerance{Rel: 0.5}}, true},
	} {
		_, why, err := c.rules.CompareLines(strings.NewReader(got), strings.NewReader(want))
		require.NoError(t, err)
		assert.Equal(t, c.equal, why == "", "%+v", c.rules)
	}
	_, why, err := Rules{Checksums: true, Tolerance: verify.Tolerance{Rel: 0.5}}.CompareLines(strings.NewReader(strings.Replace(got, "2 elements", "3 elements", 1)), strings.NewReader(want))
	require.NoError(t, err)
	assert.NotEmpty(t, why)
}

// A line of any length is compared to its end.
func TestLongLinesAreCompared(t *testing.T) {
	long := strings.Repeat("x", 3*pieceBytes)
	for end, equal := range map[string]bool{"y": true, "z": false, "": false, "y\n": false} {
		_, why, err := Rules{}.CompareLines(strings.NewReader(long+end), strings.NewReader(long+"y"))
		require.NoError(t, err)
		assert.Equal(t, equal, why == "", "%q", end)
	}
}

func TestABrokenLogJudgesNothing(t *testing.T) {
	want := outputs(t, Rules{}, true, 0, copied(1), "")
	_, failure := want.Compare(outputs(t, Rules{}, false, 0, copied(1)[:20], ""))
	require.NotNil(t, failure)
	assert.Equal(t, record.FailedUnsteady, failure.Kind)
	got := outputs(t, Rules{}, false, 0, copied(1), "")
	got.Release()
	assert.NoDirExists(t, got.dir)
	_, failure = want.Compare(got)
	require.NotNil(t, failure)
	_, failure = want.Compare(nil)
	require.NotNil(t, failure)
	assert.Equal(t, record.FailedUnsteady, failure.Kind)
}
