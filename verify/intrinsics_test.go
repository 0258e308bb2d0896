package verify_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/coarsen"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/slice"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// calls are statements that use an intrinsic, on the int x, which differs from
// thread to thread. A call that the CPU runtime does not have begins with "-": it
// is rewritten, not run.
var calls = map[string]string{
	"__syncthreads": "__syncthreads();", "__barrier_sync": "__barrier_sync(1);", "__barrier_sync_count": "-__barrier_sync_count(1, 64);",
	"__syncthreads_count": "x += __syncthreads_count(x > 40);", "__syncthreads_or": "x += __syncthreads_or(x == 40);", "__syncthreads_and": "x += __syncthreads_and(x > -9);",
	"__syncwarp": "__syncwarp();", "__ballot": "-x += __ballot(x > 40);", "__ballot_sync": "x ^= __ballot_sync(0xffffffff, x > 40);",
	"__any": "-x += __any(x > 40);", "__all": "-x += __all(x > 40);", "__any_sync": "x += __any_sync(0xffffffff, x > 99);",
	"__all_sync": "x += __all_sync(0xffffffff, x > 1);", "__uni_sync": "-x += __uni_sync(0xffffffff, x > 1);", "__activemask": "x ^= __activemask();",
	"__match_all_sync": "int all; x ^= __match_all_sync(0xffffffff, x, &all) + all;", "__match_any_sync": "x ^= __match_any_sync(0xffffffff, x / 2);",
	"__ldg": "x += __ldg(in + t);", "__stcs": "__stcs(own + t, x);", "memcpy": "memcpy(own + t, in + t, sizeof(int));", "memset": "memset(own + t, 0, sizeof(int));",
	"__threadfence": "own[t] = x; __threadfence();", "__threadfence_block": "own[t] = x; __threadfence_block();", "__threadfence_cluster": "-__threadfence_cluster();",
	"__cvta_generic_to_shared": "-x += (int)__cvta_generic_to_shared(in);", "__cvta_generic_to_global": "-x += (int)__cvta_generic_to_global(in);",
	"gpuAtomicAdd": "-gpuAtomicAdd(own + t, 1);", "atomicExch": "atomicExch(own + t, x);", "atomicInc": "atomicInc((unsigned *)own + t, 9u);", "atomicDec": "atomicDec((unsigned *)own + t, 9u);",
	"atomicCAS": "x += atomicCAS(own + t, x, 1);", "clock64": "own[t] = clock64() > 0;", "__nanosleep": "__nanosleep(10);",
	"printf": `if (x == -1234567) printf("%d\n", x);`, "assert": "assert(x != -1234567);", "__trap": "if (x == -1234567) __trap();",
	"__builtin_assume": "-__builtin_assume(x < 1000);", "__builtin_expect": "x += __builtin_expect(x, 4);",
	"min": "x = min(x, 50);", "abs": "x = abs(x - 40);", "__mul24": "x = __mul24(x, 3);", "__popc": "x += __popc(x);", "__dp4a": "x = __dp4a(x, 3, x);",
	"fminf": "x += (int)fminf(x, 3.5f);", "sqrtf": "x += (int)sqrtf(x);", "norm": "double v[2] = {1.0 * x, 1}; x += (int)norm(2, v);", "normf": "float v[2] = {1.0f * x, 1}; x += (int)normf(2, v);", "sincosf": "float a, b; sincosf(x, &a, &b); x += (int)(8 * (a + b));",
	"__float2int_rn": "x = __float2int_rn(x * 1.5f);", "__half2float": "x += (int)__half2float(__float2half(x));", "float": "x += (int)float(x);",
	"__float2bfloat16": "x += (int)__bfloat162float(__float2bfloat16(x));", "__hadd": "x += (int)__half2float(__hadd(__float2half(x), __float2half(1)));",
	"make_int2": "x += make_int2(x, 1).y;", "this_thread_block": "auto cta = cooperative_groups::this_thread_block(); x += cta.thread_rank();",
	"coalesced_threads": "-auto lanes = cooperative_groups::coalesced_threads(); x += lanes.size();", "this_grid": "-auto all = cooperative_groups::this_grid();",
	"this_cluster": "-auto all = cooperative_groups::this_cluster();", "tiled_partition": "auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); x += warp.shfl_down(x, 1); warp.sync();",
	"cudaDeviceSynchronize": "-cudaDeviceSynchronize();", "plus": "auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); x += cooperative_groups::reduce(warp, x, cooperative_groups::plus<int>());",
	"__builtin_assume_aligned": "-int *p = (int *)__builtin_assume_aligned(own, 4); p[t] = x;",
}

