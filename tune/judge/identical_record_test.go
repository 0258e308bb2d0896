package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

var pairs = flag.Int("record", 0, "record so many pairs of runs of two identical programs into testdata/tune/identical.jsonl")

const (
	program  = "../../testdata/tune/identical.cu"
	recorded = "../../testdata/tune/identical.jsonl"
)

// TestRecordIdenticalPrograms makes the recording: two builds of one program on the
// CPU engine, run in turn, each first in every other pair.
func TestRecordIdenticalPrograms(t *testing.T) {
	if *pairs == 0 {
		t.Skip("nothing is recorded without -record")
	}
	programs := [2]*build.Program{buildProgram(t), buildProgram(t)}
	var out bytes.Buffer
	for i := range *pairs {
		var pair [2][]float64
		first := i % 2
		for _, which := range []int{first, 1 - first} {
			r, err := execute.Run(context.Background(), programs[which], execute.Options{})
			require.NoError(t, err)
			require.Zero(t, r.Exit)
			pair[which] = launches(t, r.Stdout)
		}
		line, err := json.Marshal(pair)
		require.NoError(t, err)
		out.Write(append(line, '\n'))
	}
	require.NoError(t, os.WriteFile(recorded, out.Bytes(), 0o666))
}

// buildProgram builds the program in a folder and with a cache of its own.
func buildProgram(t *testing.T) *build.Program {
	compiler, err := build.Find("")
	require.NoError(t, err)
	tools, err := build.Open(compiler, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { tools.Close() })
	parsed, errs := parser.LoadProgram([]string{program}, parser.Options{})
	require.Empty(t, errs)
	dir := t.TempDir()
	unit, err := translate.Translate(parsed.Files[0], parsed.Headers, translate.Options{Dir: dir})
	require.NoError(t, err)
	p, err := tools.Build(context.Background(), build.Request{Units: []*translate.Unit{unit}, Mode: build.Plain, Dir: dir})
	require.NoError(t, err)
	return p
}

// launches are the times that the program prints.
func launches(t *testing.T, stdout []byte) []float64 {
	var out []float64
	for line := range bytes.Lines(stdout) {
		var ms float64
		if n, _ := fmt.Sscanf(string(line), "launch %g", &ms); n == 1 {
			out = append(out, ms)
		}
	}
	require.Len(t, out, 3)
	return out
}
