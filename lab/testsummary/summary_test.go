package testsummary

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSummary: output is shown of what failed alone, each package has its line,
// and the end says what was skipped and why, what took longest, and how many
// tests there were.
func TestSummary(t *testing.T) {
	events := `# compiling went on
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Test":"TestGood","Output":"    a_test.go:3: fine\n"}
{"Action":"pass","Package":"github.com/smux-cuda/smux/a","Test":"TestGood","Elapsed":0.2}
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Test":"TestBad","Output":"    a_test.go:5: wrong\n"}
{"Action":"fail","Package":"github.com/smux-cuda/smux/a","Test":"TestBad","Elapsed":3}
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Test":"TestLong/one","Output":"    a_test.go:9: left to make test-full\n"}
{"Action":"skip","Package":"github.com/smux-cuda/smux/a","Test":"TestLong/one","Elapsed":0}
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Test":"TestScripts/two","Output":"        > [!cxx] skip 'no compiler'\n"}
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Test":"TestScripts/two","Output":"        > [!full] skip 'the rest is left'\n"}
{"Action":"skip","Package":"github.com/smux-cuda/smux/a","Test":"TestScripts/two","Elapsed":0}
{"Action":"output","Package":"github.com/smux-cuda/smux/a","Output":"FAIL\tgithub.com/smux-cuda/smux/a\t3.2s\n"}
{"Action":"fail","Package":"github.com/smux-cuda/smux/a","Elapsed":3.2}
`
	var out strings.Builder
	s := newSummary(&out)
	require.NoError(t, s.read(strings.NewReader(events)))
	s.close()
	assert.Equal(t, 1, s.failed)
	assert.Equal(t, `# compiling went on
    a_test.go:5: wrong
FAIL	github.com/smux-cuda/smux/a	3.2s

skipped:
     1  left to make test-full: a TestLong/one
     1  the rest is left: a TestScripts/two

slowest:
       3s  a TestBad
    200ms  a TestGood
       0s  a TestLong/one
       0s  a TestScripts/two

1 passed, 1 failed, 2 skipped
`, out.String())
}
