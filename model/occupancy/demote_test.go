package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDemotedWordsFollowTheAlignedBytes(t *testing.T) {
	d := Demand{Threads: 64, Registers: 40, Shared: 10}
	assert.Equal(t, Demand{Threads: 64, Registers: 37, Shared: 12 + 3*64*4}, d.Demote(3))
	assert.Equal(t, d, d.Demote(0))
}
