package shim_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/shim"
)

func TestTheTreeHoldsHeadersAndRuntime(t *testing.T) {
	for _, name := range []string{"include/smux_cpu/abi.h", "runtime/report.h"} {
		text, err := fs.ReadFile(shim.Files(), name)
		require.NoError(t, err)
		assert.NotEmpty(t, text)
	}
}

func TestTheHashIsAName(t *testing.T) {
	assert.Regexp(t, `^[0-9a-f]{16}$`, shim.Hash())
	assert.Equal(t, shim.Hash(), shim.Hash())
}
