package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

const turns = `
__global__ void turns(const float *in, float *out) {
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
void run(const float *in, float *out, int blocks) { turns<<<blocks, 64>>>(in, out); }
`

// A rewrite is proved of the text that is emitted: of one that is wrong nothing is said to be, and runs are told as
// what they are.
func TestAWrongTextIsNotProved(t *testing.T) {
	prog := cudatest.Program(t, "k.cu", turns)
	done, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named"}})
	require.NoError(t, err)
	require.Len(t, done.Files, 1)
	judge := func(change func([]byte) []byte, ran string, measured ...Evidence) (*Judgement, *validate.Certified) {
		file := done.Files[0]
		file.After = change(file.After)
		k := Kernel{KernelReport: summary.KernelReport{Name: "turns", Position: done.Kernels[0].Pos}, Result: &done.Kernels[0], Evidence: measured}
		p := Program{Kernels: []Kernel{k}, Changed: []rewrite.FileResult{file}}
		certified := p.Judge(prog, ran)
		return p.Kernels[0].Judgement, certified
	}
	same := func(text []byte) []byte { return text }
	wrong := func(text []byte) []byte {
		out := bytes.Replace(text, []byte("vtb.release();"), nil, 1)
		require.NotEqual(t, text, out)
		return out
	}
	j, certified := judge(same, "")
	assert.Equal(t, "proved for block 64", j.Text())
	require.Len(t, certified.Kernels, 1)

	j, _ = judge(wrong, "")
	assert.Equal(t, NotShown, j.Verdict)
	assert.Regexp(t, `^not proved: turns: .* \(line \d+ of the result\)$`, j.Text())
	j, _ = judge(wrong, "it ran")
	assert.Equal(t, Tested, j.Verdict)
	assert.Regexp(t, `^tested: it ran; not proved for all inputs: turns: `, j.Text())
	way := done.Kernels[0].Variant.String()
	j, _ = judge(wrong, "", Evidence{Form: way, Correct: OutputsEqual, Device: "T4"})
	assert.Equal(t, Tested, j.Verdict)
	for _, no := range []Evidence{{Form: way, Correct: "outputs not compared"}, {Form: "another", Correct: OutputsEqual}} {
		j, _ = judge(wrong, "", no)
		assert.Equal(t, NotShown, j.Verdict)
	}

	// A certificate is about exactly these texts, and about kernels that it names.
	proof := &validate.Certificate{Programs: []validate.Certified{*certified}}
	claims := func(text, kernel string) bool {
		p := Program{Kernels: []Kernel{{KernelReport: summary.KernelReport{Name: kernel}}}}
		return p.Claim(cudatest.Program(t, "k.cu", text), "proof.json", proof)
	}
	now := string(done.Files[0].After)
	assert.True(t, claims(now, "turns"))
	assert.False(t, claims(now, "others"))
	assert.False(t, claims(turns, "turns"), "this is the text that it was made from")
	assert.False(t, claims(now+"\n", "turns"))
}