// call is the statement for a row: the first of its names that has one, else the
// usual form of its kind. Names that stand for the start of others are left out.
func call(r *intrinsic.Row) (name, text string, runs bool) {
	for _, name := range r.Each() {
		if text, ok := calls[name]; ok {
			text, still := strings.CutPrefix(text, "-")
			return name, text, !still
		}
	}
	for _, n := range r.Each() {
		if !strings.HasSuffix(n, "*") {
			name = n
			break
		}
	}
	if name == "" {
		return "", "", false
	}
	switch r.Kind {
	case intrinsic.Exchange:
		if strings.HasPrefix(name, "__reduce") {
			return name, "x ^= " + name + "(0xffffffffu, (unsigned)x);", true
		}
		for _, n := range r.Each() {
			if n == "__shfl_xor_sync" {
				return n, "x += " + n + "(0xffffffff, x, 3);", true
			}
		}
	case intrinsic.Load:
		return name, "x += " + name + "(in + t);", true
	case intrinsic.Store:
		return name, name + "(own + t, x);", true
	case intrinsic.Atomic:
		return name, name + "(own + t, 1);", true
	case intrinsic.Value, intrinsic.Cast:
		return name, "x += " + name + "(x);", false
	}
	return name, name + "(x);", false
}

// sample is a kernel with one use of an intrinsic.
type sample struct {
	row            *intrinsic.Row // nil: none, to compare with
	kernel, name   string
	text           string // of the kernel
	runs, inRegion bool
	threads        int
}

// sampled writes a kernel with a statement inside a region, or outside of one.
func sampled(kernel, statement string, inRegion bool, threads int) string {
	inside, outside := statement, ""
	if !inRegion {
		inside, outside = "", statement
	}
	return fmt.Sprintf(`__global__ void %s(const int *__restrict__ in, int *out, int *own, int n) {
    __shared__ int s[%d];
    const int t = threadIdx.x;
    const int first = blockIdx.x * %[2]d;
    int sum = 0;
    {
        int x = in[first + t];
        own += first;
        %[3]s
        sum += x;
    }
    for (int i = 0; i < n; ++i) {
        __syncthreads();
        s[t] = in[first + t] + i;
        __syncthreads();
        int x = s[%[2]d - 1 - t];
        %[4]s
        sum += x + s[t];
        __syncthreads();
    }
    out[first + t] = sum;
}
`, kernel, threads, outside, inside)
}

// samples are kernels for every row: in a region, outside of one, and with blocks
// that are not whole warps.
func samples() (out []sample) {
	for _, family := range intrinsic.Table {
		for i := range family.Rows {
			r := &family.Rows[i]
			name, text, runs := call(r)
			if name == "" {
				continue
			}
			for _, in := range []bool{true, false} {
				for _, threads := range []int{64, 48} {
					// To a rewriter, what only computes is the same everywhere.
					if r.Pure() && !(in && threads == 64) {
						continue
					}
					k := fmt.Sprintf("k%d", len(out))
					out = append(out, sample{r, k, name, sampled(k, text, in, threads), runs && threads == 64, in, threads})
				}
			}
		}
	}
	return out
}

const samplesHead = `#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
`

