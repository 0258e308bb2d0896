package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// source finds the resources of kernels and of their rewrites: by
// compiling both, or by an estimate where there is no nvcc.
type source struct {
	ctx      context.Context   // ends when the person does not want to wait any more
	prog     *analysis.Program // another than the one that the model looks at meanwhile
	opt      rewrite.Options
	original *resources.Reader
	progress *console.Progress
	mu       sync.Mutex // of what follows, and of what is not safe to call at once
	texts    map[selection.Variant]map[string][]byte
	variants map[variantUnit]func() (*compiled, error)
}

// compiled holds nvcc's answer about a file of a rewritten program.
type compiled struct {
	kernels  []nvcc.Kernel
	listings []*nvcc.Listing
	lines    map[string]lineMap
}

// variantUnit is a file of a rewritten program, compiled for an architecture.
type variantUnit struct {
	way  selection.Variant
	unit resources.Unit
}

// newSource compiles the originals of the kernels. instead tells what is done where nvcc refuses a file; with ""
// registers are estimated then, and the model needs the instructions of each line.
func (j *Job) newSource(ctx context.Context, kernels []*analysis.Kernel, gpus []*gpu.GPU, instead string) (*source, error) {
	reader, err := resources.New(j.Console, j.FindNVCC, j.Ask.Resources, j.Program, j.Parse)
	if err != nil {
		return nil, err
	}
	reader.Listings, reader.Instead = instead == "", instead
	reader.Prepare(ctx, kernels, gpus)
	j.timedOut = j.timedOut || reader.TimedOut()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := reader.Complain(kernels, gpus); err != nil {
		return nil, err
	}
	opt := j.Options
	opt.Kernels, opt.Decisions, opt.Then, opt.Runtime = nil, nil, nil, runtime.Inline
	return &source{
		ctx: ctx, prog: passes.NewProgram(j.Program, opt.Block), opt: opt, original: reader, progress: j.NewProgress(),
		texts:    map[selection.Variant]map[string][]byte{},
		variants: map[variantUnit]func() (*compiled, error){},
	}, nil
}

// end removes the progress line and passes the toolkit's warnings on.
func (c *source) end() {
	c.progress.End()
	c.original.Warn()
}

// Costly is so where variants are compiled.
func (c *source) Costly() bool { return c.original.Toolkit != nil }

// Original returns the resources of the kernel as it stands.
func (c *source) Original(p selection.Place) (selection.Resources, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.original.Of(p.Kernel, p.Instance, p.GPU)
	if err != nil {
		return selection.Resources{}, err
	}
	if !r.Exact {
		return selection.Resources{}, fmt.Errorf("the bytes of its shared memory are not known")
	}
	return asChosen(r), nil
}

func asChosen(r resources.Usage) selection.Resources {
	return selection.Resources{Registers: r.Registers, Shared: r.Shared, Spills: r.Spills, Stack: r.Stack, Source: r.From, Lines: r.Lines}
}

// Variant returns the resources of the kernel rewritten. A rewrite that nvcc
// refuses is an error, unless it has refused the original, or did not end with it.
func (c *source) Variant(p selection.Place, w selection.Variant) (selection.Resources, error) {
	if c.Costly() {
		arch, _ := c.original.Toolkit.NearestArch(p.GPU.CC())
		for _, unit := range c.units(p.Kernel) {
			if c.original.Refused(resources.Unit{Name: unit, Arch: arch}) != nil {
				continue
			}
			made, err := c.compile(w, resources.Unit{Name: unit, Arch: arch})
			if err != nil {
				return selection.Resources{}, err
			}
			if k := c.pick(made.kernels, p); k != nil {
				res := asChosen(resources.FromPTXAS(k, p.Kernel, p.Instance, p.GPU, arch))
				res.Lines = c.lines(p, w, linesBefore(resources.LinesOf(made.listings, k.Mangled), made.lines))
				return res, nil
			}
		}
	}
	return selection.Estimate(p, w), nil
}

// units and pick ask the analysis, which is not safe for concurrent use.
func (c *source) units(k *analysis.Kernel) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.original.Units(k)
}

func (c *source) pick(kernels []nvcc.Kernel, p selection.Place) *nvcc.Kernel {
	c.mu.Lock()
	defer c.mu.Unlock()
	return instance.Compiled(kernels, p.Kernel, p.Instance)
}

