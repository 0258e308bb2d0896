package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/verify"
)

// registersFor returns what verify.Board.Registers is for a GPU: nvcc's figures, where there is an nvcc. A kernel is
// known by its name alone, so of several the one with the fewest registers counts. Where a program asks CUDA for
// what a kernel takes, it may choose its blocks by that, and nothing is reported.
func (s *session) registersFor(g *gpu.GPU) func(context.Context, *verify.Program, string, int) string {
	var kernels []nvcc.Kernel
	asked := false
	return func(ctx context.Context, p *verify.Program, kernel string, threads int) string {
		if !asked {
			asked = true
			var err error
			var missing *nvcc.MissingError
			switch kernels, err = s.compiledFor(ctx, g, p); {
			case errors.As(err, &missing):
				s.Remark("no nvcc here: can't tell whether blocks of more than 256 threads have enough registers")
			case err != nil:
				s.Remark("can't tell whether blocks of more than 256 threads have enough registers: %v", err)
			}
		}
		least, arch := math.MaxInt, ""
		for _, k := range kernels {
			if lastName(k.Name) == lastName(kernel) && k.Registers < least {
				least, arch = k.Registers, k.Arch
			}
		}
		if arch == "" {
			return ""
		}
		var impossible *occupancy.ImpossibleError
		if _, err := occupancy.Compute(g, occupancy.Demand{Threads: threads, Registers: least}); !errors.As(err, &impossible) || !impossible.Limits.Has(occupancy.Registers) {
			return ""
		}
		return fmt.Sprintf("%d threads of %d registers each, as nvcc compiles it for %s: %s", threads, least, arch, impossible)
	}
}

// lastName is a kernel's name without its name space and template arguments.
func lastName(kernel string) string {
	kernel, _, _ = strings.Cut(kernel, "<")
	return strings.TrimSpace(kernel[strings.LastIndexByte(kernel, ':')+1:])
}

// asksForRegisters are calls by which a program learns what a kernel takes.
var asksForRegisters = [][]byte{[]byte("FuncGetAttribute"), []byte("Occupancy")}

// compiledFor returns what a program's kernels take on a GPU; none where the program asks for it itself.
func (s *session) compiledFor(ctx context.Context, g *gpu.GPU, p *verify.Program) ([]nvcc.Kernel, error) {
	request := nvcc.Request{Texts: map[string][]byte{}, Includes: p.IncludeDirs, Defines: p.Defines}
	for _, f := range p.Files {
		for _, call := range asksForRegisters {
			if bytes.Contains(f.Text, call) {
				return nil, nil
			}
		}
		if filepath.Ext(f.Name) == ".cu" || f.Included {
			request.Texts[f.Name] = f.Text
		}
	}
	toolkit, err := s.findNVCC()
	if err != nil {
		return nil, err
	}
	arch, exact := toolkit.NearestArch(g.CC())
	if !exact {
		return nil, fmt.Errorf("this nvcc does not compile for %s", g.CC()) // others get other numbers
	}
	request.Arch = arch
	return toolkit.Resources(ctx, request)
}
