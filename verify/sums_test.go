package verify_test

import (
	"math"
	"math/big"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/build"
)

// TestSumsByAtomicsAreExact: whatever the order of the threads, each sum is the
// exact one, rounded once to its type.
func TestSumsByAtomicsAreExact(t *testing.T) {
	program := buildProgram(t, "sums.cu", build.Plain)
	for _, spread := range []int{0, 5, 30} {
		var first [2]float64
		exact := new(big.Float).SetPrec(4096)
		for i := range 8 * 64 {
			exact.Add(exact, big.NewFloat(math.Ldexp(float64((i*7919)%1013-506), (i*31)%(2*spread+1)-spread)))
		}
		d, _ := exact.Float64()
		f, _ := exact.Float32()
		for _, order := range []string{"ascending", "descending", "random:1", "random:2"} {
			c := exec.Command(program, strconv.Itoa(spread))
			c.Env = append(c.Environ(), "SMUX_REPORT=/dev/null", "SMUX_ORDER="+order)
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
			var got []float64
			for _, word := range strings.Fields(string(out)) {
				value, err := strconv.ParseFloat(word, 64)
				require.NoError(t, err)
				got = append(got, value)
			}
			require.Len(t, got, 6)
			assert.Equal(t, []float64{d, float64(f), -float64(f), 1 + 0x1p-23}, got[:4], "spread %d, %s", spread, order)
			// The addends themselves are rounded to these types, too.
			small := [2]float64{got[4], got[5]}
			if order == "ascending" {
				first = small
			}
			assert.Equal(t, first, small, "spread %d, %s", spread, order)
			assert.InEpsilon(t, math.Ldexp(d, -12-spread), small[0], 0x1p-6, "spread %d", spread)
		}
	}
}
