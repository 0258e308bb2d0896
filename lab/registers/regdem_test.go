package registers

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegDemPrefersOccupancyAtEqualStalls(t *testing.T) {
	assert.InDelta(t, 100, regDemTime(100, 0.75, 0.75), 1e-9)
	assert.InDelta(t, 181.86, regDemTime(100, 0.5, 1), 0.01)
	assert.Less(t, regDemTime(100, 0.75, 1), regDemTime(100, 0.5, 1))
}
