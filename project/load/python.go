package load

import (
	"bytes"
	"path/filepath"
	"regexp"
)

// isPython reports whether a file is named as one of Python's.
func isPython(name string) bool { return filepath.Ext(name) == ".py" }

// pythonString is a string in three quotes; its prefix says whether backslashes are plain.
var pythonString = regexp.MustCompile(`(?s)([rRbBuU]*)("""(.*?)"""|\'\'\'(.*?)\'\'\')`)

// CUDAInPython returns the CUDA text in a source of Python, such as what load_inline is given: the strings in three
// quotes that hold a kernel. All else is blank, so that lines and columns stay where they are. The
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
		if !bytes.Contains(text, []byte("__global__")) {
			continue
		}
		found = true
		copy(out[from:to], text)
		if !bytes.ContainsAny(src[m[2]:m[3]], "rR") {
			copy(out[from:to], unescaped(text))
		}
	}
	if !found {
		return out
	}
	return append([]byte("#include <torch/extension.h>"), bytes.TrimLeft(out, " ")...)
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
