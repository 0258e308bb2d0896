package slice

import "github.com/smux-cuda/smux/diag"

// The codes of what these rewriters refuse or remark. diag documents each.
const (
	CodeSliceType   diag.Code = "slice-type"
	CodeSliceAccess diag.Code = "slice-access"
	CodeNoExchange  diag.Code = "no-exchange"
	CodeCrosses     diag.Code = "crosses-rounds"
)
