package resources

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// A function that is inlined twice has entries of its own for each call: the
// profile tells by In which loop they are in.
func TestLinesKeepTheCallThatTheyWereInlinedAt(t *testing.T) {
	at := func(line, in int, called bool) nvcc.LineCounts {
		return nvcc.LineCounts{
			Place: nvcc.Place{File: stdinUnit, Line: line}, In: nvcc.Place{File: stdinUnit, Line: in}, Called: called,
			Counts: nvcc.Counts{Issue: 2, SharedLoadBytes: 4, GlobalAtomics: 1},
		}
	}
	l := &nvcc.Listing{Mangled: "k", Lines: []nvcc.LineCounts{at(3, 7, false), at(3, 10, false), at(10, 10, false), at(3, 3, true), at(0, 0, false)}}
	want := []cost.Line{
		{File: parser.StdinName, Line: 3, In: 7, Issue: 2, Memory: 8},
		{File: parser.StdinName, Line: 3, In: 10, Issue: 2, Memory: 8},
		{File: parser.StdinName, Line: 10, In: 10, Issue: 2, Memory: 8},
	}
	assert.Equal(t, want, LinesOf([]*nvcc.Listing{{Mangled: "other", Lines: l.Lines}, l}, "k"))
}
