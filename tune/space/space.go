// Package space lists the forms of a kernel that can be measured, and writes each
// of them. Only what the rewriters can prove right is listed.
package space

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/choose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// Input is a kernel, or kernels that are rewritten together, of a program.
type Input struct {
	Program  *parser.Program
	Parse    parser.Options
	Analysed *analysis.Program
	Group    rewrite.Group
	Options  rewrite.Options // Block and Runtime; Way restricts what is listed
	GPU      *gpu.GPU
	Report   *choose.Report // nil where the model has nothing to say
}

// Entry is a form that can be measured.
type Entry struct {
	record.Candidate
	// Predicted is the time of the original over its own that the model expects, 0
	// where it says nothing.
	Predicted float64
	Registers int
	Shared    int
	VTBs      int // original thread blocks at once per SM
	Limiter   string
	Traits    []string // as search.Item has them
}

// Left is a form that is not listed.
type Left struct {
	record.Candidate
	Why string
}

// Enumerate lists the forms: the original first, the other original forms behind
// it, then what merges thread blocks.
func Enumerate(in Input) ([]Entry, []Left) { return nil, nil }

// Emit is the program with the kernel in a form.
func Emit(in Input, c record.Candidate) (*rewrite.Result, error) { return nil, nil }
