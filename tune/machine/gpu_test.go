//go:build unix

package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/record"
)

// standIn is a shell script in the place of nvcc. Its programs are shell scripts,
// too: what follows "//$ " in a unit. It refuses a unit with what follows "//! ".
const standIn = `#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release 12.9, V12.9.1"; exit;;
--list-gpu-code) echo sm_80; exit;;
esac
echo "$@" >> "$(dirname "$0")/asked"
while [ $# -gt 0 ]; do
  case "$1" in
  -o) out=$2; shift;;
  *.cu) unit=$1;;
  esac
  shift
done
said=$(sed -n 's|^//! ||p' "$unit")
if [ "$said" ]; then echo "$said" | sed "s|UNIT|$unit|" >&2; exit 2; fi
{ echo '#!/bin/sh'
  echo 'took() { echo "launch $1 2 64 0" >>"$SMUX_LAUNCH_OUT"; }'
  echo 'fails() { echo "$1" >>"$SMUX_LAUNCH_OUT"; }'
  sed -n 's|^//\$ ||p' "$unit"; } > "$out"
chmod +x "$out"
`

const kernelText = "__global__ void k(float *a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n"

// standInGPU is a machine with two devices whose nvcc is the script.
func standInGPU(t *testing.T, p Program) *GPU {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nvcc")
	require.NoError(t, os.WriteFile(path, []byte(standIn), 0o755))
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	devices, err := FindDevices(t.Context(), says(twoAndOne), "0,1")
	require.NoError(t, err)
	p.Original, p.Kernels, p.Parse.Defines = map[string][]byte{"p.cu": []byte(kernelText)}, []string{"k"}, []string{"X=1"}
	g, err := NewGPU(p, GPUOptions{Toolkit: nvcc.At(path), Arch: "sm_80", GPU: "a100", SMI: says("1410, 1593, 41, 0x0"), Use: devices})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, g.Close())
		left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
		require.NoError(t, err)
		assert.Empty(t, left, "nothing stays behind")
	})
	return g
}

// form is a program that the stand-in makes of a script.
func form(script string) Source {
	s := Source{Texts: map[string][]byte{"p.cu": []byte(kernelText)}}
	for line := range strings.Lines(strings.TrimSpace(script)) {
		s.Texts["p.cu"] = append(s.Texts["p.cu"], "//$ "+strings.TrimRight(line, "\n")+"\n"...)
	}
	return s
}

func built(t *testing.T, m Machine, s Source) Built {
	t.Helper()
	b, err := m.Build(t.Context(), s)
	require.NoError(t, err)
	return b
}

func TestAGPUIsWhatNVIDIASMISays(t *testing.T) {
	g := standInGPU(t, Program{})
	assert.Equal(t, record.Machine{On: "gpu", GPU: "a100", Device: "NVIDIA A100-SXM4-80GB", Driver: "535.54.03", Toolkit: "nvcc 12.9"}, g.About())
	assert.Equal(t, []int{0, 1}, g.Devices())
	assert.Equal(t, &record.State{ClockSM: 1410, ClockMemory: 1593, Temperature: 41}, g.State(t.Context(), 1))
}

func TestARunIsHeldToItsDevice(t *testing.T) {
	t.Setenv("SMUX_LAUNCH_FLUSH", "7") // a person's own has no part in it
	t.Setenv("SMUX_LAUNCH_BYTES", "7")
	dir := t.TempDir()
	g := standInGPU(t, Program{Args: []string{"a b", "$c"}, Dir: dir, FlushL2: 4096})
	b := built(t, g, form(`took 1.5
took 0.25
echo "$CUDA_VISIBLE_DEVICES $SMUX_LAUNCH_FLUSH $SMUX_LAUNCH_HOLD $SMUX_LAUNCH_BYTES $SMUX_LAUNCH_CHECK $SMUX_BENCH_REPEAT"
printf '%s|' "$@"; pwd; cat`))
	run, err := b.Run(t.Context(), 1, 0)
	require.NoError(t, err)
	assert.Equal(t, []float64{1.75}, run.Milliseconds)
	assert.Positive(t, run.Seconds)
	text, err := os.ReadFile(run.Outputs.(*Files).path(StdoutFile))
	require.NoError(t, err)
	assert.Equal(t, "GPU-ab 4096 5000   \na b|$c|"+dir+"\n", string(text))
	checked, err := b.Check(t.Context(), 0)
	require.NoError(t, err)
	text, err = os.ReadFile(checked.(*Files).path(StdoutFile))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "GPU-aa    2 \n"), "%s", text)
	run.Outputs.Release()
	checked.Release()
	_, err = b.Run(t.Context(), 2, 0)
	assert.Error(t, err, "no device of this machine")
}

func TestRepetitionsOfAKernelAlone(t *testing.T) {
	g := standInGPU(t, Program{Repeats: 2, WarmUp: 1})
	run, err := built(t, g, form(`echo $SMUX_BENCH_REPEAT
for i in 9 9 1 2 3 4; do took $i; done`)).Run(t.Context(), 0, 0)
	require.NoError(t, err)
	assert.Equal(t, []float64{3, 7}, run.Milliseconds)
	text, err := os.ReadFile(run.Outputs.(*Files).path(StdoutFile))
	require.NoError(t, err)
	assert.Equal(t, "3\n", string(text))
	_, err = built(t, g, form("took 1; took 2")).Run(t.Context(), 0, 0)
	assert.Equal(t, record.FailedUntimed, kindOf(t, err))
}

// kindOf is the kind of a failure.
func kindOf(t *testing.T, err error) record.FailureKind {
	t.Helper()
	var f *record.Failure
	require.ErrorAs(t, err, &f)
	return f.Kind
}

