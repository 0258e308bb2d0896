package acc

import (
	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/diag"
)

// The codes of what is refused, and of messages on a translation.
const (
	CodeUnsupported diag.Code = "acc-unsupported"   // OpenACC has it, smux does not
	CodeStatement   diag.Code = "acc-statement"     // the statement under a directive is not one that it can govern
	CodeLevel       diag.Code = "acc-level"         // gangs, workers or vectors inside of finer ones
	CodeLoop        diag.Code = "acc-loop"          // a loop under a directive does not count
	CodeShape       diag.Code = "acc-shape"         // a pointer without the size of its memory
	CodeCarried     diag.Code = "acc-carried"       // iterations that are called independent are not
	CodeSequential  diag.Code = "acc-sequential"    // a loop stays sequential
	CodeImplied     diag.Code = "acc-implied"       // loops reduce a variable, and no clause says so
	CodeLost        diag.Code = "acc-lost"          // a value that a region computes does not come back, and is used
	CodeBounds      diag.Code = "acc-bounds"        // how much is copied follows from loops
	CodeCopiedIn    diag.Code = "acc-copied-in"     // memory that a clause leaves undefined is copied in
	CodeCall        diag.Code = "acc-call"          // device code calls what can't run there
	CodeStale       diag.Code = "acc-stale"         // host and device have different values of a variable
	CodeSizes       diag.Code = "acc-sizes"         // how many threads a clause asks for is not followed
	CodeCPlusPlus             = words.CodeCPlusPlus // C that C++ does not take
	CodeNotCached   diag.Code = "acc-not-cached"    // an array that cache names is not kept in shared memory
	CodeGiven       diag.Code = "acc-given"         // what was decided rests on a macro of the command line
	CodeNoEffect    diag.Code = "acc-no-effect"     // what a clause asks for is so in any case, or for other devices
)
