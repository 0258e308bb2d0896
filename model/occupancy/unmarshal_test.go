package occupancy

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

func TestAResultReadsBackFromItsJSON(t *testing.T) {
	for _, name := range []string{"gtx480@16", "a100", "h100"} {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		for registers := range 64 {
			r, _ := Compute(g, Demand{Threads: 96, Registers: registers, Shared: 128 * registers, Barriers: registers % 17})
			text, err := json.Marshal(r)
			require.NoError(t, err)
			var back Result
			require.NoError(t, json.Unmarshal(text, &back))
			assert.Equal(t, r, back)
		}
	}
	var s Limits
	assert.ErrorContains(t, json.Unmarshal([]byte(`["luck"]`), &s), `"luck" is not a resource of an SM`)
}