func TestWhatGoesWrongWithARunHasAKind(t *testing.T) {
	g := standInGPU(t, Program{Timeout: time.Second})
	for script, want := range map[string]record.Failure{
		"":                                  {Kind: record.FailedUntimed, Text: "it did not launch the kernel, or asked for it with a CUDA error pending"},
		"fails captured":                    {Kind: record.FailedUntimed, Text: "a launch is captured into a graph, which can't be timed"},
		"took 1; echo 'odd: 3' >&2; exit 4": {Kind: record.FailedRun, Text: "it ends with exit status 4: odd: 3"},
		"echo 'Test failed!'; exit 1":       {Kind: record.FailedRun, Text: `it ends with exit status 1, after "Test failed!"`},
		"echo \"smux: 8 blocks of 512x1x1 threads can't be merged\" >&2; kill -ABRT $$": {Kind: record.FailedRewrite,
			Text: "the form is not for the launches of this run: it can't merge 8 blocks of 512x1x1 threads; a signal ends it: aborted: smux: 8 blocks of 512x1x1 threads can't be merged"},
		"kill -SEGV $$":                 {Kind: record.FailedCrash, Text: "a signal ends it: segmentation fault"},
		"sleep 30 & sleep 30":           {Kind: record.FailedTimeout, Text: "it did not end within 1s"},
		"fails cudaErrorIllegalAddress": {Kind: record.FailedCrash, Text: gone + ": an illegal memory access was encountered (cudaErrorIllegalAddress)"},
		"echo 'CUDA error: an illegal memory access was encountered' >&2; exit 1": {Kind: record.FailedCrash,
			Text: gone + ": an illegal memory access was encountered (cudaErrorIllegalAddress); it ends with exit status 1: CUDA error: an illegal memory access was encountered"},
		"fails cudaErrorLaunchOutOfResources; echo 'failed' >&2; exit 1": {Kind: record.FailedResources, Text: tooMuch + ": too many resources requested for launch (cudaErrorLaunchOutOfResources)"},
		"fails cudaErrorInvalidConfiguration":                            {Kind: record.FailedResources, Text: tooMuch + ": invalid configuration argument (cudaErrorInvalidConfiguration)"},
		"fails cudaErrorInvalidValue":                                    {Kind: record.FailedResources, Text: tooMuch + ", of shared memory as a rule (cudaErrorInvalidValue)"},
		"fails cudaErrorNoKernelImageForDevice": {Kind: record.FailedRun,
			Text: "the program holds no code for this GPU: it was compiled for sm_80; no kernel image is available for execution on the device (cudaErrorNoKernelImageForDevice)"},
	} {
		_, err := built(t, g, form(script)).Run(t.Context(), 0, 0)
		var got *record.Failure
		require.ErrorAs(t, err, &got, script)
		assert.Equal(t, want, *got, script)
	}
	_, err := built(t, g, form("fails cudaErrorAssert")).Check(t.Context(), 0)
	assert.Equal(t, record.FailedCrash, kindOf(t, err))
	left, err := filepath.Glob(filepath.Join(g.dir, "run-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "outputs of failed runs are removed")
}

func TestWhatNVCCRefusesNamesTheUsersLine(t *testing.T) {
	g := standInGPU(t, Program{})
	for said, want := range map[string]record.Failure{
		`UNIT(4): error: identifier "x" is undefined`:                                              {Kind: record.FailedCompile, Text: `p.cu:2: identifier "x" is undefined`},
		"ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)": {Kind: record.FailedResources, Text: "p.cu: Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)"},
		"nvcc fatal   : Value 'sm_999' is not defined for option 'gpu-architecture'":               {Kind: record.FailedCompile, Text: "p.cu: Value 'sm_999' is not defined for option 'gpu-architecture' (this nvcc doesn't know the architecture; nvcc --list-gpu-code lists those that it knows)"},
	} {
		// Two lines were added in front of what is refused.
		_, err := g.Build(t.Context(), Source{Texts: map[string][]byte{"p.cu": []byte("// one\n// two\n" + kernelText + "//! " + said + "\n")}})
		var got *record.Failure
		require.ErrorAs(t, err, &got, said)
		assert.Equal(t, want, *got)
	}
	_, err := g.Build(t.Context(), Source{Texts: map[string][]byte{"p.cu": []byte("__global__ void other() {}\n")}})
	assert.Equal(t, record.FailedUntimed, kindOf(t, err))
}

func TestFlagsOfAFormReachNVCC(t *testing.T) {
	g := standInGPU(t, Program{Libraries: []string{"m"}, Further: []string{"more.o"}})
	s := form("took 1")
	s.Flags = []string{"-maxrregcount=32"}
	built(t, g, s)
	asked, err := os.ReadFile(filepath.Join(filepath.Dir(g.Toolkit.Path), "asked"))
	require.NoError(t, err)
	for _, flag := range []string{"-arch=sm_80", "-DX=1", "-maxrregcount=32", "-lm", "/more.o"} {
		assert.Contains(t, string(asked), flag)
	}
}

func TestNoNVCC(t *testing.T) {
	devices := []Device{{Name: "Tesla T4"}}
	_, err := NewGPU(Program{}, GPUOptions{Toolkit: nvcc.At(filepath.Join(t.TempDir(), "nvcc")), Use: devices})
	require.ErrorContains(t, err, "asking nvcc for its version")
	var failure *record.Failure
	assert.False(t, errors.As(err, &failure), "that is nobody's form's fault")
}

func TestAnInterruptIsNoFailure(t *testing.T) {
	g := standInGPU(t, Program{})
	started := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := built(t, g, form("echo > "+started+"; sleep 60"))
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := b.Run(ctx, 0, 0)
	assert.ErrorIs(t, err, context.Canceled)
}
