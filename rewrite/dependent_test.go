package rewrite

import (
	"testing"

	"github.com/smux-cuda/smux/parser"
	"github.com/stretchr/testify/require"
)

func TestDependentFilesStandOrFallTogether(t *testing.T) {
	kernel := func(name string) *parser.Function {
		return &parser.Function{Name: name, Quals: parser.QualGlobal}
	}
	launch := func(name string) *parser.Launch { return &parser.Launch{Kernel: name} }
	include := func(file string) parser.Include { return parser.Include{File: file} }
	prog := &parser.Program{Files: []*parser.File{
		{Name: "fft.cu", Functions: []*parser.Function{kernel("fft")}},
		{Name: "alone.cu", Functions: []*parser.Function{kernel("alone")}},
		{Name: "./scan.cuh", Functions: []*parser.Function{kernel("scan")}},
		{Name: "user.cu", Includes: []parser.Include{include("scan.cuh")}},
		{Name: "main.cu", Launches: []*parser.Launch{launch("fft"), launch("kept")}},
		{Name: "kept.cu", Functions: []*parser.Function{kernel("kept"), kernel("last")}},
		{Name: "both.cu", Launches: []*parser.Launch{launch("last"), launch("alone")}},
	}}
	result := &Result{Kernels: []KernelResult{
		{Name: "fft", Variant: Variant{Rewriter: "vtb"}}, {Name: "alone", Variant: Variant{Rewriter: "vtb"}}, {Name: "scan", Variant: Variant{Rewriter: "vtb"}},
		{Name: "kept"}, {Name: "last", Variant: Variant{Rewriter: "vtb"}},
	}}
	for _, f := range prog.Files {
		result.Files = append(result.Files, FileResult{Name: f.Name})
	}
	var got [][]string
	for _, group := range DependentFiles(prog, result) {
		var names []string
		for _, f := range group {
			names = append(names, f.Name)
		}
		got = append(got, names)
	}
	require.Equal(t, [][]string{
		{"fft.cu", "main.cu"},
		{"alone.cu", "kept.cu", "both.cu"},
		{"./scan.cuh", "user.cu"},
	}, got)
}
