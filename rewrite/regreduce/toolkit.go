package regreduce

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Toolkit is nvcc as a Compiler of the kernels of one program. All kernels but the one in
// question stay as they are. The fields are to be set before the first use.
type Toolkit struct {
	Program *parser.Program
	NVCC    *nvcc.Toolkit
	// Request says how to compile: Texts holds the program's files, under the names that Name gives.
	Request nvcc.Request
	Name    func(*parser.File) string // nil: the file's own
	Options rewrite.Options           // of these only Block counts
	// Place maps a place of the program to the person's, for it may be what another rewrite left; nil: there.
	Place func(diag.Position) diag.Position

	mutex sync.Mutex // of rewriting and of what the analysis is asked: neither is safe for concurrent use
}

// Arch is the architecture to compile for to learn about a GPU.
func (t *Toolkit) Arch(g *gpu.GPU) string {
	arch, _ := t.NVCC.NearestArch(g.CC())
	return arch
}

// Version is the version of nvcc, 0.0 where it doesn't say.
func (t *Toolkit) Version() (major, minor int) {
	text, err := t.NVCC.Version()
	if err != nil {
		return 0, 0
	}
	first, rest, _ := strings.Cut(text, ".")
	major, _ = strconv.Atoi(first)
	minor, _ = strconv.Atoi(rest)
	return major, minor
}

// Compile rewrites the kernel by the recipe and compiles the unit that holds it. The error is a *RefusedError where
// the rewriter can't follow the recipe, else that of nvcc.
func (t *Toolkit) Compile(ctx context.Context, s Subject, r variant.Recipe, arch string) (Figures, error) {
	b, err := t.Begin(ctx, s, r, arch)
	if err != nil {
		return Figures{}, err
	}
	defer b.Close()
	return b.All(ctx)
}

// Begin is Compile without the machine code.
func (t *Toolkit) Begin(ctx context.Context, s Subject, r variant.Recipe, arch string) (*Begun, error) {
	texts, units, err := t.rewritten(s, r)
	if err != nil {
		return nil, err
	}
	for _, unit := range units {
		request := t.Request
		request.Texts, request.Units, request.Arch = texts, []string{unit}, arch
		made, err := t.NVCC.Object(ctx, request)
		if err != nil {
			return nil, err
		}
		if found := t.pick(made.Kernels, s); found != nil {
			return &Begun{
				Figures: figuresOf(found), close: made.Close,
				rest: func(ctx context.Context, f *Figures) error { return f.list(ctx, made, found.Mangled) },
			}, nil
		}
		made.Close()
	}
	return nil, errNoCode
}

// errNoCode says that nvcc compiled the kernel nowhere.
var errNoCode = errors.New("nvcc makes no code of it: nothing launches the template, or no .cu file here includes it")

// rewritten are the texts of the program under a recipe, and the units that the kernel is compiled in.
func (t *Toolkit) rewritten(s Subject, r variant.Recipe) (texts map[string][]byte, units []string, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	texts = t.Request.Texts
	if text := r.String(); text != "" {
		result, err := rewrite.Run(t.Program, t.options(s.Kernel, text))
		if err != nil {
			return nil, nil, &RefusedError{err.Error()}
		}
		for _, k := range result.Kernels {
			if k.Pos == summary.Position(s.Kernel) && k.Rewriter == "" {
				return nil, nil, t.refusal(k.Refused)
			}
		}
		if len(result.Files) == 0 {
			return nil, nil, &RefusedError{"nothing is changed"}
		}
		texts = maps.Clone(texts)
		changed := result.Changed()
		for _, f := range t.Program.Files {
			if text, ok := changed[f.Name]; ok {
				texts[t.name(f)] = text
			}
		}
	}
	return texts, t.units(s.Kernel), nil
}

func (t *Toolkit) refusal(why []diag.Message) error {
	if len(why) == 0 {
		return &RefusedError{"the rewriter gives no reason"}
	}
	at := why[0].Pos
	if t.Place != nil {
		at = t.Place(at)
	}
	return &RefusedError{fmt.Sprintf("line %d: %s", at.Line, why[0].Text)}
}

// options rewrite one kernel and leave its namesakes alone.
func (t *Toolkit) options(k *analysis.Kernel, recipe string) rewrite.Options {
	opt := rewrite.Options{
		Variant: rewrite.Variant{Rewriter: variant.Demote, Recipe: recipe}, Kernels: []string{k.Name}, Block: t.Options.Block,
		Runtime: "inline", Decisions: map[diag.Position]rewrite.Decision{},
	}
	for _, f := range t.Program.Files {
		for _, fn := range f.Functions {
			if at := instance.NameOf(f, fn); fn.Name == k.Name && at != summary.Position(k) {
				opt.Decisions[at] = rewrite.Decision{}
			}
		}
	}
	return opt
}

// units are the files to compile for a kernel: those that include it, or its own.
func (t *Toolkit) units(k *analysis.Kernel) []string {
	var out []string
	for _, f := range append(t.Program.Including(k.File), k.File) {
		name := t.name(f)
		if _, named := t.Request.Texts[name]; named && filepath.Ext(name) == ".cu" && (f != k.File || len(out) == 0) {
			out = append(out, name)
		}
	}
	return out
}

func (t *Toolkit) name(f *parser.File) string {
	if t.Name == nil {
		return f.Name
	}
	return t.Name(f)
}

// list adds what the machine code of a kernel tells. Without nvdisasm there are no instructions to count.
func (f *Figures) list(ctx context.Context, o *nvcc.Object, mangled string) error {
	codes, err := o.Codes(ctx)
	var missing *nvcc.MissingError
	if errors.As(err, &missing) {
		return nil
	}
	for _, c := range codes {
		if c.Mangled == mangled {
			f.count(c)
		}
	}
	return err
}

func (t *Toolkit) pick(kernels []nvcc.Kernel, s Subject) *nvcc.Kernel {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return instance.Compiled(kernels, s.Kernel, s.Instance)
}

func figuresOf(k *nvcc.Kernel) Figures {
	return Figures{
		Arch: k.Arch, Registers: k.Registers, SpillStores: k.SpillStores, SpillLoads: k.SpillLoads,
		Stack: k.Stack, Shared: k.StaticShared, Barriers: max(0, k.Barriers),
	}
}

// count adds what the machine code tells. A loop level of the source weighs ten times the one around it (RegDem §3);
// functions that are called are left out, as nobody knows how often they run.
func (f *Figures) count(c *nvcc.Code) {
	turns := turnsOf(c.Listing.Loops)
	for _, line := range c.Listing.Lines {
		if line.Called {
			continue
		}
		weight := 1.0
		for l := line.Loop; l >= 0; l = c.Listing.Loops[l].Parent {
			weight *= turns[l]
		}
		f.Instructions += line.Issue
		f.LocalWeight += weight * float64(line.LocalLoads+line.LocalStores)
		f.SharedWeight += weight * float64(line.SharedLoads+line.SharedStores)
	}
	if f.code = stallsOf(c); len(f.code) > 0 {
		f.Stall, f.Conflicts = stall.Cycles(f.code, stall.Usual), conflicts(c)
		if g, err := gpu.Lookup(f.Arch); err == nil {
			f.Busy = mixOf(c).Busy(&g.Arch)
		}
	}
}
