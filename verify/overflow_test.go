package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// TestOnlySubscriptsOverflowForAReason: of the operators at /*!*/ those count that an element's place
// is computed from, those at /*-*/ do not.
func TestOnlySubscriptsOverflowForAReason(t *testing.T) {
	const text = `__global__ void k(int *a, int n, int m) {
    int row = n /*!*/* m, hash = n /*-*/* 31;
    int at = row + 1;
    a[at] = hash /*-*/* m + a[n /*!*/+ m];
    int *p = a;
    p = p + n /*!*/* 4;
    p[0] = *(a + m /*!*/* 3) /*-*/+ n;
    int sum = 0;
    sum += a[0] /*-*/* 7;
    a[1] = sum;
}`
	f, err := parser.Parse("a.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	marks := 0
	for number, line := range strings.Split(text, "\n") {
		for at := 0; at < len(line); at++ {
			for mark, want := range map[string]bool{"/*!*/": true, "/*-*/": false} {
				if strings.HasPrefix(line[at:], mark) {
					marks++
					pos := diag.Position{File: "a.cu", Line: number + 1, Column: at + len(mark) + 1}
					assert.Equal(t, want, feedsSubscript(f, pos), "%d: %s", number+1, line[at:])
				}
			}
		}
	}
	assert.Equal(t, 8, marks)
}
