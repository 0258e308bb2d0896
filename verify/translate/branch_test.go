package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

// TestBranchesAreWhatConditionsDecideAbout: each by the line of its first statement, with that of the branch around it.
func TestBranchesAreWhatConditionsDecideAbout(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"an if":                                   {"if (n)\n{\na[1] = 1; }\nelse\n{\na[2] = 1; }", "3/1 6/1"},
		"one without braces":                      {"if (n)\na[1] = 1;\nelse\na[2] = 1;", "2/1 4/1"},
		"else if":                                 {"if (n)\na[1] = 1;\nelse if (n > 1)\na[2] = 1;\nelse\na[3] = 1;", "2/1 4/1 6/1"},
		"what stands after an if that leaves":     {"if (n) return;\na[1] = 1;\nif (n > 1) { n = 2; return; }\na[2] = 1;", "2/1 3/2 4/2"},
		"a jump alone is none":                    {"for (;;) { if (n) break; else continue; }", "1/1"},
		"loops, one in another":                   {"for (int i = 0; i < n; i++)\nwhile (n)\na[i] = --n;\ndo {\na[0] = 1; } while (n);", "2/1 3/2"},
		"cases":                                   {"switch (n) {\ncase 1:\ncase 2:\na[0] = 1;\nbreak;\ndefault:\nif (n)\na[1] = 1; }", "4/1 8/1"},
		"operands of ?: that load":                {"a[0] = n ?\na[1] :\n3;\nint b = n > 1 ? 1 :\n*a;", "2/1 5/1"},
		"none under #if or in a constant":         {"\n#if 1\nif (n) a[0] = 1;\n#endif\nconstexpr int c[2] = {}; constexpr int d = true ? c[1] : 2;\nif (n)\na[d] = 1;", "7/2"},
		"a body with a directive keeps its lines": {"if (n)\nfor (int i = 0; i < n; i++)\n{\n#pragma unroll\nfor (int k = 0; k < 2; k++)\na[k] = i; }", "4/1 6/4"},
	} {
		f, err := parser.Parse("a.cu", []byte("__global__ void k(int *a, int n) { "+test.body+"\n}"), parser.Options{})
		require.NoError(t, err)
		all := Branches(f)
		var got []string
		for _, b := range all[1:] {
			got = append(got, fmt.Sprintf("%d/%d", f.Position(b.Start).Line, f.Position(all[b.Outer].Start).Line))
			assert.Equal(t, "k", b.Function)
		}
		assert.Equal(t, test.want, strings.Join(got, " "), name)
		assert.Equal(t, -1, all[0].Outer, name)
	}
}
