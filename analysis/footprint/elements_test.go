package footprint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestElementsOfUnknownSizeStayAllWhateverIsTakenOut(t *testing.T) {
	all := fill(-1)
	left := all.minus(fill(100))
	assert.False(t, left.Empty())
	assert.True(t, fill(100).minus(fill(100)).Empty())
	assert.Equal(t, []uint64{0, 1<<36 - 1}, fill(100).minus(fill(64)).bits)
	assert.Equal(t, []uint64{1<<64 - 1, 1}, fill(65).bits)
	assert.Equal(t, []uint64{1<<64 - 1}, fill(64).bits)
}
