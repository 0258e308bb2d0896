package parser

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProgramsShareTheTreesOfHeaders, whatever else of a header is each program's own.
func TestProgramsShareTheTreesOfHeaders(t *testing.T) {
	texts := map[string]string{
		"common.cuh": "#ifndef N\n#define N 8\n#endif\n__device__ int twice(int x) { return x * N; }\n",
		"moved.cuh":  "template <class T> __device__ T f(T x) { return x; }\ntypedef int __align__(8) wide;\n__device__ int *g(int n) { return new int *[n][0]; }\n",
	}
	trees := NewTrees()
	program := func(define string, trees *Trees) *Program {
		opt := Options{Trees: trees, ReadFile: func(name string) ([]byte, error) {
			text, ok := texts[name]
			if !ok {
				return nil, assert.AnError
			}
			return []byte(text), nil
		}}
		f, err := Parse("k.cu", []byte(define+"#include \"common.cuh\"\n#include \"moved.cuh\"\n__global__ void k(int *a) { *a = twice(N); }\n"), opt)
		require.NoError(t, err)
		return NewProgram([]*File{f}, opt)
	}
	programs := make([]*Program, 8)
	var all sync.WaitGroup
	for i := range programs {
		all.Go(func() { programs[i] = program([]string{"", "#define N 4\n"}[i%2], trees) })
	}
	all.Wait()
	for i, p := range programs {
		alone := program([]string{"", "#define N 4\n"}[i%2], nil)
		require.Len(t, p.Headers, len(alone.Headers))
		for path, h := range alone.Headers {
			assert.Equal(t, nodesOf(h), nodesOf(p.Headers[path]))
			assert.Len(t, p.Headers[path].Functions, len(h.Functions))
			assert.NotSame(t, h.Root, p.Headers[path].Root)
		}
		assert.Same(t, programs[0].Headers["common.cuh"].Root, p.Headers["common.cuh"].Root)
		assert.NotSame(t, programs[0].Files[0].Root, program("", trees).Files[0].Root, "a file that may be changed has its own")
	}
	for i, want := range []string{"8", "4"} {
		text, err := programs[i].Headers["common.cuh"].Macros.Expand("N", len(texts["common.cuh"]))
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
}

// nodesOf are a file's nodes, without their links.
func nodesOf(f *File) (out []Node) {
	f.Root.Walk(func(n *Node) bool {
		out = append(out, Node{Start: n.Start, End: n.End, Kind: n.Kind, Field: n.Field, Flags: n.Flags})
		return true
	})
	return out
}

// TestFragmentsAreKeptByTextAndKind, and those that nobody asked for go when there are too many.
func TestFragmentsAreKeptByTextAndKind(t *testing.T) {
	trees := NewTrees()
	first := map[string]*Fragment{}
	for range 2 {
		for _, text := range []string{"a + b", "a + c", "f(x);", "f(y);", "if (a) b();", "a +", "(a, b)", ""} {
			for _, kind := range []FragmentKind{FragmentExpression, FragmentStatements} {
				want, wrong := ParseFragment(text, kind)
				got, err := trees.Fragment(text, kind)
				assert.Equal(t, wrong, err, text)
				assert.Equal(t, want, got, text)
				key := fmt.Sprint(kind, text)
				if first[key] != nil {
					assert.Same(t, first[key], got, text)
				}
				first[key] = got
			}
		}
	}
	for i := range 3 { // each fills more than half of the store
		_, _ = trees.parse([]byte(fmt.Sprintf("int x%d;%s", i, strings.Repeat(" ", mostShared*2/3))))
	}
	assert.Less(t, len(trees.now)+len(trees.older), 4)
	again, err := trees.Fragment("a + b", FragmentExpression)
	require.NoError(t, err)
	assert.NotSame(t, first[fmt.Sprint(FragmentExpression, "a + b")], again)
}
