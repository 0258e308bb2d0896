package resources

import (
	"fmt"
	"strconv"
	"strings"
)

// RegistersText returns a number of registers per thread on a GPU of compute capability cc,
// and where it is from (see Usage) unless ptxas counted them for the GPU's own
// architecture: "40", "40 (sm_80)", "40 est."; "-" for none.
func RegistersText(n int, from, cc string) string {
	switch arch := strings.TrimPrefix(from, "ptxas "); {
	case n == 0 && from == Estimated:
		return "unknown"
	case from == Estimated:
		return fmt.Sprintf("%d est.", n)
	case n == 0:
		return "-"
	case from == "" || arch == "sm_"+strings.ReplaceAll(cc, ".", ""):
		return strconv.Itoa(n)
	default:
		return fmt.Sprintf("%d (%s)", n, arch)
	}
}
