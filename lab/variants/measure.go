package variants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// names are the ten benchmarks in the order of PACT'12 Table 1.
var names = []string{"mv", "fft", "mc", "sto", "sp", "hg", "cv", "mm", "tp", "rd"}

// program is a benchmark with all that becomes of its kernel, of two the one that
// has shared memory.
type program struct {
	name     string
	original figures
	variants []tabulated
	shorter  [][]tabulated // as ways.go has them; without figures where a knob changes nothing
	staying  [][]tabulated // the same
}

// figures hold what the compiler makes of a kernel.
type figures struct {
	nvcc.Kernel
	instructions int // of its machine code, static; what fills it up at the end left out
}

// tabulated is a rewrite of the kernel: its figures, or what is against it.
type tabulated struct {
	rewrite.Variant
	figures
	refused []diag.Message
}

// growth is by how many percent a variant has more instructions than the original.
func (p *program) growth(v tabulated) float64 {
	return 100 * (float64(v.instructions)/float64(p.original.instructions) - 1)
}

// measureAll compiles the programs in a folder and all their rewrites, side by
// side.
func measureAll(toolkit *nvcc.Toolkit, folder string) ([]*program, error) {
	ctx := context.Background()
	out, errs := make([]*program, len(names)), make([]error, len(names))
	parallel.Each(ctx, len(names), len(names), func(i int) (err error) {
		if out[i], err = measure(ctx, toolkit, folder, names[i]); err != nil {
			errs[i] = fmt.Errorf("%s: %w", names[i], err)
		}
		return nil
	})
	return out, errors.Join(errs...)
}

func measure(ctx context.Context, toolkit *nvcc.Toolkit, folder, name string) (*program, error) {
	file := filepath.Join(folder, name, name+".cu")
	prog, errs := parser.LoadProgram([]string{file}, parser.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	p := &program{name: name}
	var kernel *analysis.Kernel
	analysed := passes.NewProgram(prog, [3]int{})
	for _, k := range analysed.Kernels() {
		if len(k.Shared) > 0 {
			kernel = k
		}
	}
	if kernel == nil {
		return nil, errors.New("no kernel with shared memory")
	}
	originals, err := compile(ctx, toolkit, file, [][]byte{prog.Files[0].Src}, kernel.Name)
	if err != nil {
		return nil, err
	}
	p.original = originals[0]
	var texts [][]byte
	var compiled []int // the variants that they are of
	for i, w := range ways() {
		if selection.Splits(w) {
			w.PrivateRows = private(kernel, w, p.original)
		}
		result, err := rewrite.RunAnalysed(analysed, rewrite.Options{Variant: w, Kernels: []string{kernel.Name}})
		if err != nil {
			return nil, err
		}
		v := tabulated{Variant: w, refused: result.Kernels[0].Refused}
		if len(v.refused) == 0 {
			v.Variant = result.Kernels[0].Variant
			texts, compiled = append(texts, result.Files[0].After), append(compiled, i)
		}
		p.variants = append(p.variants, v)
	}
	all, err := compile(ctx, toolkit, file, texts, kernel.Name)
	if err != nil {
		return nil, err
	}
	for n, i := range compiled {
		p.variants[i].figures = all[n]
	}
	if p.shorter, err = measureRows(ctx, toolkit, file, analysed, kernel.Name, shorter()); err == nil {
		p.staying, err = measureRows(ctx, toolkit, file, analysed, kernel.Name, staying())
	}
	return p, err
}

// measureRows compiles what the knobs of a row's variants change, beside the first of the row.
func measureRows(ctx context.Context, toolkit *nvcc.Toolkit, file string, prog *analysis.Program, kernel string, rows [][]rewrite.Variant) (all [][]tabulated, err error) {
	var texts [][]byte
	var of []*figures
	for _, row := range rows {
		out, plain := make([]tabulated, len(row)), []byte(nil)
		for i, w := range row {
			out[i].Variant = w
			result, err := rewrite.RunAnalysed(prog, rewrite.Options{Variant: w, Kernels: []string{kernel}})
			if err != nil {
				return nil, err
			}
			if out[i].refused = result.Kernels[0].Refused; len(out[i].refused) > 0 {
				continue
			}
			text := result.Files[0].After
			if i == 0 {
				plain = text
			} else if bytes.Equal(text, plain) {
				continue
			}
			texts, of = append(texts, text), append(of, &out[i].figures)
		}
		all = append(all, out)
	}
	compiled, err := compile(ctx, toolkit, file, texts, kernel)
	for i := range compiled {
		*of[i] = compiled[i]
	}
	return all, err
}

// compile asks nvcc about a kernel of some versions of a file, in one call.
func compile(ctx context.Context, toolkit *nvcc.Toolkit, file string, texts [][]byte, kernel string) ([]figures, error) {
	request := nvcc.Request{Texts: map[string][]byte{file: combine.Pack(texts)}, Arch: arch}
	listings, err := toolkit.Lines(ctx, request)
	if err != nil {
		return nil, err
	}
	kernels, err := toolkit.Resources(ctx, request) // which is known by now
	if err != nil {
		return nil, err
	}
	out := make([]figures, len(texts))
	for _, k := range kernels {
		part, ok := combine.Part(k.Mangled)
		if !ok || k.Base() != kernel {
			continue
		}
		out[part].Kernel = k
		for _, l := range listings {
			for _, line := range l.Lines {
				if l.Mangled == k.Mangled {
					out[part].instructions += line.Issue
				}
			}
		}
	}
	for i := range out {
		if out[i].instructions == 0 {
			return nil, fmt.Errorf("nvcc makes nothing of kernel %s, version %d", kernel, i)
		}
	}
	return out, nil
}

// private counts the rows that each v-TB owns: what smux takes for this GPU.
func private(k *analysis.Kernel, w rewrite.Variant, original figures) int {
	g, err := gpu.Lookup(board)
	if err != nil {
		return 0
	}
	n, err := selection.Private([]*analysis.Kernel{k}, w, selection.Request{GPUs: []*gpu.GPU{g}, Source: known{original}})
	if err != nil {
		return 0 // the rewriter says why
	}
	return n
}

// known is a source of resources that knows the original.
type known struct{ figures }

// Original returns what was compiled.
func (k known) Original(p selection.Place) (selection.Resources, error) {
	return selection.Resources{Registers: k.Registers, Shared: k.StaticShared + p.Instance.DynamicBytes, Source: "ptxas " + arch}, nil
}

// Variant returns an estimate.
func (k known) Variant(p selection.Place, w selection.Variant) (selection.Resources, error) {
	return selection.Estimate(p, w), nil
}

// Costly is false: nothing is compiled.
func (k known) Costly() bool { return false }
