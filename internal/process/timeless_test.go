package process

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var others = strings.NewReplacer("3", "4", "4", "5", "12.5", "1", "0.25", "80")

func TestTimesAreNotCompared(t *testing.T) {
	for _, line := range []string{"took 3 s", "12.5GB/s", "Elapsed 4", "3ms", "Throughput = 1e+3 GFLOPS", "0.25 usec", "time  3"} {
		assert.Equal(t, Timeless(line), Timeless(others.Replace(line)), line)
	}
}

func TestAllElseIsCompared(t *testing.T) {
	for _, line := range []string{"items 3", "class 4", "bus 3", "sum 12.5", "mass  3"} {
		assert.Equal(t, line, Timeless(line))
	}
	assert.NotEqual(t, Timeless("took 3 s"), Timeless("took 3 s longer"), "words are")
}
