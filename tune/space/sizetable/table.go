// Package sizetable prints which sizes programs offer, and what becomes of other values: for
// docs/tune.md. The programs are NVIDIA's cuda-samples, which are not part of this project.
package sizetable

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/sizes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// sample is a program of cuda-samples.
type sample struct {
	folder   string // below Samples
	files    []string
	includes []string
	args     []string // so small that the CPU engine has done soon
	too      string   // why it is not run, "" where it is
	// except are lines that print a block's size, as --except-lines has them.
	except string
	// smaller are pairs of texts: the first is replaced by the second in all files, since a
	// constant makes the sample too large for the CPU engine.
	smaller []string
}

var samples = []sample{
	{"0_Introduction/matrixMul", []string{"matrixMul.cu"}, nil, []string{"wA=64", "hA=64", "wB=64", "hB=64"}, "", "^Performance=", nil},
	{"6_Performance/transpose", []string{"transpose.cu"}, nil, []string{"dimX=64", "dimY=64"}, "", "block size: |Workgroup = ", nil},
	{"2_Concepts_and_Techniques/reduction", []string{"reduction_kernel.cu", "reduction.cpp"}, nil, []string{"--n=4096"}, "", "threads \\(max\\)|^[0-9]+ blocks|Workgroup = ", nil},
	{"2_Concepts_and_Techniques/convolutionSeparable", []string{"convolutionSeparable.cu", "main.cpp", "convolutionSeparable_gold.cpp", "convolutionSeparable_common.h"}, nil, nil,
		"", "", []string{"imageW     = 3072", "imageW = 768", "imageH     = 3072", "imageH = 768", "iterations = 16", "iterations = 1"}},
	{"5_Domain_Specific/FDTD3d", []string{"inc/FDTD3dGPUKernel.cuh", "inc/FDTD3dGPU.h", "src/FDTD3dGPU.cu", "src/FDTD3d.cpp", "src/FDTD3dReference.cpp"}, []string{"inc"},
		[]string{"dimx=64", "dimy=32", "dimz=16", "timesteps=2"}, "", "set (block|grid) size", nil},
}

// Main prints the table. Arguments: -samples names the folder of cuda-samples, -gpu the GPU
// whose limits count, -only one sample.
func Main(args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("sizes", flag.ContinueOnError)
	folder := f.String("samples", filepath.Join("..", "cuda-samples"), "the folder of cuda-samples")
	name := f.String("gpu", "a100", "the GPU whose limits count")
	only := f.String("only", "", "the sample of this name alone")
	if err := f.Parse(args); err != nil {
		return err
	}
	board, err := gpu.Lookup(*name)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "| sample | constant | of | sets | equal | not equal | can't run |\n|---|---|---|---|---|---|---|")
	for _, s := range samples {
		if *only != "" && *only != filepath.Base(s.folder) {
			continue
		}
		if err := s.print(*folder, board, stdout); err != nil {
			return fmt.Errorf("%s: %w", s.folder, err)
		}
	}
	return nil
}

// read reads a file of a sample, made smaller.
func (s sample) read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	return []byte(strings.NewReplacer(s.smaller...).Replace(string(text))), err
}

// print writes the rows of a sample.
func (s sample) print(folder string, board *gpu.GPU, stdout io.Writer) error {
	opt := parser.Options{IncludeDirs: []string{filepath.Join(folder, "Common")}}
	var paths []string
	for _, f := range s.files {
		paths = append(paths, filepath.Join(folder, "Samples", s.folder, f))
	}
	for _, dir := range s.includes {
		opt.IncludeDirs = append(opt.IncludeDirs, filepath.Join(folder, "Samples", s.folder, dir))
	}
	opt.ReadFile = s.read
	parsed, errs := parser.LoadProgram(paths, opt)
	if len(errs) > 0 {
		return errs[0]
	}
	p := analysis.NewProgram(parsed, [3]int{})
	found, err := sizes.Find(p, p.Kernels()...)
	if err != nil {
		return err
	}
	for _, c := range found {
		one, err := s.tryAll(p, c, opt, board)
		if err != nil {
			return err
		}
		row := []string{filepath.Base(s.folder), fmt.Sprintf("`%s` = %d", c.Name, c.Value), kernels(c), sets(c), one.equal(), strings.Join(one.different, "; "), strings.Join(one.refused, "; ")}
		fmt.Fprintln(stdout, "| "+strings.Join(row, " | ")+" |")
	}
	return nil
}

// tried is what became of the values of a constant.
type tried struct {
	same               []string
	different, refused []string // "VALUE: why"
	notRun             string
}

func (t tried) equal() string {
	if t.notRun != "" {
		return "not run: " + t.notRun
	}
	return strings.Join(t.same, ", ")
}

// tryAll runs the program with every value that the GPU can run, and compares outputs.
func (s sample) tryAll(p *analysis.Program, c *sizes.Constant, opt parser.Options, board *gpu.GPU) (out tried, err error) {
	original := verify.Program{IncludeDirs: opt.IncludeDirs}
	for _, f := range p.Parsed.Files {
		original.Files = append(original.Files, verify.NewFile(f.Name, f.Src))
	}
	request := verify.Request{Original: original, Args: [][]string{s.args}, Timeout: time.Minute, Tolerance: verify.Tolerance{Except: s.except},
		Schedules: []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}}}
	for _, value := range c.Values() {
		if why := space.TooLarge(p, p.Kernels(), board, c, value); why != "" {
			out.refused = append(out.refused, fmt.Sprintf("%d: %s", value, why))
			continue
		}
		variant := verify.Variant{Name: fmt.Sprint(value), Program: original}
		variant.Program.Files = slices.Clone(original.Files)
		at := slices.IndexFunc(variant.Program.Files, func(f verify.File) bool { return f.Name == c.File.Name })
		variant.Program.Files[at].Text = c.Text(value)
		request.Variants = append(request.Variants, variant)
	}
	if out.notRun = s.too; s.too != "" || len(request.Variants) == 0 {
		return out, nil
	}
	verdict, err := verify.Run(context.Background(), request)
	if err != nil {
		return out, err
	}
	for _, v := range request.Variants {
		switch why := reason(verdict, v.Name); {
		case why != "":
			out.different = append(out.different, v.Name+": "+why)
		case verdict.Passed(v.Name):
			out.same = append(out.same, v.Name)
		default:
			out.different = append(out.different, v.Name+": not judged")
		}
	}
	return out, nil
}

// reason returns the code of the first thing that was found of a variant, "" for none.
func reason(v *verify.Verdict, variant string) string {
	for _, f := range v.Failures {
		if f.Variant == variant || f.Variant == verify.OriginalName {
			return string(f.Message.Code)
		}
	}
	for _, f := range v.Findings {
		if f.Variant == variant && f.Severity == verify.Counts {
			return string(f.Message.Code)
		}
	}
	return ""
}

// kernels names those whose sizes the constant sets.
func kernels(c *sizes.Constant) string {
	var out []string
	for _, s := range c.Sets {
		if !slices.Contains(out, s.Kernel.Name) {
			out = append(out, s.Kernel.Name)
		}
	}
	if len(out) > 2 {
		return fmt.Sprintf("%d kernels", len(out))
	}
	return strings.Join(out, ", ")
}

// sets lists what the constant sets, of all kernels together.
func sets(c *sizes.Constant) string {
	var out []string
	for _, s := range c.Sets {
		if s.What != "shared memory" && !slices.Contains(out, s.What) {
			out = append(out, s.What)
		}
	}
	return strings.Join(out, ", ")
}
