package affine_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/lab/hardtext"
)

// allocated is how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestValuesThatDependTwiceOnOthersTakeLinearMemory: the text of such a value
// doubles with every line, so nothing may be as large as the text.
func TestValuesThatDependTwiceOnOthersTakeLinearMemory(t *testing.T) {
	for name, text := range map[string]func(int) string{"numbers": hardtext.Mixed, "addresses": hardtext.Indexed, "products": hardtext.Powers} {
		t.Run(name, func(t *testing.T) {
			bytes := func(n int) int {
				k, _ := of(t, text(n), [3]int{256, 1, 1})
				var found *affine.Kernel
				b := allocated(func() { found = affine.Of(k, k.Instances[0], [3]int{}) })
				assert.False(t, found.GaveUp)
				assert.GreaterOrEqual(t, len(found.Accesses), 4)
				return b
			}
			few := bytes(7)
			require.Less(t, bytes(9), 3*few)
			assert.Less(t, bytes(64), 40*few)
		})
	}
}

func TestAKernelOfTooManyStepsIsGivenUp(t *testing.T) {
	_, k := of(t, hardtext.Mixed(20_000), [3]int{256, 1, 1})
	assert.True(t, k.GaveUp)
}
