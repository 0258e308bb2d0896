package selection_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/hardtext"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// maxHeap bounds the bytes of memory that the heap may ever take of the system.
const maxHeap = 1 << 30

// lookAt does all that smux does with a text but choose and write: it parses,
// analyses, and plans every variant of every rewriter. What it may not do is end in a
// panic, or take memory out of proportion.
func lookAt(t testing.TB, src string) (work int) {
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	if err != nil {
		return 0
	}
	prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
	kernels := prog.Kernels()
	for _, k := range kernels {
		require.False(t, internal(k.Hazards), "%s\n%v", src, k.Hazards)
		summary.Report(k)
		var in *analysis.Instance
		if len(k.Instances) > 0 {
			in = k.Instances[0]
		}
		cost.Of(k, in, cost.Options{})
	}
	for _, g := range rewrite.Groups(prog, kernels, rewrite.Options{}) {
		for _, o := range g.Variants {
			for _, m := range o.Refused {
				require.NotEqual(t, analysis.CodeInternal, m.Code, "%s: %s\n%s", o.Variant, m.Text, src)
			}
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	require.Less(t, memory.HeapSys, uint64(maxHeap), src)
	for _, k := range kernels {
		work += k.Work
	}
	return work
}

// FuzzStructuredKernels looks at kernels that are made of statements. Run it with
// -fuzzminimizetime 10x: to make each text that is new as short as can be takes longer
// than to find the next one.
func FuzzStructuredKernels(f *testing.F) {
	for i := range uint64(40) {
		r := rand.New(rand.NewPCG(i, 0))
		seed := make([]byte, 25*i)
		for j := range seed {
			seed[j] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1200 {
			t.Skip()
		}
		lookAt(t, hardtext.Random(data))
	})
}

// FuzzHardTexts looks at the shapes that analyses find hard, with lines changed.
func FuzzHardTexts(f *testing.F) {
	for i := range hardtext.Shapes {
		f.Add(uint8(i), uint8(2), uint16(0), "")
	}
	f.Fuzz(func(t *testing.T, shape, size uint8, at uint16, insert string) {
		if len(insert) > 200 {
			t.Skip()
		}
		src := hardtext.Shapes[int(shape)%len(hardtext.Shapes)].Text(int(size%32) + 2)
		lines := strings.SplitAfter(src, "\n")
		i := int(at) % len(lines)
		lookAt(t, strings.Join(lines[:i], "")+insert+strings.Join(lines[i:], ""))
	})
}

func internal(messages []diag.Message) bool {
	return slices.ContainsFunc(messages, func(m diag.Message) bool { return m.Code == analysis.CodeInternal })
}
