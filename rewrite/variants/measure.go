package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/choose"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// names are the ten benchmarks in the order of PACT'12 Table 1.
var names = []string{"mv", "fft", "mc", "sto", "sp", "hg", "cv", "mm", "tp", "rd"}

// program is a benchmark with all that becomes of its kernel, of two the one that
// has shared memory.
type program struct {
	name     string
	original figures
	variants []variant
}

// figures are what the compiler makes of a kernel.
type figures struct {
	nvcc.Kernel
	instructions int // of its machine code, static; what fills it up at the end left out
}

// variant is a rewrite of the kernel: its figures, or what is against it.
type variant struct {
	rewrite.Way
	figures
	refused []diag.Message
}

// growth is by how many percent a variant has more instructions than the original.
func (p *program) growth(v variant) float64 {
	return 100 * (float64(v.instructions)/float64(p.original.instructions) - 1)
}

// measureAll compiles the programs in a folder and all their rewrites, side by
// side.
func measureAll(toolkit *nvcc.Toolkit, folder string) ([]*program, error) {
	ctx := context.Background()
	out, errs := make([]*program, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			if out[i], errs[i] = measure(ctx, toolkit, folder, name); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", name, errs[i])
			}
		})
	}
	all.Wait()
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
	for _, k := range analysis.NewProgram(prog, [3]int{}).Kernels() {
		if len(k.Shared) > 0 {
			kernel = k
		}
	}
	if kernel == nil {
		return nil, errors.New("no kernel with shared memory")
	}
	var err error
	if p.original, err = compile(ctx, toolkit, file, prog.Files[0].Src, kernel.Name); err != nil {
		return nil, err
	}
	for _, w := range ways() {
		if choose.Splits(w) {
			w.Private = private(kernel, w, p.original)
		}
		result, err := rewrite.Run(prog, rewrite.Options{Way: w, Kernels: []string{kernel.Name}})
		if err != nil {
			return nil, err
		}
		v := variant{Way: w, refused: result.Kernels[0].Refused}
		if len(v.refused) == 0 {
			v.Way = result.Kernels[0].Way
			if v.figures, err = compile(ctx, toolkit, file, result.Files[0].After, kernel.Name); err != nil {
				return nil, fmt.Errorf("%s: %w", v.Way, err)
			}
		}
		p.variants = append(p.variants, v)
	}
	return p, nil
}

// compile asks nvcc about a kernel of a file.
func compile(ctx context.Context, toolkit *nvcc.Toolkit, file string, text []byte, kernel string) (figures, error) {
	request := nvcc.Request{Texts: map[string][]byte{file: text}, Arch: arch}
	listings, err := toolkit.Lines(ctx, request)
	if err != nil {
		return figures{}, err
	}
	kernels, err := toolkit.Resources(ctx, request) // which is known by now
	if err != nil {
		return figures{}, err
	}
	for _, k := range kernels {
		for _, l := range listings {
			if k.Base() != kernel || l.Mangled != k.Mangled {
				continue
			}
			f := figures{Kernel: k}
			for _, line := range l.Lines {
				f.instructions += line.Issue
			}
			return f, nil
		}
	}
	return figures{}, fmt.Errorf("nvcc makes nothing of kernel %s", kernel)
}

// private is how many rows each v-TB owns: what smux takes for this GPU.
func private(k *analysis.Kernel, w rewrite.Way, original figures) int {
	g, err := gpu.Lookup(board)
	if err != nil {
		return 0
	}
	n, err := choose.Private([]*analysis.Kernel{k}, w, choose.Request{GPUs: []*gpu.GPU{g}, Source: known{original}})
	if err != nil {
		return 0 // the rewriter says why
	}
	return n
}

// known is a source of resources that knows the original.
type known struct{ figures }

// Original returns what was compiled.
func (k known) Original(p choose.Place) (choose.Resources, error) {
	return choose.Resources{Registers: k.Registers, Shared: k.StaticShared + p.Instance.DynamicBytes, Source: "ptxas " + arch}, nil
}

// Variant returns an estimate.
func (k known) Variant(p choose.Place, w choose.Way) (choose.Resources, error) {
	return choose.Estimate(p, w), nil
}

// Costly is false: nothing is compiled.
func (k known) Costly() bool { return false }
