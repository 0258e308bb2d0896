package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/model/workload"
)

// What goes to which unit, by the difference that one more operation makes.
func TestInstructionsGoToTheUnitsOfTheirTypes(t *testing.T) {
	work := func(body string) workload.Work {
		w, _ := workload.Total(ofSource(t, "__global__ void k(float *a, double *d, int *n) { int i = threadIdx.x; "+body+" }\nvoid go(float *a, double *d, int *n) { k<<<1, 32>>>(a, d, n); }").Body)
		return w
	}
	for name, c := range map[string]struct {
		without, with string
		more          workload.Work
	}{
		"single":              {"a[i] = a[i] + a[i + 64];", "a[i] = (a[i] + a[i + 64]) * a[i + 64];", workload.Work{Issue: 1, Float: 1}},
		"multiply and add":    {"a[i] = a[i] * a[i + 64];", "a[i] = a[i] * a[i + 64] + a[i];", workload.Work{}},
		"double":              {"d[i] = d[i] + d[i + 64];", "d[i] = (d[i] + d[i + 64]) * d[i + 64];", workload.Work{Issue: 1, Double: 1}},
		"whole numbers":       {"n[i] = n[i] + n[i + 64];", "n[i] = (n[i] + n[i + 64]) ^ n[i + 64];", workload.Work{Issue: 1, Integer: 1}},
		"their product":       {"n[i] = n[i] + n[i + 64];", "n[i] = (n[i] + n[i + 64]) * n[i + 64];", workload.Work{Issue: 1, Float: 1}},
		"widened and back":    {"a[i] = a[i] + 1.0f;", "a[i] = a[i] + 1.0;", workload.Work{Issue: 2, Float: -1, Double: 3, Special: 2}},
		"a number made float": {"a[i] = a[i] + a[i + 64];", "a[i] = a[i] + n[i];", workload.Work{Issue: 1, Special: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := work(c.with).Add(work(c.without).Scale(-1))
			got.Loads, got.Again, got.Stores, got.Waits = 0, 0, 0, 0
			assert.Equal(t, c.more, got)
		})
	}
}
