package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/tune/space"
)

const reversed = `#include <cstdio>
#include <cstdlib>

template <int B> __global__ void k(const float *in, float *out, int n, double scale)
{
    __shared__ float tile[B];
    extern __shared__ float more[];
    const int i = blockIdx.x * B + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    more[threadIdx.x] = 1;
    __syncthreads();
    if (i < n) out[i] = tile[B - 1 - threadIdx.x] * scale + more[0];
}

int main(int argc, char **)
{
    const int n = 250;
    float host[n], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host + 64);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host + 64);
    if (argc < 9) k<64><<<4, 64, 256>>>(in, out, n, 2);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[1]);
}
`

// inProgram stops a program at its kernel. The function returns what becomes of a form, which a person wrote.
func inProgram(t *testing.T, m Stopper, p Program) (*Stopped, func(form string, original bool) (Built, error)) {
	t.Helper()
	s, err := m.Stop(t.Context(), p.Original, "k")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, func(form string, original bool) (Built, error) {
		src := ofText(form, original)
		prog, err := p.parse(src.Texts)
		require.NoError(t, err)
		more, err := space.Relaunch(prog, passes.NewProgram(prog, [3]int{}).Kernels()[0], s.Launch())
		require.NoError(t, err)
		src.Launch = &LaunchSource{Texts: more.Program.Texts(), Unit: more.Unit}
		b, err := s.Build(t.Context(), src)
		if err == nil {
			t.Cleanup(b.Release)
		}
		return b, err
	}
}

// judged compares a form with the original.
func judged(t *testing.T, b Built, original Outputs) *record.Failure {
	t.Helper()
	out, err := b.Check(t.Context(), 0)
	if err != nil {
		var f *record.Failure
		require.ErrorAs(t, err, &f)
		return f
	}
	evidence, failure := original.Compare(out)
	if failure == nil {
		assert.Positive(t, evidence.Memory)
	}
	return failure
}

func TestAFormIsMeasuredInTheStoppedProgram(t *testing.T) {
	c := onCPUEngine(t, reversed, Program{Timeout: time.Minute})
	s, build := inProgram(t, c, c.Program)
	l := s.stop
	assert.Equal(t, [3]uint{4, 1, 1}, l.Grid)
	assert.Equal(t, [3]uint{64, 1, 1}, l.Block)
	assert.EqualValues(t, 256, l.Shared)
	assert.True(t, l.Steady)
	assert.True(t, l.Repeatable)
	all := map[string]fault{
		"another order":          {"tile[B - 1 - threadIdx.x] * scale + more[0]", "more[0] + scale * tile[B - 1 - threadIdx.x]", ""},
		"a missed element":       {"if (i < n)", "if (i < n - 1)", "allocation 1: byte 997 is 0x00"},
		"a byte outside":         {"if (i < n)", "if (i == 0) ((char *)(out + n))[5] = 7; if (i < n)", "allocation 1: byte 1005 is 0x07, after the original 0x00"},
		"another form's values":  {"* scale", "* 3", "allocation 1: byte"},
		"an input that changes":  {"if (i < n)", "if (i == 3) const_cast<float *>(in)[3] = 9; if (i < n)", "allocation 0: byte"},
		"a crash":                {"if (i < n)", "if (i == 5) *(volatile int *)8 = 1; if (i < n)", "the program ended in a launch of the form"},
		"memory of its own":      atLaunch("cudaMalloc(&p, 8); cudaFree(p);", ""),
		"a leak":                 atLaunch("cudaMalloc(&p, 8);", "4 allocations are there afterwards, after the original 2"),
		"an allocation less":     atLaunch("if (more_calls++) cudaFree((void *)smux_cpu::parameter<const float *>(arguments[0]));", "1 allocations are there afterwards, after the original 2"),
		"another allocation":     atLaunch("if (more_calls++) cudaFree((void *)smux_cpu::parameter<const float *>(arguments[0])), cudaMalloc(&p, 8);", "allocation 0 is another one"),
		"no work after a launch": {"if (i < n)", "if (i < n && out[i] == 7)", "allocation 1: byte"},
	}
	for n := 1; n <= launchesChecked; n++ {
		all[fmt.Sprintf("a race in launch %d of five", n)] = fault{
			"const int i = blockIdx.x * B + threadIdx.x;", fmt.Sprintf("static int calls; const int i = blockIdx.x * B + threadIdx.x; if (i == 200 && ++calls == %d) n = 99;", n), "allocation 1: byte",
		}
	}
	faults(t, build, reversed, all)
	t.Run("a race in a timed launch", func(t *testing.T) {
		b, err := build(changed(t, reversed, "if (i < n)", "static int calls; if (i == 200 && ++calls > 15) scale = 3; if (i < n)"), false)
		require.NoError(t, err)
		right, err := b.Check(t.Context(), 0)
		require.NoError(t, err)
		for turn, want := range []string{"", "allocation 1: byte 80"} {
			run, err := b.Run(t.Context(), 0, turn)
			require.NoError(t, err)
			_, failure := right.Compare(run.Outputs)
			require.Equal(t, want == "", failure == nil)
			if failure != nil {
				assert.Contains(t, failure.Text, want)
			}
		}
	})
}

