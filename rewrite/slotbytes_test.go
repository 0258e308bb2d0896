package rewrite

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// slots is a proof that asks for words of threads, and changes nothing in the kernel.
type slots struct{ kit.Findings }

func (p *slots) Apply() *kit.Edits { return &kit.Edits{} }
func (p *slots) String() string    { return "slots" }

func (p *slots) Runtime() []runtime.Part { return []runtime.Part{runtime.SlotBytes} }

// planSlots rewrites the launches of a program's kernel as if it had three words per
// thread in dynamic shared memory.
func planSlots(t *testing.T, src string) (string, []diag.Message) {
	read := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{ReadFile: read})
	require.NoError(t, err)
	prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
	kernels := prog.Kernels()
	opt := Options{Variant: Variant{Rewriter: "demote", Recipe: "pin=i"}}.WithDefaults()
	r := newRun(prog, opt)
	p := &slots{kit.NewFindings(kernels[0], "demote", opt)}
	p.SlotWords = 3
	l := &merge.LaunchProof{Sources: r.Sources, Name: kernels[0].Name, Proofs: []Proof{p}}
	l.CheckGuarded()
	res := &Result{}
	require.NoError(t, r.emit([]applied{{p, &kit.Edits{}}}, l.Apply(), res))
	if len(res.Files) == 0 {
		return "", l.Reasons
	}
	return string(res.Files[0].After), l.Reasons
}

const slotKernel = "static __global__ void k(float *a) { __shared__ float s[4]; int i = threadIdx.x; s[0] = a[i]; }\n"

func TestLaunchesAskForSlots(t *testing.T) {
	text, reasons := planSlots(t, slotKernel+`void run(float *a, dim3 b, int n, cudaStream_t st) {
    k<<<1, b>>>(a);
    k<<<n / 64, dim3(16, 4), 11000 * 4, st>>>(a);
    k<<<1, smux::block<2, 32>(b)>>>(a);
}
`)
	assert.Empty(t, reasons)
	assert.Contains(t, text, "k<<<1, b, smux::slot_bytes<3, 16>(b)>>>(a);")
	assert.Contains(t, text, "k<<<n / 64, dim3(16, 4), smux::slot_bytes<3, 16>(dim3(16, 4), 11000 * 4), st>>>(a);")
	assert.Contains(t, text, "k<<<1, smux::block<2, 32>(b), smux::slot_bytes<3, 16>(smux::block<2, 32>(b))>>>(a);")
	assert.Contains(t, text, "template <int W, int S = 0> size_t slot_bytes(")
	assert.NotContains(t, text, "SMUX_CUH", "the rest of the runtime, which an earlier rewrite may have left there")
	assert.NotContains(t, text, "smux:slot_bytes-begin")
}

func TestLaunchesThatCantAskForSlotsAreRefused(t *testing.T) {
	for launch, code := range map[string]diag.Code{
		"int next(); void run(float *a) { k<<<1, next()>>>(a); }":                                                                     merge.CodeLaunch,
		"void run(float *a) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); k<<<1, 64, 65536>>>(a); }": kit.CodeSharedSize,
		"void run(float *a) { void *p = (void *)k; k<<<1, 64>>>(a); }":                                                                CodeKernelAddress,
		"": kit.CodeNoLaunch,
	} {
		_, reasons := planSlots(t, slotKernel+launch)
		if assert.NotEmpty(t, reasons, launch) {
			assert.Equal(t, code, reasons[0].Code, launch)
		}
	}
}
