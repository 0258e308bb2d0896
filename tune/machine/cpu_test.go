package machine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/build"
)

// onCPUEngine is the machine for a program.
func onCPUEngine(t *testing.T, text string, p Program) *CPU {
	t.Helper()
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	p.Original, p.Kernels = map[string][]byte{"p.cu": []byte(text)}, []string{"k"}
	c, err := NewCPU(p, "a100")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// ofText is a form that a person wrote.
func ofText(text string, original bool) Source {
	s := Source{Texts: map[string][]byte{"p.cu": []byte(text)}}
	if !original {
		s.Candidate.Blocks = 1
	}
	return s
}

// changed is a text with something else in a place.
func changed(t *testing.T, text, old, new string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, old), old)
	return strings.Replace(text, old, new, 1)
}

func TestTheCPUEngineTimesAProgram(t *testing.T) {
	c := onCPUEngine(t, program, Program{})
	assert.Equal(t, "cpu", c.About().On)
	assert.NotEmpty(t, c.About().Toolkit)
	assert.Equal(t, []int{0}, c.Devices())
	assert.Nil(t, c.State(t.Context(), 0))
	b := built(t, c, ofText(program, true))
	first, err := b.Run(t.Context(), 0, 0)
	require.NoError(t, err)
	again, err := b.Run(t.Context(), 0, 1)
	require.NoError(t, err)
	require.Len(t, first.Milliseconds, 1)
	assert.Positive(t, first.Milliseconds[0])
	assert.NotEqual(t, first.Milliseconds, again.Milliseconds, "real times, not the engine's own")
	seen, failure := first.Outputs.Compare(again.Outputs)
	assert.Nil(t, failure)
	assert.Equal(t, record.Evidence{Copies: 1, Bytes: 4000, Lines: 1}, seen)

	checked, err := b.Check(t.Context(), 0)
	require.NoError(t, err)
	once, err := b.Check(t.Context(), 0)
	require.NoError(t, err)
	seen, failure = checked.Compare(once)
	assert.Nil(t, failure)
	assert.Equal(t, record.Evidence{Copies: 1 + 4*2, Bytes: 4000 + 4*8000, Lines: 1, Memory: 4000 + 4*4000}, seen, "all memory behind each launch")
	for _, o := range []Outputs{first.Outputs, again.Outputs, checked, once} {
		o.Release()
		assert.NoDirExists(t, o.(*Files).dir)
	}
}

func TestWhatGoesWrongOnTheCPUEngineHasAKind(t *testing.T) {
	c := onCPUEngine(t, program, Program{Timeout: 2 * time.Second})
	for name, x := range map[string]struct {
		old, new string
		want     record.FailureKind
		text     string
	}{
		"it does not compile":      {"v + i;", "v + nothing;", record.FailedCompile, "p.cu:9: "},
		"it ends with an error":    {"return 0;", `fprintf(stderr, "no luck\n"); return 3;`, record.FailedRun, "it ends with exit status 3: no luck"},
		"it crashes":               {"out[i] = v + i;", "if (i == 7) *(volatile int *)16 = 1; out[i] = v + i;", record.FailedCrash, "p.cu:9: "},
		"blocks can't be merged":   {"return 0;", `fprintf(stderr, "smux: 8 blocks of 512x1x1 threads can't be merged\n"); abort();`, record.FailedRewrite, "it can't merge 8 blocks of 512x1x1 threads"},
		"it hangs":                 {"printf(", "for (volatile int on = 1; on;) {} printf(", record.FailedTimeout, "it did not end within 2s"},
		"it launches nothing":      {"turn < 4", "turn < 0", record.FailedUntimed, "it did not launch the kernel"},
		"a block is too large":     {"(n + 63) / 64, 64", "1, 2048", record.FailedResources, tooMuch},
		"a launch is out of sight": {"k<<<(n + 63) / 64, 64>>>(in, out, n, work)", "(void)work", record.FailedUntimed, "no launch of k is in view"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := c.Build(t.Context(), ofText(changed(t, program, x.old, x.new), false))
			if err == nil {
				_, err = b.Run(t.Context(), 0, 0)
			}
			var failure *record.Failure
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, x.want, failure.Kind, failure.Text)
			assert.Contains(t, failure.Text, x.text)
		})
	}
}

func TestARunEndsWithItsContext(t *testing.T) {
	c := onCPUEngine(t, program, Program{})
	b := built(t, c, ofText(changed(t, program, "printf(", "for (volatile int on = 1; on;) {} printf("), true))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := b.Run(ctx, 0, 0)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
