package stress

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
)

// planned plans to measure the kernel k of a text, by resources that are estimated.
func planned(t *testing.T, text string) (Plan, []string, error) {
	t.Helper()
	p, toolkit := programOf(t, text, "k")
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	from, err := resources.New(c, func() (*nvcc.Toolkit, error) { return toolkit, nil }, resources.Auto, p.Parsed, parser.Options{})
	require.NoError(t, err)
	g, err := gpu.Default().Lookup("a100")
	require.NoError(t, err)
	return NewPlan(p, []string{"9"}, g, from)
}

const twoShapes = `__global__ void k(float *a) { __shared__ float s[256]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[255 - threadIdx.x]; }
int main() { k<<<8, 256>>>(0); k<<<8, 128>>>(0); }
`

func TestAPlanIsForTheFirstLaunchOfAKnownShape(t *testing.T) {
	p, remarks, err := planned(t, twoShapes)
	require.NoError(t, err)
	assert.Equal(t, 256, p.Subject.Threads)
	assert.Equal(t, 256, p.Subject.Demand.Threads)
	assert.Equal(t, 1024, p.Subject.Demand.Shared)
	assert.Equal(t, []string{"9"}, p.Subject.Args)
	assert.NotEmpty(t, p.Subject.Source)
	assert.Greater(t, len(p.Levels), 2)
	assert.NotNil(t, p.Build)
	assert.Equal(t, []string{"k is launched with blocks of several sizes: only those of 256 threads are timed"}, remarks)
}

func TestWhatCanNotBePlannedSaysWhy(t *testing.T) {
	_, _, err := planned(t, "__global__ void k(float *a) { a[0] = 1; }\n")
	assert.ErrorContains(t, err, "k: no launch in view tells its block shape")
	_, _, err = planned(t, strings.ReplaceAll(twoShapes, "float s[256]", "float s[256000]"))
	assert.ErrorContains(t, err, "k on a100: ")
}
