package kit

import (
	"github.com/smux-cuda/smux/diag"
)

// The codes of what the rewriters refuse or remark. diag documents each.
const (
	CodeAlready       diag.Code = "already-multiplexed"
	CodeNoShared      diag.Code = "no-shared"
	CodeNoLaunch      diag.Code = "no-launch"
	CodeKernelAddress diag.Code = "kernel-address"
	CodeEarlyExit     diag.Code = "early-exit"
	CodeDivergent     diag.Code = "divergent-barrier"
	CodeMacro         diag.Code = "macro"
	CodeOverload      diag.Code = "overload"
	CodeSharedSize    diag.Code = "shared-too-large"
	CodeFile          diag.Code = "out-of-reach"
	CodeShape         diag.Code = "block-shape"
	CodeAssumed       diag.Code = "shape-assumed"
	CodeIndex         diag.Code = "index-elsewhere" // a use of the built-ins that the rewrite doesn't follow
	CodeClock         diag.Code = "clock"
	CodeTogether      diag.Code = "works-together" // threads of a block or of a warp do something together
)
