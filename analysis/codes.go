package analysis

import "github.com/smux-cuda/smux/diag"

// The codes of what the analyses refuse. diag documents each.
const (
	CodeSyntax       diag.Code = "syntax"
	CodeGaveUp       diag.Code = "gave-up"
	CodeInternal     diag.Code = "internal"
	CodeDeviceLaunch diag.Code = "device-launch"
	CodeCluster      diag.Code = "cluster"
	CodeRecursion    diag.Code = "recursion"
	CodeGoto         diag.Code = "goto"
	CodeSpin         diag.Code = "spin"
	CodeGridSync     diag.Code = "grid-sync"
	CodeAsync        diag.Code = "async-copy"
	CodeTile         diag.Code = "tile"
	CodeGroup        diag.Code = "group"
	CodeAsm          diag.Code = "asm"
	CodeNamedBarrier diag.Code = "named-barrier"
	CodeEscape       diag.Code = "shared-escapes"
	CodeLambda       diag.Code = "lambda"
	CodeUnknownCall  diag.Code = "unknown-call"
	CodeBarrierCall  diag.Code = "barrier-call"
	CodeMacroContext diag.Code = "macro"
)
