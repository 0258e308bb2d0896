package tune_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/verify/build"
)

// TestEveryFormOfTheExamplesIsEqualInTheStoppedProgram measures all forms of all kernels, each with one pair.
func TestEveryFormOfTheExamplesIsEqualInTheStoppedProgram(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	var paths []string
	for _, pattern := range []string{"../examples/*/*.cu", "../examples/*/*/*.cu"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	kernels, stopped, forms := 0, 0, 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 27)
			s, said := newSession(t)
			s.Load, s.On, s.Strategy, s.Budget = loading(s.Console, path, "a100"), tune.OnCPU, search.Exhaustive{}, tune.Budget{}
			s.Rules.MinPairs, s.Rules.MaxPairs, s.Rules.MinGain = 1, 1, 1e9 // nothing is to be confirmed
			found, err := s.Measure()
			require.NoError(t, err, said)
			for _, v := range found.Verdicts {
				kernels++
				forms += len(v.Rows)
				if v.Subject.How.Stopped {
					stopped++
				}
				for _, row := range v.Rows {
					assert.Nil(t, row.Failure, "%s: %s", v.Subject.Kernel, row.Name)
				}
				t.Logf("%s %s: stopped %v, %d forms", name, v.Subject.Kernel, v.Subject.How.Stopped, len(v.Rows))
			}
			for _, line := range strings.Split(said.String(), "\n") {
				if strings.Contains(line, "each time is that") || strings.Contains(line, "no other form") {
					t.Log(line)
				}
			}
		})
	}
	t.Logf("%d kernels, %d of them stopped at, with %d forms", kernels, stopped, forms)
}
