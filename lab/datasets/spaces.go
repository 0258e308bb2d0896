package datasets

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

var (
	// names are the ten benchmarks in the order of PACT'12 Table 1.
	names = []string{"mv", "fft", "mc", "sto", "sp", "hg", "cv", "mm", "tp", "rd"}
	// boards are the GPUs of the records: an old one whose SMs have little storage, one
	// that a desktop has, and one of a data center.
	boards = []string{"gtx480@16", "t4", "a100"}
)

// fewestForms is the least number of forms of a kernel for it to be searched at all.
const fewestForms = 8

// kernel is a kernel with its forms on a GPU, nothing of which is measured.
type kernel struct {
	subject record.Subject // its machine only names the GPU
	forms   []record.MeasuredVariant
}

// kernels lists the forms of the kernels of a program on a GPU.
func kernels(examples, name, board string) ([]kernel, error) {
	device, err := gpu.Lookup(board)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(examples, name, name+".cu")
	prog, errs := parser.LoadProgram([]string{file}, parser.Options{})
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	analysed := passes.NewProgram(prog, [3]int{})
	var out []kernel
	for _, g := range rewrite.Groups(analysed, analysed.Kernels(), rewrite.Options{}) {
		if !g.Can() {
			continue
		}
		report := selection.Group(g, selection.Request{GPUs: []*gpu.GPU{device}, Source: selection.Estimates{}})
		entries, _ := space.Enumerate(space.Input{Program: prog, Analysed: analysed, Group: g, GPU: device, Report: report, All: true})
		if len(entries) < fewestForms {
			continue
		}
		k := kernel{subject: record.Subject{
			Source: record.HashTexts(map[string][]byte{file: prog.Files[0].Src}, nil),
			Files:  []string{filepath.ToSlash(filepath.Join("examples", name, name+".cu"))},
			Kernel: g.Kernels[0].Name, Machine: record.Machine{On: "model", GPU: board},
		}}
		for _, e := range entries {
			k.forms = append(k.forms, record.MeasuredVariant{Candidate: e.TunedVariant, Name: e.TunedVariant.String(), Predicted: e.Predicted})
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no kernel with %d forms on %s", file, fewestForms, board)
	}
	return out, nil
}
