package intrinsic

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryFactIsFilledIn: a row says everything, so that no reader takes what
// was forgotten for a fact. Memory and Op may be nothing at all.
func TestEveryFactIsFilledIn(t *testing.T) {
	most := map[string]uint64{
		"Kind": uint64(kinds), "Scope": uint64(scopes), "Waits": uint64(waits), "Result": uint64(results), "Params": uint64(params), "Type": uint64(types), "Act": uint64(acts),
	}
	count := 0
	for _, family := range Table {
		for _, r := range family.Rows {
			complaints := incomplete(reflect.ValueOf(r), most)
			assert.Empty(t, complaints, "%s: %s", family.Family, r.Names)
			count++
		}
	}
	assert.NotEmpty(t, incomplete(reflect.ValueOf(Row{Names: "f"}), most), "an empty row is complete")
	require.Greater(t, count, 100)
}

// incomplete lists the fields of a row that were left out.
func incomplete(v reflect.Value, most map[string]uint64) (out []string) {
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch {
		case name == "Memory" || name == "Op" || name == "Text":
		case field.Kind() == reflect.Struct:
			for _, inner := range incomplete(field, most) {
				out = append(out, name+"."+inner)
			}
		case field.Kind() == reflect.Uint8:
			if n := field.Uint(); n == 0 || n >= most[name] {
				out = append(out, name)
			}
		case field.Kind() == reflect.String:
			if field.String() == "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// TestFactsAgree: facts of one row that exclude each other.
func TestFactsAgree(t *testing.T) {
	for _, family := range Table {
		for _, r := range family.Rows {
			if r.Pure() {
				assert.Zero(t, r.Memory.Reads|r.Memory.Writes, r.Names)
				assert.False(t, r.Memory.Orders || r.Memory.Keeps, r.Names)
				assert.Equal(t, AsArguments, r.Result, r.Names)
				assert.Equal(t, Thread, r.Scope, r.Names)
			}
			assert.Equal(t, r.Result == NoResult, r.Type == NoType && r.Result != PerThread, "%s: a result has a type", r.Names)
			if r.Kind == Barrier || r.Kind == Vote {
				assert.NotEqual(t, Nobody, r.Waits, r.Names)
			}
			if r.Kind == Vote && r.Scope == Block {
				assert.Equal(t, Masked, r.Forms.Block.Act, r.Names)
				assert.Contains(t, []string{"true", "false"}, r.Forms.Block.Text, r.Names)
			}
			if r.IsBlockBarrier() {
				for _, sync := range []string{"named", "lock"} {
					assert.Equal(t, Own, r.Forms.In(sync).Act, r.Names)
				}
			}
			for _, sync := range []string{"block", "named", "lock"} {
				f := r.Forms.In(sync)
				assert.Equal(t, f.Act != Keep, f.Text != "", "%s: the form in %s", r.Names, sync)
			}
			switch r.Kind {
			case Load:
				assert.Equal(t, Arg0, r.Memory.Reads, r.Names)
			case Store:
				assert.Equal(t, Arg0, r.Memory.Writes, r.Names)
			case Atomic:
				assert.Equal(t, Memory{Reads: Arg0, Writes: Arg0, Fresh: true, Orders: strings.Contains(r.Names, "_atomic_")}, r.Memory, r.Names)
			}
		}
	}
}

// TestNamesAreUnique: a name has one row.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]string{}
	for _, family := range Table {
		for _, r := range family.Rows {
			for _, name := range r.Each() {
				require.Empty(t, seen[name], "%s is in %s and %s", name, seen[name], family.Family)
				seen[name] = family.Family
				assert.Regexp(t, `^[A-Za-z_]\w*\*?$`, name)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	assert.Equal(t, []string{"__float2int_rn", "__float2int_rz", "f"}, (&Row{Names: "__float2int_{rn,rz} f"}).Each())
	assert.Equal(t, []string{"aca", "acb", "bca", "bcb"}, expand("{a,b}c{a,b}"))
	assert.Equal(t, "sync_or", Of("__syncthreads_or").Forms.In("lock").Text)
	assert.Equal(t, Atomic, Of("atomicAdd_block").Kind)
	assert.Equal(t, Atomic, Of("__nv_atomic_fetch_add").Kind)
	assert.Equal(t, Other, Of("__nv_atomic_compare_exchange_n").Kind, "its second argument is written to, too")
	assert.Equal(t, Other, Of("__half_from_the_future").Kind, "a name by its start")
	assert.Equal(t, Value, Of("__half2float").Kind, "a whole name comes before a start")
	assert.False(t, Of("syncthreads").Known())
	assert.False(t, Of("").Known())
	assert.Equal(t, PerBlock, VariableOf("blockIdx").Result)
	assert.Nil(t, VariableOf("blockidx"))
	assert.Equal(t, "size()", BlockMember("num_threads").Method)
	assert.Nil(t, BlockMember("barrier_arrive"))
}

// declared is a function that a header of CUDA declares for the device.
var declared = regexp.MustCompile(`(?m)^[^/\n]*(?:__DEVICE_FUNCTIONS_DECL__|__DEVICE_ATOMIC_FUNCTIONS_DECL__|__SM_\d+_INTRINSICS_DECL__|__SM_\d+_RT_DECL__|__CUDA_(?:HOSTDEVICE_)?(?:FP16|BF16)_DECL__|__PIPELINE_STATIC_QUALIFIER__|__CUDA_ATOMIC_DECL__)[^(;\n]*?\b(\w+)\s*\(`)

// TestHeadersHoldNothingUnknown: what the headers of an installed CUDA declare for kernels has a row.
func TestHeadersHoldNothingUnknown(t *testing.T) {
	include := ""
	for _, dir := range []string{os.Getenv("CUDA_HOME") + "/include", "/usr/local/cuda/include", "/usr/include"} {
		if _, err := os.Stat(filepath.Join(dir, "cuda_fp16.h")); err == nil {
			include = dir
			break
		}
	}
	if include == "" {
		t.Skip("no headers of CUDA in /usr/include or /usr/local/cuda/include")
	}
	names := 0
	for _, pattern := range []string{"*.h", "crt/*.h"} {
		files, err := filepath.Glob(filepath.Join(include, pattern))
		require.NoError(t, err)
		for _, file := range files {
			base := filepath.Base(file)
			if !strings.HasPrefix(base, "sm_") && !strings.HasPrefix(base, "device_") && base != "cuda_fp16.h" && base != "cuda_bf16.h" && base != "cuda_pipeline_primitives.h" {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				if internal.MatchString(m[1]) {
					continue
				}
				names++
				assert.True(t, Of(m[1]).Known(), fmt.Sprintf("%s of %s has no row", m[1], base))
			}
		}
	}
	require.Greater(t, names, 300, "the headers are read")
}

// internal are names that programs do not use: those behind the overloads of
// atomic functions, macros, and names that CUDA took back.
var internal = regexp.MustCompile(`^(__[a-z]+Atomic\w+|__DEPRECATED__|__\w+_DEPRECATED_MESSAGE|asm|defined|__pm[0-3]|float2(int|uint)|(int|uint)2float|(int|uint)_as_float|float_as_(int|uint)|mul(24|64hi|hi)|umul24|byte_perm|fdivide|(ll|ull|double|float|int|uint)2(double|ll|ull|int|uint)|d(add|mul|sub)|syncthreads(_and|_or|_count)?|any|all|ballot|saturate)$`)
