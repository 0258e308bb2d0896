package process

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAHeadKeepsTheFirstBytesAndCountsAll(t *testing.T) {
	h := Head{Limit: 5}
	for i, want := range []string{"abc", "abcab", "abcab"} {
		n, err := fmt.Fprint(&h, "abc")
		assert.NoError(t, err)
		assert.Equal(t, 3, n, "a writer that takes less ends the command")
		assert.Equal(t, want, string(h.Bytes()))
		assert.Equal(t, i > 0, h.Cut())
	}
	assert.EqualValues(t, 9, h.Total)
}

func TestAHeadThatIsJustFullIsNotCut(t *testing.T) {
	h := Head{Limit: 3}
	fmt.Fprint(&h, "abc")
	assert.False(t, h.Cut())
}
