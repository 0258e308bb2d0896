package config

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of what is wrong with a directive. Package diag documents each.
const (
	CodeUnknown      diag.Code = "unknown-directive"
	CodeIgnoreCode   diag.Code = "ignore-code"
	CodeIgnoreReason diag.Code = "ignore-reason"
	CodePin          diag.Code = "pin-unknown"
	CodePlace        diag.Code = "directive-place"
	CodeTwo          diag.Code = "two-wishes"
	// CodeUnused is an ignore that stops no message. It is not an error.
	CodeUnused diag.Code = "unused-ignore"
)

// The codes of what becomes of a request, in a directive or a configuration.
const (
	CodePinned     diag.Code = "pinned"        // a pinned rewrite was applied
	CodePinRefused diag.Code = "pin-refused"   // … can't be proved
	CodeNotAllowed diag.Code = "not-allowed"   // all that can be proved is not allowed
	CodeLeft       diag.Code = "left-as-asked" // the kernel is to be left alone
)

// Chosen is the code of a kernel that smux would rewrite: to ignore it is to ask
// that the kernel be left alone.
const Chosen diag.Code = "chosen"

// Directives holds what a person writes into the source for smux: comments that begin with
// "smux:".
//
//	// smux:ignore hoist the loop is short      no message of this code
//	// smux:ignore-file no-gain old GPUs only   … about any kernel of the file
//	// smux:pin vtb-named N=2                   this rewrite, whatever the model says
//
// A comment directly above a kernel, on the lines of its head, or (a pin) inside
// its body is about that kernel; an ignore anywhere else is about the messages
// placed on its own line or the next. What can't be understood is an error: the
// kernel that it may be about is left alone.
//
// An ignore stops messages, and never switches off a proof. Two other directives
// are read elsewhere: smux:overlap by package rewrite, smux:bench by package
// verify/harness; here their names are known, so that a slip is reported.
type Directives struct {
	Ignores []Ignore
	Pins    []Pin
	Wrong   []Wrong
}

// Pin asks for a rewrite of a kernel.
type Pin struct {
	Way    variant.Variant
	Kernel diag.Position // of the kernel's name, as in rewrite.KernelResult
	Pos    diag.Position // of the directive
}

// Wrong is a directive that can't be obeyed.
type Wrong struct {
	diag.Message
	// Kernels are those that the directive may be about, by their names' positions:
	// they are to be left alone.
	Kernels []diag.Position
}

// Pinned returns the pin of a kernel, nil for none.
func (s *Directives) Pinned(kernel diag.Position) *Pin {
	for i := range s.Pins {
		if s.Pins[i].Kernel == kernel {
			return &s.Pins[i]
		}
	}
	return nil
}

// Misunderstood returns what is wrong with a directive that may be about a kernel, nil
// where all can be obeyed.
func (s *Directives) Misunderstood(kernel diag.Position) *diag.Message {
	for i, w := range s.Wrong {
		if slices.Contains(w.Kernels, kernel) {
			return &s.Wrong[i].Message
		}
	}
	return nil
}
