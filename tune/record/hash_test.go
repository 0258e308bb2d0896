package record_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/record"
)

func texts(list ...string) map[string][]byte {
	out := map[string][]byte{}
	for i := 0; i < len(list); i += 2 {
		out[list[i]] = []byte(list[i+1])
	}
	return out
}

func TestTheHashIsOfTheTextsAlone(t *testing.T) {
	a := record.HashSource(texts("a.cu", "one", "b.cu", "two"))
	assert.Len(t, a, 32)
	assert.Equal(t, a, record.HashSource(texts("x/b.cu", "two", "x/a.cu", "one")))
	assert.NotEqual(t, a, record.HashSource(texts("a.cu", "onetwo", "b.cu", "")))
	assert.NotEqual(t, a, record.HashSource(texts("a.cu", "one", "b.cu", "two", "c.cu", "")))
	assert.NotEqual(t, a, record.HashSource(texts("a.cu", "one", "b.cu", "two", "c.cu", "two")), "how often a text is there counts")
}

// Records on disks hold these hashes.
func TestTheHashStaysWhatItIs(t *testing.T) {
	assert.Equal(t, "8367c97dc67a22797234f0ddf8ef870f", record.HashSource(texts("a.cu", "one", "b.cu", "two")))
}
