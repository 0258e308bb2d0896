package pipeline

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
)

// What a compiler made of a rewrite counts for the lines that were there before, and the
// runtime's code for none.
func TestLinesOfARewriteStandForThoseOfTheOriginal(t *testing.T) {
	before := "#include <a>\n__global__ void k()\n{\n    one();\n    __syncthreads();\n    two();\n}\n"
	after := "// runtime\nnamespace smux {\nvoid sync();\n}\n#include <a>\n__global__ void k()\n{\n    vtb.start();\n    one();\n    vtb.sync();\n    two();\n}\n"
	m := newLineMap([]byte(before), []byte(after))
	for line, want := range map[int]int{1: 0, 3: 0, 5: 1, 7: 3, 8: 4, 9: 4, 10: 5, 11: 6, 12: 7, 13: 0, 0: 0, -1: 0} {
		assert.Equal(t, want, m.of(line), "line %d", line)
	}
	lines := []cost.Line{
		{File: "k.cu", Line: 9, In: 9, Issue: 5},
		{File: "k.cu", Line: 3, In: 10, Issue: 7}, // sync, inlined
		{File: "other.h", Line: 3, In: 11, Issue: 2},
	}
	assert.Equal(t, []cost.Line{{File: "k.cu", Line: 4, In: 4, Issue: 5}, {File: "other.h", Line: 3, In: 11, Issue: 2}},
		linesBefore(lines, map[string]lineMap{"k.cu": m}))
}

func TestATextThatDidNotChangeMapsToItself(t *testing.T) {
	m := newLineMap([]byte("a\nb\nc\n"), []byte("a\nb\nc\n"))
	for line := 1; line <= 3; line++ {
		assert.Equal(t, line, m.of(line))
	}
}
