package pipeline

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
)

// TestLimitsAreThoseOfTheStudy: the limits that are found quickly are those that the whole study finds later.
func TestLimitsAreThoseOfTheStudy(t *testing.T) {
	for _, glob := range []string{"../examples/fft/*.cu", "../examples/h*/*.cu", "../testdata/baseline/*.cu"} {
		j, said := jobOf(t, glob, rewrite.Options{})
		c, err := j.Study(false)
		require.NoError(t, err)
		want := c.Analyze(j.Options)
		for _, jobs := range []int{1, 2, 3} {
			j, _ := jobOf(t, glob, rewrite.Options{})
			got, err := j.Limits(jobs)
			require.NoError(t, err)
			require.Len(t, got.Kernels, len(want.Kernels), said)
			for i, k := range want.Kernels {
				assert.Equal(t, k.Position, got.Kernels[i].Position)
				assert.Equal(t, k.Launches, got.Kernels[i].Launches)
				require.NotNil(t, got.Kernels[i].Model)
				assert.Equal(t, len(k.Model.Originals), len(got.Kernels[i].Model.Originals), k.Name)
				for n := range k.Model.Originals {
					assert.Equal(t, k.Model.Originals[n].Standing, got.Kernels[i].Model.Originals[n].Standing, k.Name)
				}
			}
		}
	}
}
