package choose

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// partition says what co-vtb divides in a kernel: rows and their size, the bytes
// that v-TBs take turns with in any case, and those that each has for itself.
// Until there is a rewriter that splits arrays, nothing is divided.
var partition = func(*analysis.Kernel) (rows, rowBytes, otherBytes, ownBytes int, reasons []diag.Message) {
	return 0, 0, 0, 0, []diag.Message{{Text: "no rewriter splits arrays"}}
}
