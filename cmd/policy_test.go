package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/directive"
	"github.com/smux-cuda/smux/rewrite"
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
			if diag.Ignorable(d.Code) && d.Code != directive.Chosen {
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
	way, _, chosen := strings.Cut(after, " chosen for")
	require.True(t, found && chosen, messages)
	pin := "// smux:pin " + way
	got, messages, code := rewriteText(t, above(t, tall, pin))
	assert.Equal(t, want, strings.Replace(got, pin+"\n", "", 1))
	assert.Contains(t, messages, "pinned: kernel \"tall\": "+way)
	assert.Zero(t, code)
}

// groupOf is the choice for a text with one group of kernels, under settings.
func groupOf(t *testing.T, src string, flags choiceFlags) *choice {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	parsed := parser.NewProgram([]*parser.File{f}, parser.Options{})
	flags.directives = directive.Read(parsed)
	prog := analysis.NewProgram(parsed, [3]int{})
	c := &choice{prog: prog, kernels: prog.Kernels()}
	c.groups = rewrite.Groups(prog, c.kernels, rewrite.Options{})
	c.reports = make([]*selection.Report, len(c.groups))
	require.Len(t, c.groups, 1)
	c.askPolicy(flags, rewrite.Options{})
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
		"no wish":            {swap, nil, "", ""},
		"a pin":              {swap, entry(config.Kernel{Name: "sw*", Pin: "vtb-block N=4"}), "vtb block N=4", "pinned: vtb block N=4, pinned at .smux.yaml:12:3"},
		"a wish to leave":    {swap, entry(config.Kernel{Name: "swap", Leave: "tuned by hand"}), "", "left-as-asked: .smux.yaml:12:3 asks for it: tuned by hand"},
		"a directive's pin":  {"// smux:pin vtb-lock\n" + swap, entry(config.Kernel{Name: "swap", Leave: "tuned"}), "vtb N=2", "pinned: vtb lock N=2, pinned at k.cu:1:4"},
		"a directive's wish": {"// smux:ignore chosen old\n" + swap, entry(config.Kernel{Name: "swap", Pin: "vtb"}), "", "left-as-asked: k.cu:1:4 asks for it: old"},
		"a slip":             {"// smux:pin vbt\n" + swap, entry(config.Kernel{Name: "swap", Pin: "vtb"}), "", "pin-unknown: \"vbt\" is no rewrite"},
		"a refused pin":      {swap, entry(config.Kernel{Name: "swap", Pin: "vtb N=33"}), "", "pin-refused: vtb N=33 is pinned at .smux.yaml:12:3, and can't be proved"},
		"none allowed":       {swap, &config.Settings{Rewrites: []string{"stage-loads"}}, "", "not-allowed: none of the rewrites that can be proved is allowed by .smux.yaml"},
		"a kernel's own": {swap, &config.Settings{Rewrites: []string{"vtb"}, Kernels: []config.Kernel{{Name: "swap", Rewrites: []string{}, Pos: at}}}, "",
			"not-allowed: none of the rewrites that can be proved is allowed by .smux.yaml:12"},
		"a pin of what is not allowed": {swap, &config.Settings{Rewrites: []string{"dyn"}, Kernels: []config.Kernel{{Name: "swap", Pin: "vtb-named", Pos: at}}}, "vtb named N=2", "pinned: "},
		"a gain alone":                 {swap, entry(config.Kernel{Name: "swap", MinGain: &gain}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := groupOf(t, tt.src, choiceFlags{settings: tt.settings})
			d, decided := c.decisions()[c.kernels[0].Position()]
			assert.Equal(t, tt.why != "", decided)
			assert.Equal(t, tt.way != "", d.Rewriter != "")
			if tt.why != "" {
				require.NotEmpty(t, d.Why)
				assert.Contains(t, fmt.Sprintf("%s: %s", d.Why[0].Code, d.Why[0].Text), tt.why)
				result, err := rewrite.RunAnalysed(c.prog, rewrite.Options{Decisions: c.decisions()})
				require.NoError(t, err)
				assert.Equal(t, tt.way != "", len(result.Files) > 0)
			}
		})
	}
}

func TestOnlyAllowedRewritesAreLeftToTheModel(t *testing.T) {
	c := groupOf(t, swap, choiceFlags{settings: &config.Settings{Rewrites: []string{"dyn", "merge"}}})
	seen := map[string]bool{}
	for _, o := range c.groups[0].Variants {
		seen[o.Rewriter] = true
	}
	assert.Equal(t, map[string]bool{"dyn": true, "merge": true}, seen)
	out := analyze(c, rewrite.Options{})
	require.NotNil(t, out.Kernels[0].Wish)
	assert.Equal(t, []string{"vtb", "vtb-pipe", "co-vtb", "stage-loads", "assume-shape"}, out.Kernels[0].Wish.Barred)
}

func TestTheCommandLinesGainGoesBeforeTheKernels(t *testing.T) {
	gain := 20.0
	settings := &config.Settings{Kernels: []config.Kernel{{Name: "swap", MinGain: &gain}}}
	var flags choiceFlags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.register(set)
	flags.settings = settings
	c := groupOf(t, swap, flags)
	assert.Equal(t, 20.0, c.wish(c.groups[0]).gain(flags))
	require.NoError(t, set.Parse([]string{"--min-gain", "7"}))
	assert.Equal(t, 7.0, c.wish(c.groups[0]).gain(flags))
	assert.Equal(t, 7.0, (*wish)(nil).gain(flags))
}
