package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline/selection"
)

// TestFeedbackExamplesGetTheirCode runs the commands that the documented examples
// begin with.
func TestFeedbackExamplesGetTheirCode(t *testing.T) {
	suite.OnlyFull(t)
	if _, err := nvcc.Find(); err != nil {
		t.Skip("there is no nvcc")
	}
	command := regexp.MustCompile(`// smux (rewrite .*?kernel\.cu)`)
	for _, code := range []diag.Code{selection.CodeRegisters, selection.CodeOccupancyLost, selection.CodeSpills} {
		t.Run(string(code), func(t *testing.T) {
			doc, ok := diag.Lookup(code)
			require.True(t, ok)
			m := command.FindStringSubmatch(doc.Example)
			require.NotNil(t, m, "the example begins with no command")
			file := filepath.Join(t.TempDir(), "kernel.cu")
			require.NoError(t, os.WriteFile(file, []byte(doc.Example), 0o666))
			args := strings.Fields(strings.ReplaceAll(m[1], "kernel.cu", file))

			var out, errs bytes.Buffer
			assert.Equal(t, diag.ExitDiffers, newSession(strings.NewReader(""), &out, &errs).main(args), errs.String())
			assert.Contains(t, errs.String(), " "+string(code)+": ")
			if code == selection.CodeRegisters {
				assert.NotContains(t, errs.String(), "occupancy-lost")
			}
		})
	}
}
