package rewrite_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// TestTheRuntimeKnowsTheLimitsOfTheHardware: smux.cuh has numbers, since people read
// it in a diff; they are those of package hardware.
func TestTheRuntimeKnowsTheLimitsOfTheHardware(t *testing.T) {
	header := string(runtime.Header())
	for _, part := range []string{
		fmt.Sprintf("along<A>(g) <= (A == 'x' ? %#x : %#x)", hardware.MaxGridDimX, hardware.MaxGridDimY),
		fmt.Sprintf("threads * N <= %d &&", hardware.MaxThreadsPerBlock),
		fmt.Sprintf("b.z <= %d / N", hardware.MaxBlockDimZ),
		fmt.Sprintf("bytes <= %[1]d * 1024 && (bytes + 15) / 16 * 16 * N + S <= %[1]d * 1024;", hardware.SharedPerBlock>>10),
		fmt.Sprintf("if (bytes > %[1]d * 1024 || set * N + S > %[1]d * 1024) {", hardware.SharedPerBlock>>10),
		fmt.Sprintf("if (own > %[1]d * 1024 || all + S > %[1]d * 1024) {", hardware.SharedPerBlock>>10),
		fmt.Sprintf("N <= %d, \"a block has barriers for", hardware.NamedBarriers),
	} {
		assert.Contains(t, header, part)
	}
}
