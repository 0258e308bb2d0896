package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/verify/execute"
)

// TestRacesAreLookedForInEachKindOfOrder: an order and its reverse order atomics otherwise. The first is always among them.
func TestRacesAreLookedForInEachKindOfOrder(t *testing.T) {
	random := func(seed uint64) execute.Schedule { return execute.Schedule{Kind: "random", Seed: seed} }
	assert.Equal(t, []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}, random(1)}, DefaultCheckedSchedules(DefaultSchedules(1)))
	assert.Equal(t, []execute.Schedule{random(3), random(4)}, DefaultCheckedSchedules([]execute.Schedule{random(3), random(4), random(5)}))
	assert.Empty(t, DefaultCheckedSchedules(nil))
}
