package instrument

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
)

// forms is a program of two units that allocates and copies in all ways.
func forms(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"forms.cu", "other.cu", "common.cuh"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		out[name] = text
	}
	return out
}

// records lists the records of a copy log: kind, element, bytes and how many of them
// are stored.
func records(t *testing.T, log []byte) (out []string) {
	t.Helper()
	for number := 0; len(log) > 0; number++ {
		require.GreaterOrEqual(t, len(log), 56)
		u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(log[at:]) }
		u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(log[at:]) }
		require.Equal(t, uint32(0x43585553), u32(0))
		require.Equal(t, uint64(number), u64(16), "one sequence for all units")
		out = append(out, fmt.Sprintf("%d: element %d, %d bytes, %d stored", u32(4), u32(8), u64(24), u64(48)))
		log = log[56+u64(48):]
	}
	return out
}

func TestAllCopiesToTheHostAreLogged(t *testing.T) {
	toolchain := engine(t)
	texts := forms(t)
	program := compiled(t, toolchain, timed(t, texts, "k"))
	assert.Equal(t, "4 16 16, line 85\n", plain(t, program, nil))

	o := run(t, program, []string{EnvThreads + "=64"})
	require.NoError(t, o.err)
	assert.Len(t, o.Launches, 3, "one of them by cudaLaunchKernel")
	want := []string{
		"1: element 1, 256 bytes, 256 stored", "1: element 0, 16 bytes, 16 stored", "1: element 1, 32 bytes, 32 stored",
		"1: element 1, 8 bytes, 8 stored", "1: element 1, 8 bytes, 8 stored", "1: element 7, 4 bytes, 4 stored", "1: element 1, 16 bytes, 16 stored",
		"2: element 9, 4 bytes, 4 stored", "2: element 2, 96 bytes, 96 stored", "1: element 0, 32 bytes, 32 stored", "1: element 0, 8 bytes, 8 stored",
	}
	assert.Equal(t, want, records(t, o.copies))

	o = run(t, program, []string{EnvCopyBytes + "=270"})
	assert.Len(t, o.Launches, 4)
	assert.Equal(t, []string{"1: element 1, 256 bytes, 256 stored", "1: element 0, 16 bytes, 14 stored", "1: element 1, 32 bytes, 0 stored"}, records(t, o.copies)[:3])
}

// All memory is logged after a launch in the order in which it was had, with the
// elements that pointers tell.
func TestCheckLogsAllMemory(t *testing.T) {
	program := compiled(t, engine(t), timed(t, forms(t), "k"))
	o := run(t, program, []string{EnvThreads + "=64", EnvCheck + "=1"})
	require.NoError(t, o.err)
	assert.Empty(t, o.Unchecked)
	all := records(t, o.copies)
	behind := []string{
		"4: element 9, 4 bytes, 4 stored", "4: element 2, 96 bytes, 0 stored", "4: element 1, 4 bytes, 0 stored", // counter, table, hidden
		"4: element 9, 4 bytes, 0 stored",                                         // common
		"4: element 1, 256 bytes, 256 stored", "4: element 0, 16 bytes, 0 stored", // a, pairs
		"4: element 0, 16 bytes, 0 stored", "4: element 0, 4 bytes, 0 stored", "4: element 1, 1024 bytes, 0 stored", // raw, colours, pitched
		"4: element 1, 16 bytes, 0 stored", "4: element 0, 2048 bytes, 0 stored", // managed, box
	}
	require.Len(t, all, 3*len(behind)+11)
	// The variables of two translation units are initialised in any order.
	assert.ElementsMatch(t, behind, all[2:2+len(behind)])
	assert.Equal(t, "2 8 8, line 85\n", o.stdout, "each checked launch begins anew, and the last one isn't meant")

	o = run(t, program, []string{EnvCheck + "=1", EnvSnapshots + "=100"})
	assert.Equal(t, "there is not enough host memory to keep the device's", o.Unchecked)
	assert.Len(t, records(t, o.copies), 11)
	assert.Equal(t, "4 16 16, line 85\n", o.stdout, "the program goes on")
}

// nvcc takes the texts without a warning, in the oldest language that counts.
func TestRealNVCCCompilesAllForms(t *testing.T) {
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("there is no nvcc")
	}
	toolkit.CacheDir = ""
	flags := []string{"-std=c++11", "-Xcompiler", "-Wall", "-Xcompiler", "-Wextra", "-Xcompiler", "-Werror", "-Werror", "all-warnings"}
	texts := timed(t, forms(t), "k")
	assert.True(t, strings.HasSuffix(string(texts["other.cu"]), "\nnamespace smux_launch {\nstatic Variable smux_variable_1(::common);\n}\n"))
	r := nvcc.Request{Texts: texts, Units: []string{"forms.cu", "other.cu"}, Arch: "sm_80", Flags: flags}
	require.NoError(t, toolkit.Build(t.Context(), r, nil, nil, filepath.Join(t.TempDir(), "program")))
}
