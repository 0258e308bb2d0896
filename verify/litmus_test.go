package verify_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify"
)

// An order says what a side of message passing does: its operation on the flag,
// with or without a fence between that and the data.
type order struct {
	name     string
	fence    int  // the scope of the fence; none is 0
	scope    int  // of the operation
	itself   bool // it releases or acquires by itself
	volatile bool
}

const (
	block  = 1
	device = 2
)

var scopes = map[int][]string{block: {"block"}, device: {"device", "system"}}

func orders() []order {
	out := []order{{name: "volatile", scope: device, volatile: true}}
	for _, scope := range []int{block, device} {
		out = append(out, order{name: "relaxed", scope: scope}, order{name: "ordered", scope: scope, itself: true})
	}
	for _, fence := range []int{block, device} {
		out = append(out, order{"volatile", fence, device, false, true}, order{"relaxed", fence, block, false, false}, order{"relaxed", fence, device, false, false})
	}
	return out
}

// orders reports whether a side does its part for a thread that is as far away as
// the scope says: PTX's release and acquire patterns.
func (o order) orders(apart int) bool {
	return o.scope >= apart && (o.itself || o.fence >= apart)
}

// spelling is one of the ways to write a side, chosen by a number.
func (o order) spelling(n int, writes bool) (operation, fence string) {
	of := scopes[o.scope]
	scope := of[n%len(of)]
	ptx := map[string]string{"block": "cta", "device": "gpu", "system": "sys"}
	suffix := map[string]string{"block": "_block", "device": "", "system": "_system"}[scope]
	word := fmt.Sprintf("(cuda::atomic_ref<int, cuda::thread_scope_%s>(*flag))", scope)
	memory := "acquire"
	if writes {
		memory = "release"
	}
	switch {
	case o.volatile && writes:
		operation = []string{"*(volatile int *)flag = 1", `asm volatile("st.volatile.global.s32 [%0], 1;" :: "l"(flag) : "memory")`}[n%2]
	case o.volatile:
		operation = "*(volatile int *)flag"
	case o.itself && writes:
		operation = []string{word + ".store(1, cuda::memory_order_release)",
			fmt.Sprintf(`asm volatile("st.release.%s.global.s32 [%%0], 1;" :: "l"(flag) : "memory")`, ptx[scope]),
			word + ".exchange(1, cuda::memory_order_acq_rel)", word + " = 1"}[n%4]
	case o.itself:
		operation = []string{word + ".load(cuda::memory_order_acquire)", fmt.Sprintf("acquired_%s(flag)", ptx[scope]),
			word + ".fetch_add(0, cuda::memory_order_acq_rel)", word + ".load()"}[n%4]
	case writes:
		operation = []string{"atomicExch" + suffix + "(flag, 1)", word + ".store(1, cuda::memory_order_relaxed)",
			fmt.Sprintf(`asm volatile("st.relaxed.%s.global.s32 [%%0], 1;" :: "l"(flag) : "memory")`, ptx[scope]),
			fmt.Sprintf(`asm volatile("red.relaxed.%s.global.add.s32 [%%0], 1;" :: "l"(flag) : "memory")`, ptx[scope]),
			"atomicCAS" + suffix + "(flag, 0, 1)"}[n%5]
	default:
		operation = []string{"atomicAdd" + suffix + "(flag, 0)", word + ".load(cuda::memory_order_relaxed)",
			fmt.Sprintf("relaxed_%s(flag)", ptx[scope]), "atomicCAS" + suffix + "(flag, -1, -1)"}[n%4]
	}
	if o.fence == 0 {
		return operation, ""
	}
	of = scopes[o.fence]
	scope = of[n/2%len(of)]
	return operation, []string{
		"__threadfence" + map[string]string{"block": "_block", "device": "", "system": "_system"}[scope] + "();",
		fmt.Sprintf("cuda::atomic_thread_fence(cuda::memory_order_%s, cuda::thread_scope_%s);", memory, scope),
		fmt.Sprintf(`asm volatile("fence.acq_rel.%s;" ::: "memory");`, ptx[scope]),
		fmt.Sprintf(`asm volatile("fence.sc.%s;" ::: "memory");`, ptx[scope]),
		fmt.Sprintf(`asm volatile("membar.%s;" ::: "memory");`, map[string]string{"block": "cta", "device": "gl", "system": "sys"}[scope]),
		fmt.Sprintf("cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_%s);", scope),
	}[n%6]
}

