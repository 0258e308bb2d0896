package acc

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// A translation can be two files: the program of the host, which stays close to the C file and
// declares the kernels, and the kernels with the functions that they alone call. The first
// includes the second at its end, where all types, macros and functions are known.

// isSplit reports whether the kernels go to a file of their own.
func (t *translation) isSplit() bool { return t.options.KernelFile != "" }

// placeOfKernels finds the place for the text of a function's kernels, in the C file.
func (t *translation) placeOfKernels(f *parser.Function) int {
	if t.isSplit() {
		return len(t.file.Src)
	}
	return t.above(f)
}

// writeKernels puts kernels above their functions, or declares them there.
func (t *translation) writeKernels() {
	var apart []string
	for _, f := range t.tree.Functions {
		texts := t.kernels[f]
		if len(texts) == 0 {
			continue
		}
		if !t.isSplit() {
			t.ahead(t.above(f), strings.Join(texts, "\n")+"\n")
			continue
		}
		var declared []string
		for _, k := range texts {
			declared = append(declared, declarationOf(k))
		}
		t.ahead(t.above(f), strings.Join(declared, "")+"\n")
		apart = append(apart, texts...)
	}
	if t.isSplit() {
		t.kernelText = fmt.Sprintf("// The kernels of %s, which includes this file at its end: its types, macros and functions are\n// known here.\n", hostFile(t.file.Name))
		if functions := t.deviceHelpers(); len(functions) > 0 {
			apart = append(functions, apart...)
		}
		t.kernelText += "\n" + strings.Join(apart, "\n")
	}
}

// declarationOf declares the kernel that a text defines.
func declarationOf(kernel string) string {
	text := kernel[strings.Index(kernel, "__global__"):]
	head, _, _ := strings.Cut(text, "\n{")
	return head + ";\n"
}

// hostFile is the name of the CUDA file that stands beside a C file.
func hostFile(name string) string {
	name = filepath.Base(name)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name + ".cu"
}

// deviceHelpers takes the functions that kernels alone call out of what the host gets.
func (t *translation) deviceHelpers() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(t.uses)) {
		if strings.Contains(t.uses[name], "\n__device__ static ") {
			out = append(out, t.uses[name])
			delete(t.uses, name)
		}
	}
	return out
}

// includeKernels ends the host's program.
func (t *translation) includeKernels() {
	if !t.isSplit() || len(t.names) == 0 {
		return
	}
	end := len(t.file.Src)
	text := fmt.Sprintf("\n#include \"%s\"\n", t.options.KernelFile)
	if end > 0 && t.file.Src[end-1] != '\n' {
		text = "\n" + text
	}
	t.edits.Insert(end, text)
}
