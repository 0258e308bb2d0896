package execute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheAddressSanitizersReportIsRead(t *testing.T) {
	const stderr = `=================================================================
==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x5581 bp 0x7ffe sp 0x7ffd
WRITE of size 4 at 0x602000000014 thread T0
    #0 0x558133 in (/tmp/a/program-address+0x1234) (BuildId: 77)
    #1 0x7f0000 in (/lib/libc.so.6+0x2c3a) (BuildId: 78)
    #2 0x558155  (/tmp/a/program-address+0x1300)

0x602000000014 is located 0 bytes to the right of 4-byte region
allocated by thread T0 here:
    #0 0x7f11 in (/lib/libasan.so.8+0xb4)
    #1 0x558155  (/tmp/a/program-address+0x2000)
`
	records := sanitizerRecords([]byte(stderr), "/elsewhere/program-address")
	require.Len(t, records, 1)
	assert.Equal(t, "out-of-bounds", string(records[0].Code))
	assert.True(t, records[0].Write)
	assert.Equal(t, int64(4), records[0].Bytes)
	assert.Equal(t, []uint64{0x1234, 0x12ff}, records[0].PCs)
	assert.Empty(t, sanitizerRecords([]byte("nothing\n"), "p"))
}
