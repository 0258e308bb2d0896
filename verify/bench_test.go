package verify_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/translate"
)

// buildProgram compiles a CUDA program of testdata/bench as verify does.
func buildProgram(b testing.TB, name string, mode build.Mode) string {
	b.Helper()
	needCompiler(b)
	compiler, err := build.Find("")
	require.NoError(b, err)
	tools, err := build.Open(compiler, "")
	require.NoError(b, err)
	b.Cleanup(func() { tools.Close() })
	parsed, errs := parser.LoadProgram([]string{filepath.Join("testdata", "bench", name)}, parser.Options{})
	require.Empty(b, errs)
	dir := b.TempDir()
	unit, err := translate.Translate(parsed.Files[0], parsed.Headers, translate.Options{Dir: dir})
	require.NoError(b, err)
	program, err := tools.Build(context.Background(), build.Request{Units: []*translate.Unit{unit}, Mode: mode, Dir: dir})
	require.NoError(b, err)
	return program.Path
}

// buildSequential compiles a C++ program of testdata/bench.
func buildSequential(b *testing.B, name string) string {
	b.Helper()
	compiler, err := build.Find("")
	require.NoError(b, err)
	path := filepath.Join(b.TempDir(), "sequential")
	out, err := exec.Command(compiler.Path, "-O2", "-o", path, filepath.Join("testdata", "bench", name)).CombinedOutput()
	require.NoError(b, err, "%s", out)
	return path
}

// cost is the effort of a run of a program: processor time, so that what else the
// machine does counts little, and the most memory it had.
func cost(b *testing.B, program string, args ...int) (time.Duration, int64) {
	b.Helper()
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = strconv.Itoa(a)
	}
	c := exec.Command(program, words...)
	c.Env = append(os.Environ(), "SMUX_REPORT="+os.DevNull)
	out, err := c.CombinedOutput()
	require.NoError(b, err, "%s", out)
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(b, ok)
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), usage.Maxrss // in KiB on Linux
}

// least is the least cost of a few runs.
func least(b *testing.B, program string, args ...int) time.Duration {
	b.Helper()
	var times []time.Duration
	for range 5 {
		t, _ := cost(b, program, args...)
		times = append(times, t)
	}
	return slices.Min(times)
}

// BenchmarkProduct compares a matrix product of 256 x 256 elements on the
// engine with sequential C++: the ratio should be at most 8 for the plain build.
func BenchmarkProduct(b *testing.B) {
	needCompiler(b)
	const size, repeats = 256, 20
	sequential := buildSequential(b, "product.cpp")
	for _, mode := range []build.Mode{build.Plain, build.Checked} {
		b.Run(string(mode), func(b *testing.B) {
			program := buildProgram(b, "product.cu", mode)
			b.ResetTimer()
			for range b.N {
				engine := least(b, program, size, repeats) - least(b, program, size, 0)
				plain := least(b, sequential, size, repeats) - least(b, sequential, size, 0)
				b.ReportMetric(float64(engine)/float64(plain), "x-sequential")
				b.ReportMetric(float64(engine.Nanoseconds())/repeats, "ns/launch")
			}
		})
	}
}

// BenchmarkThreads runs up to a million threads in blocks of 1,024: time per
// thread must not grow with their number (x-linear about 1), nor memory beyond
// the data.
func BenchmarkThreads(b *testing.B) {
	program := buildProgram(b, "threads.cu", build.Plain)
	const block = 1024
	base := 0.0
	for _, blocks := range []int{61, 244, 977} {
		b.Run(fmt.Sprint(blocks*block), func(b *testing.B) {
			for range b.N {
				t := least(b, program, blocks, block)
				_, memory := cost(b, program, blocks, block)
				per := float64(t.Nanoseconds()) / float64(blocks*block)
				if base == 0 {
					base = per
				}
				b.ReportMetric(per, "ns/thread")
				b.ReportMetric(per/base, "x-linear")
				b.ReportMetric(float64(memory)/1024, "MiB")
			}
		})
	}
}

// BenchmarkLoads compares the checked build with the plain one on kernels that do
// little but load, which is where it is slowest: x-plain should be at most 5. Two that
// store and compute are there for comparison.
func BenchmarkLoads(b *testing.B) {
	plain, checked := buildProgram(b, "loads.cu", build.Plain), buildProgram(b, "loads.cu", build.Checked)
	for kernel, name := range []string{"strided", "rows", "neighbours", "shared", "scattered", "stores", "arithmetic"} {
		b.Run(name, func(b *testing.B) {
			const repeats = 100
			for range b.N {
				fast := least(b, plain, kernel, 4*repeats) - least(b, plain, kernel, 0)
				slow := least(b, checked, kernel, repeats) - least(b, checked, kernel, 0)
				b.ReportMetric(4*float64(slow)/float64(fast), "x-plain")
				b.ReportMetric(float64(slow.Microseconds())/repeats, "µs/launch")
			}
		})
	}
}

// BenchmarkVerify measures what a person waits for, in processor time of the
// compilers and runs: the first verification with an empty cache, the next program,
// and one with thirteen variants. The goals are 4 s, 0.7 s and 3 s on two idle
// processors.
func BenchmarkVerify(b *testing.B) {
	needCompiler(b)
	prog, errs := parser.LoadProgram([]string{"../examples/rd/rd.cu"}, parser.Options{})
	require.Empty(b, errs)
	trial, err := combine.Try(prog, combine.Usual.AlongX().Ways(), rewrite.Options{})
	require.NoError(b, err)
	all, cache := b, ""
	for _, m := range []struct {
		name     string
		variants int
	}{{"first", 1}, {"next", 1}, {"thirteen", 13}} {
		b.Run(m.name, func(b *testing.B) {
			for i := range b.N {
				if m.name == "first" {
					cache = all.TempDir()
				}
				new := fmt.Appendf(nil, "// %s %d\n", m.name, i)
				request := verify.Request{Original: oneFile("rd", append(slices.Clone(prog.Files[0].Src), new...)), CacheDir: cache}
				for _, form := range trial.Forms[:m.variants] {
					text := append(slices.Clone(form.Result.Files[0].After), new...)
					request.Variants = append(request.Variants, verify.Variant{Name: form.Ways[0].String(), Program: oneFile("rd", text)})
				}
				before := ofChildren(b)
				verdict, err := verify.Run(context.Background(), request)
				require.NoError(b, err)
				require.Equal(b, verify.Equal, verdict.Outcome)
				b.ReportMetric((ofChildren(b) - before).Seconds(), "cpu-s/op")
			}
		})
	}
}

// ofChildren is the processor time of all processes that were started and have ended.
func ofChildren(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
