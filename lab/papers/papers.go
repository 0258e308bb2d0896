// Package papers computes figures that smux's sources print, by smux's own formulas, and
// writes them beside the papers': register demotion's occupancy (Hayes and Zhang, "Unified
// On-chip Memory Allocation for SIMT Architecture", ICS'14) and the throughput of two
// kernels against NVIDIA's libraries (Yang and others, "Shared Memory Multiplexing",
// PACT'12, Figures 12 and 13).
//
//	go run ./lab/main.go papers
package papers

import (
	"fmt"
	"io"
	"strings"
)

// Main is the program: it writes the tables to stdout. It takes no arguments.
func Main(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return fmt.Errorf("papers takes no arguments, not %q", args)
	}
	var out strings.Builder
	for _, write := range []func(*strings.Builder) error{writeTable1, writeFigure3, writeFigure4, writeThroughput} {
		if err := write(&out); err != nil {
			return err
		}
	}
	_, err := io.WriteString(stdout, out.String())
	return err
}
