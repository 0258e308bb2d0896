package load

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// isPython reports whether a file is named as one of Python's.
func isPython(name string) bool { return filepath.Ext(name) == ".py" }

// pythonString is a string in three quotes; its prefix says whether backslashes are plain.
var pythonString = regexp.MustCompile(`(?s)([rRbBuU]*)("""(.*?)"""|\'\'\'(.*?)\'\'\')`)

// CUDAInPython returns the CUDA text in a source of Python, such as what load_inline is given: the strings in three
// quotes that hold a kernel, and those with a function that takes tensors and has a body (cpp_sources), where there are others
// with kernels. All else is blank, so that lines and columns stay where they are. The
// header of PyTorch's extensions, which load_inline puts in front, stands in the first line.
func CUDAInPython(src []byte) []byte {
	out := bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return r
		}
		return ' '
	}, src)
	if len(out) != len(src) { // letters of several bytes have become one blank
		out = blankBytes(src)
	}
	found := false
	for _, m := range pythonString.FindAllSubmatchIndex(src, -1) {
		from, to := m[6], m[7]
		if from < 0 {
			from, to = m[8], m[9]
		}
		text := src[from:to]
		kernels := bytes.Contains(text, []byte("__global__"))
		if !kernels && !hostFunction.Match(text) {
			continue
		}
		found = found || kernels
		copy(out[from:to], text)
		if !bytes.ContainsAny(src[m[2]:m[3]], "rR") {
			copy(out[from:to], unescaped(text))
		}
	}
	if !found {
		return blankBytes(src)
	}
	return append([]byte("#include <torch/extension.h>"), bytes.TrimLeft(out, " ")...)
}

// hostFunction is a function that takes tensors, with its body; a declaration is not.
var hostFunction = regexp.MustCompile(`(?s)\w\s*\([^;{}()]*\b(torch|at)::Tensor\b[^;{}]*\)\s*\{`)

// sourceName is a string that names a source of CUDA or C++.
var sourceName = regexp.MustCompile(`["\']([^"\'\n]+\.(?:cu|cuh|cpp|cc))["\']`)

// SourcesOfPython returns the files that a source of Python names and that are there, as it does for load(sources=[…]), or where it
// reads the text for load_inline: from its own folder on. None where it has kernels itself. Who names a .cu has its .cpp
// in front, since that has the functions which others call.
func SourcesOfPython(name string, src []byte) (out []string) {
	if len(bytes.TrimSpace(CUDAInPython(src))) > 0 {
		return nil
	}
	cuda := false
	for _, m := range sourceName.FindAllSubmatch(src, -1) {
		path := filepath.Join(filepath.Dir(name), filepath.FromSlash(string(m[1])))
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || slices.Contains(out, path) {
			continue
		}
		cuda = cuda || strings.HasPrefix(filepath.Ext(path), ".cu")
		out = append(out, path)
	}
	if !cuda {
		return nil
	}
	slices.SortStableFunc(out, func(a, b string) int {
		rank := func(path string) int {
			if strings.HasPrefix(filepath.Ext(path), ".cu") {
				return 1
			}
			return 0
		}
		return rank(a) - rank(b)
	})
	return out
}

func blankBytes(src []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(src))
	for i, c := range src {
		if c == '\n' || c == '\r' {
			out[i] = c
		}
	}
	return out
}

// unescaped halves double backslashes, with a blank at the end of the line for each.
func unescaped(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		n := bytes.Count(line, []byte(`\\`))
		if n == 0 {
			continue
		}
		end := []byte("")
		body := line
		if bytes.HasSuffix(line, []byte("\n")) {
			body, end = line[:len(line)-1], []byte("\n")
		}
		lines[i] = append(append(bytes.ReplaceAll(body, []byte(`\\`), []byte(`\`)), bytes.Repeat([]byte(" "), n)...), end...)
	}
	return bytes.Join(lines, nil)
}
