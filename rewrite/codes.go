package rewrite

import "github.com/smux-cuda/smux/diag"

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
	CodeKernelAddress diag.Code = "kernel-address"
	CodeEarlyExit     diag.Code = "early-exit"
	CodeDivergent     diag.Code = "divergent-barrier"
	CodeMacro         diag.Code = "macro"
	CodeHoist         diag.Code = "hoist"
	CodeTurnState     diag.Code = "turn-state"
	CodeVote          diag.Code = "block-vote"
	CodeBarrierCall   diag.Code = "barrier-call"
	CodeOverload      diag.Code = "overload"
	CodeSlots         diag.Code = "slots"
	CodeSharedSize    diag.Code = "shared-too-large"
	CodeFile          diag.Code = "out-of-reach"
	CodePipe          diag.Code = "pipe-form"
	CodeNoOverlap     diag.Code = "no-overlap"
	CodeOverlapMark   diag.Code = "overlap-mark"
)
