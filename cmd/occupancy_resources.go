package cmd

import (
	"errors"
	"path/filepath"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/diag"
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
	Shared    int         // bytes, static and dynamic, as far as they are known
	Exact     bool        // all of Shared is known
	Barriers  int         // 0 if not known
	Spills    int         // bytes per thread that the compiler stores and loads
	Stack     int         // bytes per thread of local memory, spilled registers included
	Lines     []cost.Line // what the compiler made of each line, where listings were asked for
	From      string      // of the registers: "ptxas sm_80", "ptxas sm_35, capped" or "estimate"
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
	told     map[string]bool // what has been said of nvcc
	instead  string          // what comes of it where nvcc refuses a file; "" for an estimate

	estimating sync.Mutex
	estimates  map[kernelInstance]int // registers
}

// kernelInstance is a kernel as it is launched in one way, on SMs that so many registers
// per thread fill.
type kernelInstance struct {
	kernel   *analysis.Kernel
	instance *analysis.Instance
	full     int
}

// estimate counts the registers of an instance in the source.
func (r *resourceReader) estimate(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU) int {
	r.estimating.Lock()
	defer r.estimating.Unlock()
	key := kernelInstance{k, in, g.Arch.RegistersPerSM / g.Arch.ThreadsPerSM}
	n, known := r.estimates[key]
	if !known {
		if r.estimates == nil {
			r.estimates = map[kernelInstance]int{}
		}
		n = cost.Registers(k, in, key.full)
		r.estimates[key] = n
	}
	return n
}

// unitArch is a file compiled for an architecture.
type unitArch struct{ unit, arch string }

// compiled is what nvcc said of one.
type compiled struct {
	kernels  []nvcc.Kernel
	listings []*nvcc.Listing
	unlisted error // why there are no listings, though they were asked for
	err      error
}

// newResourceReader checks --resources and looks for nvcc.
func (s *session) newResourceReader(mode string, prog *parser.Program, parse parser.Options) (*resourceReader, error) {
	r := &resourceReader{session: s, mode: mode, prog: prog, known: map[unitArch]*compiled{}, told: map[string]bool{}}
	if mode == resourcesEstimate {
		return r, nil
	}
	toolkit, err := s.findNVCC()
	var missing *nvcc.MissingError
	switch {
	case err != nil && mode == resourcesAuto:
		s.Remark("no nvcc here: registers are estimated from the source")
		return r, nil
	case errors.As(err, &missing):
		return nil, diag.Usagef(missing.Help, "--resources nvcc: %w", err)
	case err != nil:
		return nil, diag.Failed("--resources nvcc", err)
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

// units are the files to compile for a kernel: its own, or those that include
// it, for one in a header as for one in a .cu file that is a part of another.
func (r *resourceReader) units(k *analysis.Kernel) []string {
	if including := r.compilable(r.prog.Including(k.File)); len(including) > 0 {
		return including
	}
	return r.compilable([]*parser.File{k.File})
}

// compilable are the names of those files that nvcc can be given.
func (r *resourceReader) compilable(files []*parser.File) []string {
	var out []string
	for _, f := range files {
		if _, named := r.request.Texts[unitName(f)]; named && filepath.Ext(unitName(f)) == ".cu" {
			out = append(out, unitName(f))
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
				if err := r.failed(c.err); err != nil {
					return resources{}, err
				}
				continue
			}
			if found := instance.Compiled(c.kernels, k, in); found != nil {
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
	registers := min(r.estimate(k, in, g), g.Arch.RegistersPerThread)
	return resources{Registers: registers, Shared: shared, Exact: exact, From: estimated}, nil
}
