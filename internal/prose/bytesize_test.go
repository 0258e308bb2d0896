package prose

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseKnowsKilobytesOf1024(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "8192": 8192, "8k": 8192, "8K": 8192, "8kB": 8192, "8 KiB": 8192, " 8192 B ": 8192, "1.5k": 1536, "0.5k": 512, "1M": 1 << 20, "227kb": 227 << 10,
	} {
		got, err := ParseBytes(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "k", "8q", "-8", "+8", "1e3", "0x10", "1.2.3k", "0.1k", "8kk", "8 k B", "9999999M", "NaN", "Infk", "."} {
		_, err := ParseBytes(text)
		assert.Error(t, err, text)
	}
}

func TestTextReadsBack(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 8192, 16384, 166912} {
		got, err := ParseBytes(Bytes(n))
		require.NoError(t, err)
		assert.Equal(t, n, got)
	}
	assert.Equal(t, "8.5 kB", Bytes(8736))
}
