package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

const torchDir = "../testdata/torch"

// verdictOf runs a command with --json and returns its verdict.
func verdictOf(t *testing.T, args ...string) (*verify.Verdict, string) {
	t.Helper()
	var out, said bytes.Buffer
	Main(append(args, "--json", "--order", "ascending"), strings.NewReader(""), &out, &said)
	var v verify.Verdict
	require.NoError(t, json.Unmarshal(out.Bytes(), &v), said.String())
	return &v, said.String()
}

func needTorch(t *testing.T) {
	if _, err := build.Find(""); err != nil || testing.Short() {
		t.Skip("no C++ compiler, or -short")
	}
}

// TestExtensionsOfPyTorchAreJudged: each file of testdata/torch, a source of Python or CUDA, gets the code that
// its first line names, at a line of its kernel or host function or of the file that it names, or nothing is found.
func TestExtensionsOfPyTorchAreJudged(t *testing.T) {
	needTorch(t)
	files, err := filepath.Glob(filepath.Join(torchDir, "*.*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 33)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			suite.Sample(t, filepath.Base(file), 8)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			_, want, ok := strings.Cut(first, "want: ")
			require.True(t, ok, first)
			want, other, elsewhere := strings.Cut(want, " in ")
			if elsewhere {
				other = filepath.Join(torchDir, other)
				text, err = os.ReadFile(other)
				require.NoError(t, err)
			} else {
				other = file
			}
			v, said := verdictOf(t, "check", file)
			assert.Contains(t, said, "forward(", "what is called is told")
			assert.Empty(t, v.Failures)
			if want == "nothing" {
				assert.Empty(t, v.Findings)
				return
			}
			found := false
			for _, f := range v.Findings {
				if f.Message.Code != diag.Code(want) || f.Severity != verify.Counts {
					continue
				}
				found = true
				if f.Message.Code != verify.CodeUnwritten { // that is seen where the result is copied
					assert.Equal(t, other, f.Message.Pos.File)
					assert.LessOrEqual(t, f.Message.Pos.Line, strings.Count(string(text), "\n"))
				}
			}
			assert.True(t, found, "%v", v.Findings)
		})
	}
}

// TestExtensionsAreComparedWithEachOther: two of one interface are called alike.
func TestExtensionsAreComparedWithEachOther(t *testing.T) {
	needTorch(t)
	v, _ := verdictOf(t, "verify", filepath.Join(torchDir, "relu.py"), filepath.Join(torchDir, "relu_no_tail.py"))
	assert.Equal(t, verify.Different, v.Outcome)
	var codes []diag.Code
	for _, f := range v.Findings {
		codes = append(codes, f.Message.Code)
	}
	assert.Contains(t, codes, verify.CodeDifferentCopy)
	v, _ = verdictOf(t, "verify", filepath.Join(torchDir, "twice_vectors.cu"), filepath.Join(torchDir, "twice_vectors.cu"))
	assert.Equal(t, verify.Equal, v.Outcome)
}

// TestFindingsInPythonAreSARIF: places are those of the Python source.
func TestFindingsInPythonAreSARIF(t *testing.T) {
	needTorch(t)
	suite.OnlyFull(t)
	var out, said bytes.Buffer
	Main([]string{"check", "--format", "sarif", "--order", "ascending", filepath.Join(torchDir, "relu_past_end.py")}, strings.NewReader(""), &out, &said)
	assert.Contains(t, out.String(), `"ruleId": "out-of-bounds"`)
	assert.Contains(t, out.String(), `testdata/torch/relu_past_end.py"`)
}
