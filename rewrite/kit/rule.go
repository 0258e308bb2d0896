// Package kit holds the contract between smux and its rewriters (Rewriter, Check, Proof,
// Options, Edits), and what rewriters share: texts and names of a kernel, places, the
// emitter, and the checks that the emitted code makes of what a proof rests on.
package kit

import (
	"cmp"
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Check proves the rewrite of a kernel as the options say, or gives the reasons against it.
type Check func(*analysis.Kernel, Options) (Proof, []diag.Message)

// Prove is check, a defect of which keeps the rewriter from this kernel, and no other
// rewriter from it nor it from other kernels.
func (check Check) Prove(k *analysis.Kernel, opt Options) (p Proof, reasons []diag.Message) {
	defer func() {
		if v := recover(); v != nil {
			p, reasons = nil, Defect(k, v)
		}
	}()
	opt.check = check
	return check(k, opt)
}

// Defect is the reason against a kernel that a panic is.
func Defect(k *analysis.Kernel, panicked any) []diag.Message {
	return []diag.Message{{Pos: Position(k), Code: analysis.CodeInternal, Text: diag.Panicked(panicked)}}
}

// Decision says what somebody who knows more than this package (a model, a
// measurement, a person) wants done with a kernel.
type Decision struct {
	Variant // without a Rewriter the kernel is left alone
	// Why is reported with the kernel: as its refusal where it is left alone, else as notes.
	Why []diag.Message
}

// Proof holds what a rewriter's Check proved of one kernel: that the rewrite keeps the
// kernel's meaning, and what is to be changed for it, as places and choices and not yet
// as text. String shows it, with the line and column of each place.
type Proof interface {
	fmt.Stringer
	// Apply makes the edits that the proof calls for. Each call makes them anew.
	Apply() *Edits

	Found() *Findings
	Files() []*parser.File   // which Apply edits, those of device functions' forms aside
	Functions() []*ir.Func   // of which Apply makes forms
	Runtime() []runtime.Part // what the rewritten kernel uses of the runtime
}

// Edits are the changes of a kernel and of the device functions that it needs; those
// of its launches and declarations are a LaunchProof's.
type Edits struct {
	Files    map[*parser.File]*edit.Buffer
	Clones   []*Clone
	Calls    []CallSite // in the kernel itself, of functions that have a new form
	Includes []string   // headers that the kernel's file needs
}

// Variant is a rewriter with its knobs set.
type Variant = variant.Variant

// Rewriter is one way to rewrite a kernel. Check proves that the rewrite keeps
// the kernel's meaning or says why not; the edits follow mechanically from the proof.
type Rewriter struct {
	*variant.Rewriter
	Check
}

// CheckedVariant says whether a rewriter can be applied to a kernel with a sync mode.
type CheckedVariant struct {
	Variant
	Can     bool           `json:"can"`
	Refused []diag.Message `json:"refused,omitempty"`
	Staged  []Staged       `json:"-"` // by CheckedVariants, where stage can be applied
}

// Checked returns the options' variant, which is available or not.
func (o Options) Checked(can bool) CheckedVariant {
	return CheckedVariant{Variant: o.Variant, Can: can}
}

// WithDefaults sets what the options leave open, but for the sync mode.
func (o Options) WithDefaults() Options {
	o.Variant = o.Variant.WithDefaults()
	o.Runtime = cmp.Or(o.Runtime, runtime.Inline)
	return o
}

// Staged is an array of global memory that a thread block reads again, and that stage copies to shared memory.
type Staged struct {
	Array  string          `json:"array"`
	Places []diag.Position `json:"places,omitempty"` // of the loads; none where loops are made even first
	// Loop is the loop that is cut into tiles of Tile iterations, one tile being copied at a time.
	Loop  *diag.Position `json:"loop,omitempty"`
	Tile  int            `json:"tile,omitempty"`
	Reuse float64        `json:"reuse"` // how often a thread block reads an element, on average
	Bytes int            `json:"bytes"` // of shared memory
}
