package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// Proof is what a rewriter's Check proved of one kernel: that the rewrite keeps the
// kernel's meaning, and what is to be changed for it, as places and choices and not yet
// as text. String shows it, with the line and column of each place.
type Proof interface {
	fmt.Stringer
	// Apply makes the edits that the proof calls for. Each call makes them anew.
	Apply() *Edits

	found() *findings
	merged() *mergeProof     // nil where no blocks are merged
	files() []*parser.File   // which Apply edits, those of device functions' forms aside
	functions() []*ir.Func   // of which Apply makes forms
	runtime() []runtime.Part // what the rewritten kernel uses of the runtime
}

// Edits are the changes of a kernel and of the device functions that it needs; those
// of its launches and declarations are a launchProof's.
type Edits struct {
	files    map[*parser.File]*edit.Buffer
	clones   []*clone
	calls    []callSite // in the kernel itself, of functions that have a new form
	includes []string   // headers that the kernel's file needs
}