// compile compiles a file of the program in which every kernel that allows it is rewritten, once per variant and
// architecture: what becomes of one kernel does not change the registers of another.
func (c *source) compile(w selection.Variant, unit resources.Unit) (*compiled, error) {
	c.mu.Lock()
	key := variantUnit{w, unit}
	run, ok := c.variants[key]
	if !ok {
		texts, err := c.rewritten(w)
		run = sync.OnceValues(func() (*compiled, error) {
			if err != nil {
				return nil, err
			}
			c.progress.Say("asking nvcc: %s rewritten as %s for %s", unit.Name, w, unit.Arch)
			kernels, listings, err := c.original.Compile(c.ctx, unit, texts)
			return &compiled{kernels, listings, c.maps(texts)}, err
		})
		c.variants[key] = run
	}
	c.mu.Unlock()
	return run()
}

// rewritten returns the texts of the program under a variant.
func (c *source) rewritten(w selection.Variant) (map[string][]byte, error) {
	if texts := c.texts[w]; texts != nil {
		return texts, nil
	}
	opt := c.opt
	opt.Variant = w
	result, err := rewrite.RunAnalysed(c.prog, opt)
	if err != nil {
		return nil, err
	}
	texts, after := map[string][]byte{}, result.Texts(c.prog.Parsed)
	for _, f := range c.prog.Parsed.Files {
		texts[resources.UnitName(f)] = after[f.Name]
	}
	c.texts[w] = texts
	return texts, nil
}

// lines are the instructions of a rewrite that a virtual thread block runs. In block mode
// the code holds each turn anew, and it runs one of them. How many copies there are shows
// in the bytes that the code moves: as many times the original's.
func (c *source) lines(p selection.Place, w selection.Variant, lines []cost.Line) []cost.Line {
	if w.Sync != variant.SyncBlock || w.Rewriter == variant.Merge {
		return lines
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	original, err := c.original.Of(p.Kernel, p.Instance, p.GPU)
	if err != nil {
		return nil
	}
	before, after := map[int]float64{}, map[int]float64{} // by the kernel's own line
	all := 0.0
	for _, l := range original.Lines {
		before[l.In] += l.Memory
		all += l.Memory
	}
	moved := 0.0
	for _, l := range lines {
		after[l.In] += l.Memory
		moved += l.Memory
	}
	for i := range lines {
		l := &lines[i]
		copies := moved / max(1, all)
		if before[l.In] > 0 && after[l.In] > 0 {
			copies = after[l.In] / before[l.In]
		}
		if copies > 1 {
			l.Issue, l.Memory, l.Waits = l.Issue/copies, l.Memory/copies, l.Waits/copies
		}
	}
	return lines
}

// lineMap holds the line of a text that each line of its rewrite stands for, both
// counted from 1; 0 for lines of the runtime.
type lineMap []int

// newLineMap compares a text with its rewrite. A line that was changed stands for one in
// the same place, one that was added for the line after it.
func newLineMap(before, after []byte) lineMap {
	a, b := slices.Collect(strings.Lines(string(before))), slices.Collect(strings.Lines(string(after)))
	m := make(lineMap, len(b)+1)
	shift, next := 0, 0
	for _, c := range append(diff.Changes(a, b), diff.Change{ALo: len(a), AHi: len(a), BLo: len(b), BHi: len(b)}) {
		for ; next < c.BLo; next++ {
			m[next+1] = next + 1 + shift
		}
		runtime := c.ALo == c.AHi && slices.ContainsFunc(b[c.BLo:c.BHi], func(line string) bool { return strings.HasPrefix(line, "namespace smux") })
		for ; next < c.BHi; next++ {
			if !runtime {
				m[next+1] = min(c.ALo+1+next-c.BLo, max(c.ALo+1, c.AHi))
			}
		}
		shift = c.AHi - c.BHi
	}
	return m
}

// of is the line that a line stands for.
func (m lineMap) of(line int) int {
	if line < 0 || line >= len(m) {
		return 0
	}
	return m[line]
}

// linesBefore are a rewrite's machine instructions by the lines of the program as it
// was. Those of the runtime are left out: what taking turns costs is the model's to say.
func linesBefore(lines []cost.Line, maps map[string]lineMap) []cost.Line {
	out := make([]cost.Line, 0, len(lines))
	for _, l := range lines {
		if m, changed := maps[l.File]; changed {
			l.Line = m.of(l.Line)
			l.In = m.of(l.In)
		}
		if l.Line > 0 && l.In > 0 {
			out = append(out, l)
		}
	}
	return out
}

// maps are the line maps of the texts that a rewrite changed.
func (c *source) maps(texts map[string][]byte) map[string]lineMap {
	out := map[string]lineMap{}
	for _, f := range c.prog.Parsed.Files {
		if after := texts[resources.UnitName(f)]; string(after) != string(f.Src) {
			out[f.Name] = newLineMap(f.Src, after)
		}
	}
	return out
}
