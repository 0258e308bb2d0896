package pipeline

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// groupOf is the choice for a text with one group of kernels, under settings.
func groupOf(t *testing.T, src string, ask Ask) *Choice {
	t.Helper()
	parsed := cudatest.Program(t, "k.cu", src)
	ask.Directives = config.ReadDirectives(parsed)
	ask.GPUs = func(bool) ([]*gpu.GPU, error) { return nil, errors.New("no model is asked") }
	j := &Job{Console: console.New(nil, io.Discard, io.Discard), Program: parsed, Ask: ask}
	c := &Choice{Program: j.Analysed(), Kernels: j.Analysed().Kernels()}
	c.Groups = rewrite.Groups(c.Program, c.Kernels, j.Options)
	c.Reports = make([]*selection.Report, len(c.Groups))
	require.Len(t, c.Groups, 1)
	c.askPreferences(j.Ask, j.Options)
	return c
}

const swap = `__global__ void swap(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { swap<<<100, 64>>>(a); }
`

func TestADirectiveGoesBeforeTheSettings(t *testing.T) {
	gain := 20.0
	at := diag.Position{File: ".smux.yaml", Line: 12, Column: 3}
	entry := func(k config.Kernel) *config.Settings {
		k.Pos = at
		return &config.Settings{Kernels: []config.Kernel{{Name: "other", Leave: "not this one"}, k, {Name: "*", Leave: "nor this"}}}
	}
	for name, tt := range map[string]struct {
		src      string
		settings *config.Settings
		way      string
		why      string
	}{
		"no request":         {swap, nil, "", ""},
		"a pin":              {swap, entry(config.Kernel{Name: "sw*", Pin: "vtb-block N=4"}), "vtb block N=4", "pinned: vtb block N=4, pinned at .smux.yaml:12:3"},
		"a request to leave": {swap, entry(config.Kernel{Name: "swap", Leave: "tuned by hand"}), "", "left-as-asked: .smux.yaml:12:3 asks for it: tuned by hand"},
		"a directive's pin":  {"// smux:pin vtb-lock\n" + swap, entry(config.Kernel{Name: "swap", Leave: "tuned"}), "vtb N=2", "pinned: vtb lock N=2, pinned at k.cu:1:4"},
		"by a directive":     {"// smux:ignore chosen old\n" + swap, entry(config.Kernel{Name: "swap", Pin: "vtb"}), "", "left-as-asked: k.cu:1:4 asks for it: old"},
		"a slip":             {"// smux:pin vbt\n" + swap, entry(config.Kernel{Name: "swap", Pin: "vtb"}), "", "pin-unknown: \"vbt\" is not a rewrite"},
		"a refused pin":      {swap, entry(config.Kernel{Name: "swap", Pin: "vtb N=33"}), "", "pin-refused: vtb N=33 is pinned at .smux.yaml:12:3, and can't be proved"},
		"none allowed":       {swap, &config.Settings{Rewrites: []string{"stage-loads"}}, "", "not-allowed: none of the rewrites that can be proved is allowed by .smux.yaml"},
		"a kernel's own": {swap, &config.Settings{Rewrites: []string{"vtb"}, Kernels: []config.Kernel{{Name: "swap", Rewrites: []string{}, Pos: at}}}, "",
			"not-allowed: none of the rewrites that can be proved is allowed by .smux.yaml:12"},
		"a pin of what is not allowed": {swap, &config.Settings{Rewrites: []string{"dyn"}, Kernels: []config.Kernel{{Name: "swap", Pin: "vtb-named", Pos: at}}}, "vtb named N=2", "pinned: "},
		"a gain alone":                 {swap, entry(config.Kernel{Name: "swap", MinGain: &gain}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := groupOf(t, tt.src, Ask{Settings: tt.settings})
			d, decided := c.decisions()[summary.Position(c.Kernels[0])]
			assert.Equal(t, tt.why != "", decided)
			assert.Equal(t, tt.way != "", d.Rewriter != "")
			if tt.why != "" {
				require.NotEmpty(t, d.Why)
				assert.Contains(t, fmt.Sprintf("%s: %s", d.Why[0].Code, d.Why[0].Text), tt.why)
				result, err := rewrite.RunAnalysed(c.Program, rewrite.Options{Decisions: c.decisions()})
				require.NoError(t, err)
				assert.Equal(t, tt.way != "", len(result.Files) > 0)
			}
		})
	}
}

func TestOnlyAllowedRewritesAreLeftToTheModel(t *testing.T) {
	c := groupOf(t, swap, Ask{Settings: &config.Settings{Rewrites: []string{"dyn", "merge"}}})
	seen := map[string]bool{}
	for _, o := range c.Groups[0].Variants {
		seen[o.Rewriter] = true
	}
	assert.Equal(t, map[string]bool{"dyn": true, "merge": true}, seen)
	out := c.Analyze(rewrite.Options{})
	require.NotNil(t, out.Kernels[0].Request)
	assert.Equal(t, []string{"vtb", "vtb-pipe", "co-vtb", "stage-loads", "overlay", "assume-shape", "slice", "stage", "coarsen"}, out.Kernels[0].Request.Barred)
}

func TestTheCommandLinesGainGoesBeforeTheKernels(t *testing.T) {
	gain := 20.0
	settings := &config.Settings{Kernels: []config.Kernel{{Name: "swap", MinGain: &gain}}}
	ask := Ask{Settings: settings, MinGain: 5}
	c := groupOf(t, swap, ask)
	assert.Equal(t, 20.0, c.request(c.Groups[0]).gain(ask))
	ask.Insists, ask.MinGain = true, 7
	assert.Equal(t, 7.0, c.request(c.Groups[0]).gain(ask))
	assert.Equal(t, 7.0, (*request)(nil).gain(ask))
}
