package verify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/build"
)

// The hooks of the checked build promise the compiler to change few registers. So
// what a kernel holds in them is there after each, also where it reports something.
func TestFindingsLeaveRegistersAlone(t *testing.T) {
	needCompiler(t)
	run := func(mode build.Mode) (stdout, report string) {
		path := filepath.Join(t.TempDir(), "report")
		c := exec.Command(buildProgram(t, "registers.cu", mode))
		c.Env = append(os.Environ(), "SMUX_REPORT="+path)
		out, err := c.Output()
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(out), string(text)
	}
	plain, _ := run(build.Plain)
	checked, report := run(build.Checked)
	require.Equal(t, 8*8, strings.Count(plain, "\n"))
	require.Equal(t, plain, checked)
	for _, code := range []string{"out-of-bounds", "race", "uninitialised", "integer-overflow"} {
		require.Contains(t, report, `"code":"`+code+`"`)
	}
}
