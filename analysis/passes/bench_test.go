package passes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
)

// exampleFile joins copies of the example programs, their kernels renamed, into one file of at least the given number
// of lines: dense in kernels with shared memory, so a hard case for the analyses.
func exampleFile(tb testing.TB, lines int) []byte {
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(tb, err)
	require.Len(tb, paths, 10)
	global := regexp.MustCompile(`(?m)^(?:static |constexpr |const |__constant__ |__device__ |__global__ |template <[^>]*> |int |float |void |unsigned |size_t |inline |__forceinline__ |#define |struct |enum )+\**(\w+)`)
	var b strings.Builder
	n := 0
	for round := 0; n < lines; round++ {
		src, err := os.ReadFile(paths[round%len(paths)])
		require.NoError(tb, err)
		text := string(src)
		for _, m := range global.FindAllStringSubmatch(text, -1) {
			text = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(text, fmt.Sprintf("%s_%d", m[1], round))
		}
		b.WriteString(text)
		n += strings.Count(text, "\n")
	}
	return []byte(b.String())
}

func rawParse(tb testing.TB, src []byte) {
	p := sitter.NewParser()
	defer p.Close()
	p.SetLanguage(cpp.GetLanguage())
	tree, err := p.ParseCtx(context.Background(), nil, src)
	require.NoError(tb, err)
	tree.Close()
}

func analyseAll(tb testing.TB, src []byte) int {
	f, err := parser.Parse("bench.cu", src, parser.Options{})
	require.NoError(tb, err)
	prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
	return len(prog.Kernels())
}

// BenchmarkAnalyse measures overlay, parse, conversion and all analyses, and reports their time as a multiple of
// tree-sitter's own for the same bytes: the best of all runs of each, since other work on the machine only ever adds.
func BenchmarkAnalyse(b *testing.B) {
	for _, lines := range []int{200, 2000, 20000} {
		src := exampleFile(b, lines)
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			raw, parse, all := time.Hour, time.Hour, time.Hour
			for b.Loop() {
				t := time.Now()
				rawParse(b, src)
				raw = min(raw, time.Since(t))
				t = time.Now()
				_, err := parser.Parse("bench.cu", src, parser.Options{})
				require.NoError(b, err)
				parse = min(parse, time.Since(t))
				t = time.Now()
				require.NotZero(b, analyseAll(b, src))
				all = min(all, time.Since(t))
			}
			b.ReportMetric(float64(all)/float64(raw), "x-raw")
			b.ReportMetric(float64(parse)/float64(raw), "x-raw-parse-alone")
			b.ReportMetric(float64(all.Microseconds())/1000, "ms")
			b.ReportMetric(float64(raw.Microseconds())/1000, "raw-ms")
		})
	}
}

// BenchmarkAnalyseMemory reports the peak heap of analysing 20,000 lines.
func BenchmarkAnalyseMemory(b *testing.B) {
	src := exampleFile(b, 20000)
	for b.Loop() {
		runtime.GC()
		f, err := parser.Parse("bench.cu", src, parser.Options{})
		require.NoError(b, err)
		prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
		kernels := prog.Kernels()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapSys)/(1<<20), "heap-MB")
		runtime.KeepAlive(kernels)
	}
}

// BenchmarkArguments measures what it costs, after the analyses, to fold all that
// launches pass: the host functions are lowered for it once more.
func BenchmarkArguments(b *testing.B) {
	src := exampleFile(b, 2000)
	f, err := parser.Parse("bench.cu", src, parser.Options{})
	require.NoError(b, err)
	var spent time.Duration
	kernels := 0
	for b.Loop() {
		prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
		all := prog.Kernels()
		t := time.Now()
		for _, k := range all {
			kernels++
			for i := range k.Func.Params {
				launches.Argument(k, k.Instances[0], i)
			}
		}
		spent += time.Since(t)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(kernels), "µs/kernel")
}
