package rewrite

import (
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// What callers use of the contract between rewriters and this package, which is in kit.
type (
	Variant        = variant.Variant // a rewriter with its knobs set
	Rewriter       = kit.Rewriter
	Proof          = kit.Proof
	Options        = kit.Options
	Decision       = kit.Decision
	Result         = kit.Result
	FileResult     = kit.FileResult
	KernelResult   = kit.KernelResult
	CheckedVariant = kit.CheckedVariant
	Staged         = kit.Staged
	Chain          = kit.Chain
	UnsafeShrink   = kit.UnsafeShrink
)

// Codes of refusals that callers tell apart.
const (
	CodeAlready       = kit.CodeAlready
	CodeKernelAddress = kit.CodeKernelAddress
	CodeMacro         = kit.CodeMacro
	CodeNoShared      = kit.CodeNoShared
)

var (
	NewChain = kit.NewChain
	Matches  = kit.Matches
)
