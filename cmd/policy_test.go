package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
)

// rewriteText rewrites a file with the model's choice, or as more flags say, and
// returns the text and the messages.
func rewriteText(t *testing.T, src string, more ...string) (text, messages string, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(src), 0o666))
	var out, errs bytes.Buffer
	s := newSession(strings.NewReader(""), &out, &errs)
	s.nvidiaSMI, s.findNVCC = fakeNVIDIASMI, noNVCC
	code = s.main(append([]string{"rewrite", "--gpu", "gtx480@16", "--resources", "estimate", file}, more...))
	return out.String(), strings.ReplaceAll(errs.String(), file, "k.cu"), code
}

// above puts a comment above each kernel of a text.
func above(t *testing.T, src, comment string) string {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	out := src
	for i := len(f.Functions) - 1; i >= 0; i-- {
		if fn := f.Functions[i]; fn.IsKernel() && fn.Body != nil {
			at := strings.LastIndex(src[:min(fn.Start, int(fn.Outer.Start))], "\n") + 1
			out = out[:at] + comment + "\n" + out[at:]
		}
	}
	require.NotEqual(t, src, out)
	return out
}

func TestIgnoresChangeMessagesAlone(t *testing.T) {
	for _, name := range []string{"tp", "rd"} {
		files, err := filepath.Glob("../examples/" + name + "/*.cu")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		src, err := os.ReadFile(files[0])
		require.NoError(t, err)
		var others []string // of all codes but the one that asks for something
		for _, d := range diag.Docs() {
			if diag.Ignorable(d.Code) && d.Code != config.Chosen {
				others = append(others, string(d.Code))
			}
		}
		comment := "// smux:ignore " + strings.Join(others, ",") + " a test"
		want, _, _ := rewriteText(t, string(src))
		got, messages, code := rewriteText(t, above(t, string(src), comment))
		assert.Equal(t, want, strings.ReplaceAll(got, comment+"\n", ""), name)
		assert.Zero(t, code)
		assert.NotContains(t, messages, "k.cu:1:", "nothing else is told of kernels")

		comment = "// smux:ignore chosen a test"
		marked := above(t, string(src), comment)
		got, messages, code = rewriteText(t, marked)
		assert.Equal(t, marked, got, "left alone")
		assert.NotContains(t, messages, "chosen")
		assert.Zero(t, code)
	}
}

func TestAPinOfWhatIsChosenChangesMessagesAlone(t *testing.T) {
	const tall = `#include <cstdio>
__global__ void tall(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
void run(float *a, float *b) { tall<<<10000, 64>>>(a, b, 64); }
`
	want, messages, _ := rewriteText(t, tall)
	_, after, found := strings.Cut(messages, `kernel "tall": `)
	way, _, chosen := strings.Cut(after, " for ")
	require.True(t, found && chosen, messages)
	pin := "// smux:pin " + way
	got, messages, code := rewriteText(t, above(t, tall, pin))
	assert.Equal(t, want, strings.Replace(got, pin+"\n", "", 1))
	assert.Contains(t, messages, "pinned: kernel \"tall\": "+way)
	assert.Zero(t, code)
}
