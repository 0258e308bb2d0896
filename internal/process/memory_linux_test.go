package process_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/process"
)

// TestWhatACommandStartsIsWithinItsMemory: the limit is there for a child that is
// started once it is set, and one command's limit is no other's.
func TestWhatACommandStartsIsWithinItsMemory(t *testing.T) {
	limitOf := func(memory uint64) string {
		out, err := process.OutputWithin(process.Command(context.Background(), "sh", "-c", "sleep 0.3; sh -c 'ulimit -v'"), memory)
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	own := limitOf(0)
	assert.Equal(t, strconv.Itoa(1<<20), limitOf(1<<30))
	assert.Equal(t, own, limitOf(math.MaxUint64), "a larger limit than there was changes nothing")
	assert.Equal(t, own, limitOf(0))
	assert.GreaterOrEqual(t, process.CompilerMemory(), uint64(2<<30))
}

func TestACommandThatNeedsMoreMemoryIsToldFromOneThatFails(t *testing.T) {
	const memory = 100 << 20
	run := func(script string) error {
		_, err := process.OutputWithin(process.Command(context.Background(), "sh", "-c", "sleep 0.3; "+script), memory)
		return err
	}
	var full *process.OutOfMemoryError
	err := run("head -c 300M /dev/zero | tail -c 300M >/dev/null")
	require.ErrorAs(t, err, &full)
	assert.Equal(t, uint64(memory), full.Limit)
	err = run("echo 'k.cu(1): error: out of memory is no type'; exit 2")
	require.Error(t, err)
	assert.False(t, errors.As(err, &full), "it took little")
	assert.NoError(t, run("true"))
}
