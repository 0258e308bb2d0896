package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

const twoKernels = `#include <cstdio>
__global__ void first(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void second(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x]; // ä
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { first<<<1, 64>>>(a); second<<<1, 64>>>(a); }`

// mark may stand at the start of a file. It is not a part of the first line.
const mark = "\xef\xbb\xbf"

// edited applies the edits of a document to a file.
func edited(t *testing.T, src string, edits []report.FileEdits) string {
	t.Helper()
	require.Len(t, edits, 1)
	for i := len(edits[0].Edits) - 1; i >= 0; i-- {
		e := edits[0].Edits[i]
		lines := strings.SplitAfter(src, "\n")
		if last := len(lines); lines[last-1] == "" {
			lines = lines[:last-1]
		}
		byBytes := src[:e.StartByte] + *e.Text + src[e.EndByte:]
		if strings.HasPrefix(src, mark) {
			lines[0] = strings.TrimPrefix(lines[0], mark)
		}
		before := src
		src = strings.Join(lines[:e.StartLine-1], "") + *e.Text + strings.Join(lines[e.EndLine-1:], "")
		if strings.HasPrefix(before, mark) {
			src = mark + src
		}
		require.Equal(t, byBytes, src, "lines and bytes say the same")
	}
	return src
}

func TestEditsOfTheDocumentAreWhatRewriteWrites(t *testing.T) {
	for name, src := range map[string]string{
		"LF":           twoKernels + "\n",
		"CRLF":         strings.ReplaceAll(twoKernels, "\n", "\r\n") + "\r\n",
		"no last line": twoKernels,
		"marked":       mark + strings.ReplaceAll(twoKernels, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			rewritten := func(args ...string) (string, string) {
				file := filepath.Join(t.TempDir(), "x.cu")
				require.NoError(t, os.WriteFile(file, []byte(src), 0o666))
				code, stdout, stderr := runReal(t, append(args, file)...)
				require.LessOrEqual(t, code, diag.ExitDiffers, stderr)
				after, err := os.ReadFile(file)
				require.NoError(t, err)
				return stdout, string(after)
			}
			stdout, _ := rewritten("rewrite", "-d", "--format", "json", "--variant", "vtb")
			var doc report.Changes
			require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
			_, both := rewritten("rewrite", "-w", "--runtime", "inline", "--variant", "vtb")
			require.NotEqual(t, src, both)
			require.Equal(t, both, edited(t, src, doc.Programs[0].Edits))
			for _, k := range doc.Programs[0].Kernels {
				_, alone := rewritten("rewrite", "-w", "--runtime", "inline", "--variant", "vtb", "--kernel", k.Name)
				require.Equal(t, alone, edited(t, src, k.Edits), "the edits of %s are those of it alone", k.Name)
			}
		})
	}
}

// runReal is run with the rewriter that people have.
func runReal(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	s := newSession(strings.NewReader(""), &out, &errs)
	s.rewrite = rewrite.RunAnalysed
	s.nvidiaSMI, s.findNVCC = fakeNVIDIASMI, noNVCC
	code = s.main(args)
	return code, out.String(), errs.String()
}

func TestEachFormatIsDocumentedAndHasAWriter(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "use", "pullrequests.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "\n| `--format` |")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for _, row := range strings.Split(table, "\n| `")[1:] {
		name, _, _ := strings.Cut(row, "`")
		rows = append(rows, name)
	}
	require.Equal(t, formats, rows)
	for _, name := range baselineFormats[1:] {
		require.Contains(t, writers, name)
		require.Contains(t, formats, name)
	}
}
