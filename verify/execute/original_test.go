package execute_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// trapping ends in a trap on a line that the translation makes longer in front
// of it, in a function that is called on such a line.
const trapping = `__device__ void fail(int *p) {
    __shared__ int word[4]; word[0] = *p; __trap();
}
__global__ void kernel(int *p) {
    fail(p);
}
int main() {
    int *p;
    cudaMallocManaged(&p, 4); kernel<<<1, 32>>>(p); cudaDeviceSynchronize();
}
`

func TestPlacesAreThoseOfTheTextBeforeItsTranslation(t *testing.T) {
	c, err := build.Find("")
	if err != nil {
		t.Skip(err)
	}
	tools, err := build.Open(c, "")
	require.NoError(t, err)
	defer tools.Close()
	for _, mode := range []build.Mode{build.Plain, build.Checked} {
		t.Run(string(mode), func(t *testing.T) {
			file, err := parser.Parse("trap.cu", []byte(trapping), parser.Options{})
			require.NoError(t, err)
			dir := t.TempDir()
			unit, err := translate.Translate(file, nil, translate.Options{Dir: dir})
			require.NoError(t, err)
			require.NotContains(t, string(unit.Files[0].Text), "__shared__ int", "the translation has moved what follows")
			p, err := tools.Build(context.Background(), build.Request{Units: []*translate.Unit{unit}, Mode: mode, Dir: filepath.Join(dir, "out")})
			require.NoError(t, err)

			r, err := execute.Run(context.Background(), p, execute.Options{Timeout: time.Minute})
			require.NoError(t, err)
			assert.Equal(t, execute.ExitFatal, r.Exit)
			require.NotNil(t, r.End)
			assert.True(t, r.End.Fatal)
			require.Len(t, r.Report, 1)
			f := r.Report[0]
			assert.Equal(t, "trap", string(f.Code))
			assert.Equal(t, "kernel", f.Kernel)

			lines := strings.Split(trapping, "\n")
			require.Len(t, f.Frames, 3)
			for i, want := range []struct{ function, line, begin string }{
				{"fail", lines[1], "__trap"}, {"kernel", lines[4], "fail"}, {"launch", lines[8], "kernel"},
			} {
				at := f.Frames[i]
				assert.True(t, strings.HasPrefix(at.Function, want.function), at.Function)
				assert.Equal(t, "trap.cu", at.File)
				assert.Equal(t, want.line, lines[at.Line-1])
				begin := strings.Index(want.line, want.begin) + 1
				assert.GreaterOrEqual(t, at.Column, begin)
				assert.LessOrEqual(t, at.Column, begin+len(want.begin)+8)
			}
		})
	}
}
