package demotion

import "github.com/smux-cuda/smux/diag"

// The codes of variables that can't move to shared memory. diag documents each.
const (
	CodeWordType     diag.Code = "word-type"     // no type that is made of 4- and 8-byte numbers
	CodeWordUse      diag.Code = "word-use"      // a use that needs a variable, or can't be seen
	CodeWordPlace    diag.Code = "word-place"    // declared where the declaration can't be taken apart
	CodeWordIndex    diag.Code = "word-index"    // an array whose subscripts are computed
	CodeWordFunction diag.Code = "word-function" // in a device function whose words others would pay for
)