// TestMessagePassing: for each pair of orders and scopes, between threads of one
// block and of two, the data is in a race unless both sides do their part, and
// the flag is unless both scopes hold the other thread.
func TestMessagePassing(t *testing.T) {
	needCompiler(t)
	var src, launches strings.Builder
	src.WriteString("#include <cuda/atomic>\n")
	for _, f := range []string{"relaxed", "acquire"} {
		for _, scope := range []string{"cta", "gpu", "sys"} {
			fmt.Fprintf(&src, "__device__ int %s_%s(int *p) { int v; asm volatile(\"ld.%s.%s.global.s32 %%0, [%%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\"); return v; }\n",
				map[string]string{"relaxed": "relaxed", "acquire": "acquired"}[f], scope, f, scope)
		}
	}
	want, n := map[string]bool{}, 0
	for i, w := range orders() {
		for j, r := range orders() {
			for apart, launch := range map[int]string{block: "<<<1, 33>>>", device: "<<<2, 1>>>"} {
				kernel := fmt.Sprintf("mp_%d_%d_%d", i, j, apart)
				store, release := w.spelling(n, true)
				load, acquire := r.spelling(n/3, false)
				fmt.Fprintf(&src, "// %s, fence %d, scope %d; %s, fence %d, scope %d\n__device__ int data_%[7]s, flag_%[7]s;\n", w.name, w.fence, w.scope, r.name, r.fence, r.scope, kernel)
				fmt.Fprintf(&src, "__global__ void %[1]s(int *out) {\n  int *flag = &flag_%[1]s;\n", kernel)
				fmt.Fprintf(&src, "  if (blockIdx.x + threadIdx.x == 0) { data_%s = 1; %s %s; }\n", kernel, release, store)
				fmt.Fprintf(&src, "  else if (threadIdx.x %% 32 == 0) { while (%s == 0) {} %s *out = data_%s; }\n}\n", load, acquire, kernel)
				fmt.Fprintf(&launches, "  %s%s(out);\n", kernel, launch)
				want[kernel+" data"] = !w.orders(apart) || !r.orders(apart)
				want[kernel+" flag"] = w.scope < apart || r.scope < apart
				n++
			}
		}
	}
	fmt.Fprintf(&src, "int main() {\n  int *out;\n  cudaMalloc(&out, 4);\n%s}\n", launches.String())
	got := map[string]bool{}
	for _, f := range races(t, "mp.cu", src.String()) {
		m := regexp.MustCompile(`(data|flag)_(mp_\d+_\d+_\d+)`).FindStringSubmatch(f.Message.Text)
		require.NotNil(t, m, f.Message.Text)
		got[m[2]+" "+m[1]] = true
	}
	for of, race := range want {
		kernel, _, _ := strings.Cut(of, " ")
		at := strings.Index(src.String(), "void "+kernel+"(")
		assert.Equal(t, race, got[of], "%s\n%s", of, src.String()[max(0, at-200):at+400])
	}
	assert.Len(t, want, 2*2*len(orders())*len(orders()))
}

// TestTheMemoryModel: each line that is marked is in a race of that kind, and no other.
func TestTheMemoryModel(t *testing.T) {
	needCompiler(t)
	for _, name := range []string{"model.cu", "streams.cu"} {
		text, err := os.ReadFile("testdata/memory/" + name)
		require.NoError(t, err)
		want := map[string]bool{}
		for i, line := range strings.Split(string(text), "\n") {
			if _, code, ok := strings.Cut(line, "// want: "); ok {
				want[strconv.Itoa(i+1)+" "+code] = true
			}
		}
		got := map[string]bool{}
		for _, f := range races(t, name, string(text)) {
			got[fmt.Sprintf("%d %s", f.Message.Pos.Line, f.Message.Code)] = true
		}
		assert.Equal(t, want, got)
	}
}

// races returns the races of a program, in two orders of its threads.
func races(t *testing.T, name, text string) []verify.Finding {
	v, err := verify.Run(context.Background(), verify.Request{
		Original: verify.Program{Files: []verify.File{verify.NewFile(name, []byte(text))}}, Schedules: verify.DefaultSchedules(1)[:1],
	})
	require.NoError(t, err)
	require.Empty(t, v.Failures)
	return slices.DeleteFunc(v.Findings, func(f verify.Finding) bool { return f.Check != verify.Races })
}
