package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/suite"
	"github.com/smux-cuda/smux/verify/build"
)

// TestExamplesOfOpenACCDoWhatTheyDoAsC translates each program of examples/acc and compares
// it with the C program, in several orders and with all checks; nvcc has nothing to say of it.
func TestExamplesOfOpenACCDoWhatTheyDoAsC(t *testing.T) {
	names, err := filepath.Glob("../examples/acc/*.c")
	require.NoError(t, err)
	require.Greater(t, len(names), 12)
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".c")
		t.Run(base, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), base+".cu")
			smux := func(words ...string) (int, string) {
				var said bytes.Buffer
				s := newSession(strings.NewReader(""), &said, &said)
				s.findNVCC = noNVCC
				code := s.main(words)
				return code, said.String()
			}
			code, said := smux("acc", name, "-o", out)
			if base == "refused" {
				assert.Equal(t, diag.ExitUsage, code)
				assert.Contains(t, said, "acc-call: a kernel calls change")
				assert.NoFileExists(t, out)
				return
			}
			require.Equal(t, diag.ExitOK, code, said)
			suite.Sample(t, base, 4)
			if nvcc, err := exec.LookPath("nvcc"); err == nil {
				c := exec.Command(nvcc, "-arch=sm_70", "-Xcompiler", "-Wall,-Wextra", "-c", "-o", os.DevNull, out)
				text, err := c.CombinedOutput()
				assert.NoError(t, err)
				assert.Empty(t, string(text))
			}
			if _, err := build.Find(""); err != nil {
				t.Skip("no C++ compiler here")
			}
			code, said = smux("verify", "--order", "ascending,descending,random", name, out)
			assert.Equal(t, diag.ExitOK, code, said)
		})
	}
}
