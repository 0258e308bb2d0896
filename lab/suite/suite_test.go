package suite_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/lab/suite"
)

// TestSampleIsAPartOfAll: about one of n is in the sample, the same ones each
// time, and all are in the whole.
func TestSampleIsAPartOfAll(t *testing.T) {
	count := func() (n int) {
		for i := range 1000 {
			if suite.InSample(fmt.Sprint("case-", i), 4) {
				n++
			}
		}
		return n
	}
	t.Setenv(suite.FullVariable, "")
	few := count()
	assert.InDelta(t, 250, few, 100)
	assert.Equal(t, few, count())
	t.Setenv(suite.FullVariable, "1")
	assert.Equal(t, 1000, count())
}
