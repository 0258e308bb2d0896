package rewrite

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// clone is one form of a device function with the edits that make it.
type clone struct {
	form
	param string // the extra first parameter(s)
	edits edit.Buffer
	calls []callSite // calls of forms inside the function
}

// callSite is one edited call: where the callee's name stands and which form
// it now calls.
type callSite struct {
	at   int
	fn   *ir.Func
	form form
}

// formKind is what a device function must become for its callers.
type formKind uint8

const (
	// formTurns: called where all v-TBs run at once, in block mode.
	formTurns formKind = iota
	// formOwn: as any function in named and lock mode; its barriers are the v-TB's
	// own.
	formOwn
	// formCut: called inside a region in block mode; all v-TBs run it, the
	// pieces between its barriers only those whose turn it is.
	formCut
	// formSliced: told which round of an exchange it writes or reads.
	formSliced
)

// form is a device function in one of its forms.
type form struct {
	fn   *ir.Func
	kind formKind
	// vtb is the v-TB type in the parameters, "" where there is none: kernels
	// merged in different ways need overloads of their own. Plans look functions
	// up without it.
	vtb string
	// turns says where v-TBs take turns inside the function, "" for nowhere: two
	// kernels may differ in it.
	turns string
	// told says of formSliced which parameter the rounds are of, and by what.
	told string
}
