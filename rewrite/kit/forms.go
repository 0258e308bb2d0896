package kit

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Clone is one form of a device function with the edits that make it.
type Clone struct {
	Form
	Param string // the extra first parameter(s)
	Edits edit.Buffer
	Calls []CallSite // calls of forms inside the function
}

// CallSite is one edited call: where the callee's name stands and which form it now calls.
type CallSite struct {
	At   int
	Fn   *ir.Func
	Form Form
}

// FormKind says what a device function must become for its callers.
type FormKind uint8

const (
	// FormTurns: called where all v-TBs run at once, in block mode.
	FormTurns FormKind = iota
	// FormOwn: as any function in named and lock mode; its barriers are the v-TB's own.
	FormOwn
	// FormCut: called inside a region in block mode; all v-TBs run it, the
	// pieces between its barriers only those whose turn it is.
	FormCut
	// FormSliced: told which round of an exchange it writes or reads.
	FormSliced
)

// Form is a device function in one of its forms.
type Form struct {
	Fn   *ir.Func
	Kind FormKind
	// Vtb is the v-TB type in the parameters, "" where there is none: kernels merged in different ways need overloads
	// of their own. Plans look functions up without it.
	Vtb string
	// Turns says where v-TBs take turns inside the function, "" for nowhere: two kernels may differ in it.
	Turns string
	// Told says of FormSliced which parameter the rounds are of, and by what.
	Told string
}
