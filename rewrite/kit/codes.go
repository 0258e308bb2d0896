package kit

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// The codes of what the rewriters refuse or remark. diag documents each.
const (
	CodeAlready       diag.Code = "already-multiplexed"
	CodeNoShared      diag.Code = "no-shared"
	CodeBlockUnknown  diag.Code = "block-unknown"
	CodeBlockTooLarge diag.Code = "block-too-large"
	CodeBarrierIDs    diag.Code = "barrier-ids"
	CodeNotWarps      diag.Code = "not-whole-warps"
	CodeSignature     diag.Code = "signature"
	CodeNoLaunch      diag.Code = "no-launch"
	CodeLaunchByHand  diag.Code = "launch-by-hand"
	CodeLaunch        diag.Code = "launch"
	CodeLaunchCall    diag.Code = "launch-call"
	CodeKernelAddress diag.Code = "kernel-address"
	CodeEarlyExit     diag.Code = "early-exit"
	CodeDivergent     diag.Code = "divergent-barrier"
	CodeMacro         diag.Code = "macro"
	CodeHoist         diag.Code = "hoist"
	CodeTurnState     diag.Code = "turn-state"
	CodeVote          diag.Code = "block-vote"
	CodeBarrierCall             = analysis.CodeBarrierCall
	CodeOverload      diag.Code = "overload"
	CodeSlots         diag.Code = "slots"
	CodeSync          diag.Code = "sync-mode"
	CodeSharedSize    diag.Code = "shared-too-large"
	CodePartition     diag.Code = "partition"
	CodeFile          diag.Code = "out-of-reach"
	CodeNoStage       diag.Code = "nothing-to-stage"
	CodeShape         diag.Code = "block-shape"
	CodeAssumed       diag.Code = "shape-assumed"
	CodePersistent    diag.Code = "persistent"
	CodeLocks         diag.Code = "separate-locks"
	CodeSliceType     diag.Code = "slice-type"
	CodeSliceAccess   diag.Code = "slice-access"
	CodeNoExchange    diag.Code = "no-exchange"
	CodeCrosses       diag.Code = "crosses-rounds"
	CodePipe          diag.Code = "pipe-form"
	CodeNoOverlap     diag.Code = "no-overlap"
	CodeOverlapMark   diag.Code = "overlap-mark"
)
