package parser

import "strings"

// StringKernel is a string literal, or several in a row, with text of kernels: a program
// hands it to a compiler when it runs, as to nvrtcCreateProgram.
type StringKernel struct {
	Start   int // offset of the first literal
	Kernels int
}

// StringKernels returns the literals of the file that hold kernels, by position.
func (f *File) StringKernels() (out []StringKernel) {
	if !strings.Contains(string(f.Src), globalWord) {
		return nil
	}
	text, start := "", 0
	end := func() {
		if n := kernelsIn(text); n > 0 {
			out = append(out, StringKernel{start, n})
		}
		text = ""
	}
	for _, t := range scanSource(f.Src).toks {
		if t.kind != tokLiteral {
			end()
			continue
		}
		if text == "" {
			start = int(t.start)
		}
		text += string(f.Src[t.start:t.end])
	}
	end()
	return out
}

// kernelsIn counts the kernels that the text of literals defines: each has parameters and a body.
func kernelsIn(text string) (n int) {
	for _, part := range strings.Split(text, globalWord)[1:] {
		if open := strings.IndexByte(part, '('); open >= 0 && strings.IndexByte(part[open:], '{') >= 0 {
			n++
		}
	}
	return n
}
