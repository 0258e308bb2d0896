package accuracy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestErrorsAreThoseOfASortedList(t *testing.T) {
	e := errorsOf([]kernel{
		{estimate: 40, nvcc: 32, limited: true},
		{estimate: 16, nvcc: 20, same: true},
		{estimate: 30, nvcc: 60, truly: true},
		{estimate: 10, nvcc: 10, same: true},
	})
	assert.Equal(t, 4.0, e.median, "of 0, 4, 8, 30")
	assert.Equal(t, 30.0, e.ninety)
	assert.Equal(t, 0.2, e.relative)
	assert.Equal(t, 0.5, e.relativeNinety)
	assert.Equal(t, (8.0-4-30)/4, e.bias)
	assert.Equal(t, [4]int{1, 1, 1, 2}, [4]int{e.limited, e.falsely, e.missed, e.same})
	assert.Zero(t, errorsOf(nil))
}

func TestCopiesOfAKernelAreInTheSamePart(t *testing.T) {
	held := 0
	for _, name := range []string{"add", "scan", "reduce", "transpose", "multiply", "filter", "sort", "histogram", "step", "update", "gather", "pack"} {
		one, other := kernel{name: name, nvcc: 8}, kernel{name: name, nvcc: 80}
		assert.Equal(t, one.heldOut(), other.heldOut())
		if one.heldOut() {
			held++
		}
	}
	assert.Positive(t, held)
	assert.Less(t, held, 12)
}
