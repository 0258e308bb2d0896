package stress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/instrument"
)

// Program is a program with the kernel that is measured.
type Program struct {
	Parsed  *parser.Program
	Kernel  *analysis.Kernel
	Threads int    // per thread block, of the launches that are meant
	Block   [3]int // as analysis.NewProgram takes it
	// Request says how the program is compiled, with the texts of Parsed by name.
	Request   nvcc.Request
	Further   []string // more files to compile or link
	Libraries []string
}

// Build makes what Plan.Build asks for, by a toolkit. Registers are capped by launch
// bounds on the kernel. Where the rewriter can't prove them, as for blocks of a size
// that is computed, the compiler's flag does it: it caps all kernels, but only one
// is timed, and none with launch bounds of its own.
func (p *Program) Build(ctx context.Context, t *nvcc.Toolkit, l Level, out string) error {
	r, k := p.Request, p.Kernel
	r.Texts = maps.Clone(r.Texts)
	if l.Cap > 0 {
		if capped := p.cap(l.Cap, r.Texts); capped != nil {
			k = capped
		} else {
			r.Flags = append(slices.Clone(r.Flags), fmt.Sprintf("-maxrregcount=%d", l.Registers))
		}
	}
	timed, err := instrument.Launches(k)
	if err != nil {
		return &Failure{FailedCap, err.Error()}
	}
	maps.Copy(r.Texts, timed)
	r.Units = instrument.Units(p.Parsed)
	err = t.Build(ctx, r, p.Further, p.Libraries, out)
	var refused *nvcc.CompileError
	if errors.As(err, &refused) {
		return &Failure{FailedCompile, refused.Error()}
	}
	return err
}

// cap gives the kernel launch bounds, puts the changed texts among the others, and
// returns the kernel as it is then; nil, with nothing changed, where that can't be done.
func (p *Program) cap(blocks int, texts map[string][]byte) *analysis.Kernel {
	recipe := variant.Recipe{Threads: p.Threads, Blocks: blocks}
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Demote, Recipe: recipe.String()}, Kernels: []string{p.Kernel.Name}, Block: p.Block}
	result, err := rewrite.Run(p.Parsed, opt)
	if err != nil {
		return nil
	}
	chain := rewrite.NewChain(p.Kernel.Prog)
	if err := chain.Add(result); err != nil {
		return nil
	}
	k, err := chain.Kernel(p.Kernel)
	if err != nil || k.View.LaunchBounds == nil || len(result.Files) == 0 {
		return nil
	}
	maps.Copy(texts, result.Changed())
	return k
}