// samplesMain launches kernels and prints what they wrote.
func samplesMain(list []sample) string {
	var b strings.Builder
	b.WriteString(`int main(int argc, char **argv) {
    const int blocks = atoi(argv[1]), size = (blocks + 4) * 64;
    int *host = new int[size], *in, *out, *own;
    cudaMalloc(&in, size * sizeof(int));
    cudaMalloc(&out, size * sizeof(int));
    cudaMalloc(&own, size * sizeof(int));
    for (int i = 0; i < size; ++i) host[i] = i * 37 % 83;
    cudaMemcpy(in, host, size * sizeof(int), cudaMemcpyHostToDevice);
`)
	for _, s := range list {
		fmt.Fprintf(&b, `    cudaMemset(out, 0, size * sizeof(int));
    cudaMemset(own, 0, size * sizeof(int));
    %s<<<blocks, %d>>>(in, out, own, 2);
    cudaMemcpy(host, out, size * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(host, own, size * sizeof(int), cudaMemcpyDeviceToHost);
`, s.kernel, s.threads)
	}
	return b.String() + "}\n"
}

func samplesProgram(t *testing.T, list []sample) *parser.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString(samplesHead)
	for _, s := range list {
		b.WriteString(s.text)
	}
	f, err := parser.Parse("samples.cu", []byte(b.String()+samplesMain(list)), parser.Options{})
	require.NoError(t, err)
	require.Empty(t, f.Errors)
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}

// sampleWays are all rewriters with all of their sync modes.
func sampleWays() []rewrite.Variant {
	return combine.Values{Factors: []int{2}, Slots: []int{1}, Private: []int{0}, Stage: []int{0}, Assume: []bool{false}, Merge: []string{""}}.Ways()
}

// refusedFor is the code that a row is refused for in every variant, "" for none.
func refusedFor(r *intrinsic.Row) diag.Code {
	if r.Forms.Block.Act != intrinsic.Refuse {
		return ""
	}
	switch r.Kind {
	case intrinsic.Barrier:
		return analysis.CodeNamedBarrier
	case intrinsic.Async:
		return analysis.CodeAsync
	case intrinsic.Launch:
		return analysis.CodeDeviceLaunch
	case intrinsic.Address:
		return analysis.CodeEscape
	case intrinsic.Group:
		if r.Scope == intrinsic.Cluster {
			return analysis.CodeCluster
		}
		return analysis.CodeGridSync
	}
	return "a reason that no kind has"
}

// TestEveryIntrinsicInEveryVariant: each row of the table, inside and outside of
// regions, with whole and with partial warps, in each rewriter and sync mode, is
// refused for the reason that its facts give, or accepted as far as the same kernel
// without it is.
func TestEveryIntrinsicInEveryVariant(t *testing.T) {
	list := samples()
	require.Greater(t, len(list), 250)
	var bare []sample // kernels without a call, one for each block size and place
	for _, in := range []bool{true, false} {
		for _, threads := range []int{64, 48} {
			k := fmt.Sprintf("bare%d_%v", threads, in)
			bare = append(bare, sample{kernel: k, text: sampled(k, "x += 3;", in, threads), inRegion: in, threads: threads})
		}
	}
	// Some rewriters read a kernel's whole file again.
	for part := range slices.Chunk(list, 16) {
		if !suite.InSample(part[0].kernel, 4) {
			continue
		}
		prog := passes.NewProgram(samplesProgram(t, slices.Concat(part, bare)), [3]int{})
		for _, way := range sampleWays() {
			res, err := rewrite.RunAnalysed(prog, rewrite.Options{Variant: way})
			require.NoError(t, err)
			codes := map[string]map[diag.Code]bool{}
			for _, k := range res.Kernels {
				codes[k.Name] = map[diag.Code]bool{}
				for _, m := range k.Refused {
					codes[k.Name][m.Code] = true
				}
			}
			for _, s := range part {
				expectRefusals(t, way, s, codes[s.kernel], codes[fmt.Sprintf("bare%d_%v", s.threads, s.inRegion)])
			}
		}
	}
}

