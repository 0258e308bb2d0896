package execute

import (
	"fmt"
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

// The runtime knows the thread, the sanitizer the names of variables that are no
// shared memory: a finding has both.
func TestTheRuntimesRecordIsJoinedWithTheSanitizersReport(t *testing.T) {
	const head = "==17==ERROR: AddressSanitizer: %s on address 0x1010\nWRITE of size 4 at 0x1010 thread T0\n    #0 0x55 (/tmp/a/p+0x1234)\n\n"
	for name, c := range map[string]struct{ printed, variable, space string }{
		"local":  {"    [32, 48) 'other' (line 7)\n    [64, 80) 'tile.i.i' (line 8) <== Memory access at offset 80 overflows this variable\n", "tile", "local"},
		"global": {"0x1010 is located 0 bytes to the right of global variable 'table' defined in 'a.cu:3:5' (0x1000) of size 16\n", "table", "global"},
		"later":  {"0x1010 is located 0 bytes after global variable 'n::table' defined in 'a.cu:3' (0x1000) of size 16\n", "n::table", "global"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr := []byte(fmt.Sprintf(head, "x-buffer-overflow") + c.printed)
			runtimes := record{Code: "out-of-bounds", Kernel: "k", Sanitizer: "x-buffer-overflow", access: access{PCs: []uint64{1}, Thread: [3]int{5, 0, 0}}}
			got := withSanitizer([]record{{Code: "race"}, runtimes}, stderr, "p")
			require.Len(t, got, 2)
			assert.Equal(t, "k", got[1].Kernel)
			assert.Equal(t, [3]int{5, 0, 0}, got[1].Thread)
			assert.Equal(t, []uint64{1}, got[1].PCs)
			assert.Equal(t, c.variable, got[1].Variable)
			assert.Equal(t, c.space, got[1].Space)
			assert.Equal(t, int64(16), got[1].Offset)

			alone := withSanitizer(nil, stderr, "p")
			require.Len(t, alone, 1)
			assert.Equal(t, c.variable, alone[0].Variable)
			assert.Equal(t, []uint64{0x1234}, alone[0].PCs)
		})
	}

	shared := record{Code: "out-of-bounds", Sanitizer: "use-after-poison", Variable: "s", Space: "shared", Offset: 4}
	got := withSanitizer([]record{shared}, []byte(fmt.Sprintf(head, "use-after-poison")), "p")
	require.Len(t, got, 1)
	assert.Equal(t, "s", got[0].Variable)
	assert.Equal(t, int64(4), got[0].Offset)
}