// atLaunch changes what a form's launch does on the host, before the kernel's launch and after it.
func atLaunch(does, want string) fault {
	const at = "int main("
	return fault{at, "static int more_calls;\nstatic void more(void **arguments) { void *p = arguments; " + does + " (void)p; }\n#define cudaGetLastError() (more(arguments), cudaSuccess)\n" + at, want}
}

// fault holds a change of a text, and what a check says of it: "" for nothing.
type fault struct{ old, new, want string }

// faults checks forms of a text.
func faults(t *testing.T, build func(string, bool) (Built, error), text string, all map[string]fault) {
	t.Helper()
	original, err := build(text, true)
	require.NoError(t, err)
	reference, err := original.Check(t.Context(), 0)
	require.NoError(t, err)
	assert.Nil(t, judged(t, original, reference))
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			b, err := build(changed(t, text, c.old, c.new), false)
			require.NoError(t, err)
			failure := judged(t, b, reference)
			if c.want == "" {
				require.Nil(t, failure)
				run, err := b.Run(t.Context(), 0, 0)
				require.NoError(t, err)
				require.Len(t, run.Milliseconds, launchesTimed)
				for _, ms := range run.Milliseconds {
					assert.Positive(t, ms)
				}
				return
			}
			require.NotNil(t, failure)
			assert.Contains(t, failure.Text, c.want)
			assert.Nil(t, judged(t, original, reference), "the program is whole again")
		})
	}
}

func TestAFormThatDoesNotEndIsEnded(t *testing.T) {
	c := onCPUEngine(t, reversed, Program{Timeout: 3 * time.Second})
	_, build := inProgram(t, c, c.Program)
	b, err := build(changed(t, reversed, "if (i < n)", "while (*(volatile int *)&n) ; if (i < n)"), false)
	require.NoError(t, err)
	_, err = b.Check(t.Context(), 0)
	var f *record.Failure
	require.ErrorAs(t, err, &f)
	assert.Contains(t, []record.FailureKind{record.FailedTimeout, record.FailedCrash}, f.Kind)
}

func TestALaunchThatShowsNothingIsNotTaken(t *testing.T) {
	for name, of := range map[string]struct{ text, want string }{
		"no launch":    {strings.Replace(reversed, "argc < 9", "argc > 9", 1), replay.ErrNoLaunch.Error()},
		"no change":    {strings.Replace(reversed, "if (i < n) out", "if (i < 0) out", 1), "changes no memory"},
		"by a call":    {strings.Replace(reversed, "k<64><<<4, 64, 256>>>(in, out, n, 2)", "{ double two = 2; int m = n; void *args[] = {&in, &out, &m, &two}; cudaLaunchKernel((void *)k<64>, 4, 64, args, 256, 0); }", 1), "by a call"},
		"a crash":      {strings.Replace(reversed, "int main(int argc, char **)\n{", "int main(int argc, char **)\n{ abort();", 1), "ended before the launch"},
		"random order": {strings.Replace(reversed, "if (i < n) out", "static int calls; if (i == 0) out[n] = ++calls; if (i < n) out", 1), "leave other results"},
	} {
		t.Run(name, func(t *testing.T) {
			c, want := onCPUEngine(t, of.text, Program{Timeout: time.Minute}), of.want
			_, err := c.Stop(t.Context(), c.Program.Original, "k")
			require.ErrorContains(t, err, want)
		})
	}
}
