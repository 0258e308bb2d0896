package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/profile"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// Where registers come from: --resources.
const (
	resourcesAuto     = "auto"
	resourcesNVCC     = "nvcc"
	resourcesEstimate = "estimate"
)

// estimated marks registers that no compiler counted.
const estimated = "estimate"

// resources are what one thread block of a kernel takes on an architecture.
type resources struct {
	Registers int
	Shared    int            // bytes, static and dynamic, as far as they are known
	Exact     bool           // all of Shared is known
	Barriers  int            // 0 if not known
	Spills    int            // bytes per thread that the compiler stores and loads
	Lines     []profile.Line // what the compiler made of each line, where listings were asked for
	From      string         // of the registers: "ptxas sm_80", "ptxas sm_35, capped" or "estimate"
}

// resourceReader finds the resources of a program's kernels: from nvcc, each
// file once per architecture, or by an estimate.
type resourceReader struct {
	session  *session
	mode     string
	toolkit  *nvcc.Toolkit // nil for estimates only
	listings bool          // count the machine instructions of each line, too
	prog     *parser.Program
	request  nvcc.Request
	known    map[unitArch]*compiled
}

// unitArch is a file compiled for an architecture.
type unitArch struct{ unit, arch string }

// compiled is what nvcc said of one.
type compiled struct {
	kernels  []nvcc.Kernel
	listings []*nvcc.Listing
	unlisted error // why there are no listings, though they were asked for
	err      error
	told     bool // the error has been printed
}

// newResourceReader checks --resources and looks for nvcc.
func (s *session) newResourceReader(mode string, prog *parser.Program, parse parser.Options) (*resourceReader, error) {
	r := &resourceReader{session: s, mode: mode, prog: prog, known: map[unitArch]*compiled{}}
	if mode == resourcesEstimate {
		return r, nil
	}
	toolkit, err := nvcc.Find()
	var missing *nvcc.MissingError
	switch {
	case err != nil && mode == resourcesAuto:
		s.remark("no nvcc here: registers are estimated from the source")
		return r, nil
	case errors.As(err, &missing):
		return nil, usagef(missing.Help, "--resources nvcc: %w", err)
	case err != nil:
		return nil, failure("--resources nvcc", err)
	}
	r.toolkit = toolkit
	r.request = nvcc.Request{Texts: map[string][]byte{}, Includes: parse.IncludeDirs, Defines: parse.Defines}
	for _, f := range prog.Files {
		r.request.Texts[unitName(f)] = f.Src
	}
	return r, nil
}

// stdinUnit is how nvcc knows standard input.
const stdinUnit = "stdin.cu"

// unitName is the name under which nvcc gets a file: it goes by the ending.
func unitName(f *parser.File) string {
	if f.Name == stdinName {
		return stdinUnit
	}
	return f.Name
}

// errNoCode says that --resources nvcc finds nothing of a kernel.
var errNoCode = errors.New("nvcc makes no code of it: nothing launches the template, or no .cu file here includes it")

// prepare compiles what the kernels need for the GPUs, side by side. What nvcc
// refuses is told where it matters; the error is for a person who interrupts.
func (r *resourceReader) prepare(kernels []*analysis.Kernel, gpus []*gpu.GPU) error {
	if r.toolkit == nil {
		return nil
	}
	for _, k := range kernels {
		for _, unit := range r.units(k) {
			for _, g := range gpus {
				if arch, _ := r.toolkit.NearestArch(g.CC()); arch != "" {
					r.known[unitArch{unit, arch}] = &compiled{}
				}
			}
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var all sync.WaitGroup
	for key, c := range r.known {
		all.Go(func() { r.compile(ctx, key, c) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return failure("asking nvcc", errors.New("interrupted"))
	}
	for _, c := range r.known {
		if c.err == nil && c.unlisted != nil {
			r.session.remark("instructions are counted in the source: %v", c.unlisted)
			break
		}
	}
	return nil
}

// compile asks nvcc about a file on an architecture.
func (r *resourceReader) compile(ctx context.Context, key unitArch, c *compiled) {
	req := r.request
	req.Units, req.Arch = []string{key.unit}, key.arch
	if r.listings { // first: its answer holds the other one
		c.listings, c.unlisted = r.toolkit.Lines(ctx, req)
		var refused *nvcc.CompileError
		if errors.As(c.unlisted, &refused) {
			c.err = c.unlisted
			return
		}
	}
	c.kernels, c.err = r.toolkit.Resources(ctx, req)
}

// units are the files to compile for a kernel: its own, or for one in a header
// those that include it.
func (r *resourceReader) units(k *analysis.Kernel) []string {
	var out []string
	for _, f := range append([]*parser.File{k.File}, r.prog.Including(k.File)...) {
		if filepath.Ext(unitName(f)) == ".cu" {
			if _, named := r.request.Texts[unitName(f)]; named {
				out = append(out, unitName(f))
			}
		}
	}
	return out
}

// of returns the resources of a kernel as an instance of it runs on a GPU.
func (r *resourceReader) of(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU) (resources, error) {
	if r.toolkit != nil {
		arch, _ := r.toolkit.NearestArch(g.CC())
		for _, unit := range r.units(k) {
			c := r.known[unitArch{unit, arch}]
			if c == nil {
				continue
			}
			if c.err != nil {
				if err := r.failed(c); err != nil {
					return resources{}, err
				}
				continue
			}
			if found := pickInstance(c.kernels, k, in); found != nil {
				out := fromPTXAS(found, k, in, g, arch)
				out.Lines = linesOf(c.listings, found.Mangled)
				return out, nil
			}
		}
		if r.mode == resourcesNVCC {
			return resources{}, errNoCode
		}
	}
	shared, exact := k.SharedBytes(in)
	registers := min(profile.Registers(k, in), g.Arch.RegistersPerThread)
	return resources{Registers: registers, Shared: shared, Exact: exact, From: estimated}, nil
}

// failed tells what nvcc said, once. It returns the error where nothing but
// nvcc's figures will do.
func (r *resourceReader) failed(c *compiled) error {
	if c.told {
		if r.mode == resourcesNVCC {
			return errReported
		}
		return nil
	}
	c.told = true
	s := r.session
	var refused *nvcc.CompileError
	if !errors.As(c.err, &refused) {
		if r.mode == resourcesNVCC {
			return failure("asking nvcc", c.err)
		}
		s.remark("nvcc: %v; registers are estimated", c.err)
		return nil
	}
	s.remark("nvcc refused %s for %s: %v", refused.Unit, refused.Arch, refused)
	s.quote(refused.Output)
	s.helpLine(refused.Help)
	if r.mode == resourcesNVCC {
		s.note(ExitUsage)
		return errReported
	}
	s.helpLine("its registers are estimated; --resources estimate does so without asking nvcc")
	return nil
}
