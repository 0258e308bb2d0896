package merge

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// The codes of what these rewriters refuse or remark. diag documents each.
const (
	CodeBlockUnknown  diag.Code = "block-unknown"
	CodeBlockTooLarge diag.Code = "block-too-large"
	CodeBarrierIDs    diag.Code = "barrier-ids"
	CodeNotWarps      diag.Code = "not-whole-warps"
	CodeSignature     diag.Code = "signature"
	CodeLaunchByHand  diag.Code = "launch-by-hand"
	CodeLaunch        diag.Code = "launch"
	CodeLaunchCall    diag.Code = "launch-call"
	CodeHoist         diag.Code = "hoist"
	CodeTurnState     diag.Code = "turn-state"
	CodeVote          diag.Code = "block-vote"
	CodeBarrierCall             = analysis.CodeBarrierCall
	CodeSlots         diag.Code = "slots"
	CodeSync          diag.Code = "sync-mode"
	CodePartition     diag.Code = "partition"
	CodeNoStage       diag.Code = "nothing-to-stage"
	CodePersistent    diag.Code = "persistent"
	CodeLocks         diag.Code = "separate-locks"
	CodePipe          diag.Code = "pipe-form"
	CodeNoOverlap     diag.Code = "no-overlap"
	CodeOverlapMark   diag.Code = "overlap-mark"
)