// expectRefusals compares the codes that a kernel was refused for with those of
// the same kernel without the intrinsic, and those that the intrinsic adds.
func expectRefusals(t *testing.T, way rewrite.Variant, s sample, got, without map[diag.Code]bool) {
	t.Helper()
	what := fmt.Sprintf("%s, %d threads, in a region: %v, %s", s.name, s.threads, s.inRegion, way)
	require.NotNil(t, got, what)
	if code := refusedFor(s.row); code != "" {
		assert.True(t, got[code], "%s: %v", what, keys(got))
		return
	}
	want := maps.Clone(without)
	if way.Rewriter == variant.Coarsen { // what is done with the intrinsic may be in its way, too
		maps.DeleteFunc(got, func(c diag.Code, _ bool) bool {
			return !want[c] && (c == coarsen.CodeVariables || c == kit.CodeClock || c == coarsen.CodeControl || c == kit.CodeDivergent)
		})
	}
	merges := way.Merges()
	warp := s.row.Scope == intrinsic.Warp || s.row.Kind == intrinsic.GroupOp // of a tile
	if warp && s.threads%32 != 0 && merges {
		want[merge.CodeNotWarps] = true
	}
	// merge has a set of arrays for each v-TB, and no regions.
	if s.row.Forms.In(way.Sync).Act == intrinsic.Masked && merges && (!s.inRegion || way.Rewriter == "merge") {
		want[merge.CodeVote] = true
	}
	if way.By == variant.ByWindow && s.inRegion && s.row.Forms.Block.Act == intrinsic.Masked {
		want[slice.CodeNoExchange] = true // a vote between writes and reads can't be repeated
	}
	if copies := way.Rewriter == "merge" || way.Rewriter == "co-vtb"; copies && s.name == "__builtin_assume_aligned" && s.threads%32 != 0 {
		want[merge.CodeSlots] = true // sets of arrays promise no more than their own alignment
	}
	assert.Equal(t, keys(want), keys(got), what)
}

func keys(m map[diag.Code]bool) []diag.Code { return slices.Sorted(maps.Keys(m)) }

// together are kernels that can be run: one for each barrier of the block and
// place, and one for all that is of warps or of single threads, which rewriters
// accept or refuse together.
func together() (out []sample) {
	statements := map[intrinsic.Scope]string{}
	for _, s := range samples() {
		switch scope := s.row.Scope; {
		case !s.runs:
		case scope == intrinsic.Block:
			out = append(out, s)
		case s.inRegion:
			_, text, _ := call(s.row)
			statements[scope] += "{ " + text + " }\n        "
		}
	}
	for scope, text := range statements {
		for _, in := range []bool{true, false} {
			k := fmt.Sprintf("all%d_%v", scope, in)
			out = append(out, sample{kernel: k, text: sampled(k, text, in, 64), inRegion: in, threads: 64})
		}
	}
	return out
}

// TestIntrinsicsDoTheSame: kernels with intrinsics that are rewritten do what they
// did.
func TestIntrinsicsDoTheSame(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	list := together()
	slices.SortFunc(list, func(a, b sample) int { return strings.Compare(a.kernel, b.kernel) })
	require.Greater(t, len(list), 12)
	prog := samplesProgram(t, list)
	request := verify.Request{
		Original: oneFile("samples", prog.Files[0].Src), Jobs: 2, Timeout: time.Minute,
		Schedules: []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}}, CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
		Args: [][]string{{"5"}},
	}
	trial, err := combine.Try(prog, sampleWays(), rewrite.Options{})
	require.NoError(t, err)
	t.Log(trial)
	for i, f := range trial.Forms {
		if !suite.Full() && i%4 != 0 {
			continue
		}
		require.Len(t, f.Result.Files, 1)
		request.Variants = append(request.Variants, verify.Variant{Name: f.Ways[0].String(), Checked: true, Program: oneFile("samples", f.Result.Files[0].After)})
	}
	require.Greater(t, len(request.Variants), 3)
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	for _, f := range verdict.Failures {
		assert.Fail(t, f.Variant+": "+f.Message.String(), f.Output)
	}
	for _, f := range verdict.Findings {
		assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
