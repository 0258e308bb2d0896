// Package resources finds what one thread block of a kernel takes: registers, shared bytes, spills and, where they
// are asked for, the machine instructions of each line. They are nvcc's figures, each file compiled once per
// architecture, or an estimate from the source where there is no nvcc or it would take too long.
package resources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// Where registers come from: --
const (
	Auto     = "auto"
	NVCC     = "nvcc"
	Estimate = "estimate"
)

// Estimated marks registers that no compiler counted.
const Estimated = "estimate"

// Usage holds what one thread block of a kernel takes on an architecture.
type Usage struct {
	Registers int
	Shared    int         // bytes, static and dynamic, as far as they are known
	Exact     bool        // all of Shared is known
	Barriers  int         // 0 if not known
	Spills    int         // bytes per thread that the compiler stores and loads
	Stack     int         // bytes per thread of local memory, spilled registers included
	Lines     []cost.Line // what the compiler made of each line, where listings were asked for
	From      string      // of the registers: "ptxas sm_80", "ptxas sm_35, capped" or "estimate"
}

// Reader finds the resources of a program's kernels: from nvcc, each file once per architecture, or by an estimate.
type Reader struct {
	console  *console.Console
	mode     string
	Toolkit  *nvcc.Toolkit // nil for estimates only
	Listings bool          // count the machine instructions of each line, too
	prog     *parser.Program
	Request  nvcc.Request
	known    map[Unit]*compiled
	told     map[string]bool // messages on nvcc so far
	Instead  string          // what is used where nvcc refuses a file; "" for an estimate

	estimating sync.Mutex
	estimates  map[kernelInstance]int // registers
	timedOut   atomic.Bool            // nvcc did not end in time
}

// kernelInstance is a kernel as it is launched in one form, on SMs that so many registers per thread fill.
type kernelInstance struct {
	kernel   *analysis.Kernel
	instance *analysis.Instance
	full     int
}

// estimate counts the registers of an instance in the source.
func (r *Reader) estimate(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU) int {
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

// Unit is a file compiled for an architecture.
type Unit struct{ Name, Arch string }

// compiled holds nvcc's result for one.
type compiled struct {
	kernels  []nvcc.Kernel
	listings []*nvcc.Listing
	unlisted error // why there are no listings, though they were asked for
	err      error
}

// mostCompiled limits the kernels that are given to nvcc unasked: it compiles about 80 per second and GPU.
const mostCompiled = 1000

func countKernels(prog *parser.Program) int {
	n := 0
	for _, f := range prog.Files {
		for _, fn := range f.Functions {
			if fn.IsKernel() {
				n++
			}
		}
	}
	return n
}

// New returns a reader for the kernels of a program. find looks for nvcc; mode is Auto,
// NVCC or Estimate. The error is for NVCC where there is none.
func New(c *console.Console, find func() (*nvcc.Toolkit, error), mode string, prog *parser.Program, parse parser.Options) (*Reader, error) {
	r := &Reader{console: c, mode: mode, prog: prog, known: map[Unit]*compiled{}, told: map[string]bool{}}
	if mode == Estimate {
		return r, nil
	}
	if n := countKernels(prog); mode == Auto && n > mostCompiled {
		c.Remark("%d kernels: registers are estimated from the source; --resources nvcc compiles them", n)
		return r, nil
	}
	toolkit, err := find()
	var missing *nvcc.MissingError
	switch {
	case err != nil && mode == Auto:
		c.Remark("no nvcc here: registers are estimated from the source")
		return r, nil
	case errors.As(err, &missing):
		return nil, diag.Usagef(missing.Help, "--resources nvcc: %w", err)
	case err != nil:
		return nil, diag.Failed("--resources nvcc", err)
	}
	r.Toolkit = toolkit
	r.Request = nvcc.Request{Texts: map[string][]byte{}, Includes: parse.IncludeDirs, Defines: parse.Defines, Flags: parse.Flags}
	for _, f := range prog.Files {
		r.Request.Texts[UnitName(f)] = f.Src
	}
	return r, nil
}

// stdinUnit is nvcc's name for standard input.
const stdinUnit = "stdin.cu"

// UnitName returns the name under which nvcc gets a file: it goes by the ending.
func UnitName(f *parser.File) string {
	if f.Name == parser.StdinName {
		return stdinUnit
	}
	return f.Name
}

// ErrNoCode reports that --resources nvcc finds nothing of a kernel.
var ErrNoCode = errors.New("nvcc makes no code of it: nothing launches the template, or no .cu file here includes it")

// Units returns the files to compile for a kernel: its own, or those that include
// it, for one in a header as for one in a .cu file that is a part of another.
func (r *Reader) Units(k *analysis.Kernel) []string {
	if including := r.compilable(r.prog.Including(k.File)); len(including) > 0 {
		return including
	}
	return r.compilable([]*parser.File{k.File})
}

// Changed returns the files to compile for files that change: themselves, or those that include them.
func (r *Reader) Changed(files map[string][]byte) (out []string) {
	for _, f := range r.prog.Files {
		if _, changes := files[f.Name]; !changes {
			continue
		}
		units := r.compilable(r.prog.Including(f))
		if len(units) == 0 {
			units = r.compilable([]*parser.File{f})
		}
		out = lists.Add(out, units...)
	}
	return out
}

// compilable returns the names of those files that nvcc can be given.
func (r *Reader) compilable(files []*parser.File) []string {
	var out []string
	for _, f := range files {
		if _, named := r.Request.Texts[UnitName(f)]; named && filepath.Ext(UnitName(f)) == ".cu" {
			out = append(out, UnitName(f))
		}
	}
	return out
}

// Of returns the resources of a kernel as an instance of it runs on a GPU.
func (r *Reader) Of(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU) (Usage, error) {
	if r.Toolkit != nil {
		arch, _ := r.Toolkit.NearestArch(g.CC())
		for _, unit := range r.Units(k) {
			c := r.known[Unit{unit, arch}]
			if c == nil {
				continue
			}
			if c.err != nil {
				if err := r.Failed(c.err); err != nil {
					return Usage{}, err
				}
				continue
			}
			if found := instance.Compiled(c.kernels, k, in); found != nil {
				out := FromPTXAS(found, k, in, g, arch)
				out.Lines = LinesOf(c.listings, found.Mangled)
				return out, nil
			}
		}
		if r.mode == NVCC {
			return Usage{}, ErrNoCode
		}
	}
	if k.Unread() {
		return Usage{Shared: in.DynamicBytes, From: Estimated}, nil
	}
	shared, exact := launches.SharedBytes(k, in)
	registers := min(r.estimate(k, in, g), g.Arch.RegistersPerThread)
	return Usage{Registers: registers, Shared: shared, Exact: exact, From: Estimated}, nil
}

// Refused returns what nvcc has against a unit, nil where it has compiled it.
func (r *Reader) Refused(u Unit) error {
	if c := r.known[u]; c != nil {
		return c.err
	}
	return nil
}

// RegistersText returns a number of registers per thread on a GPU of compute capability cc, and where it is from (see
// Usage) unless ptxas counted them for the GPU's own architecture: "40", "40 (sm_80)", "40 est."; "-" for none.
func RegistersText(n int, from, cc string) string {
	switch arch := strings.TrimPrefix(from, "ptxas "); {
	case n == 0 && from == Estimated:
		return "unknown"
	case from == Estimated:
		return fmt.Sprintf("%d est.", n)
	case n == 0:
		return "-"
	case from == "" || arch == "sm_"+strings.ReplaceAll(cc, ".", ""):
		return strconv.Itoa(n)
	default:
		return fmt.Sprintf("%d (%s)", n, arch)
	}
}

// FromPTXAS returns the resources that a compiled kernel takes on a GPU. A compiler for an architecture with fewer
// registers per thread than the one that was compiled for would stop there, and spill.
func FromPTXAS(found *nvcc.Kernel, k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, arch string) Usage {
	r := Usage{
		Registers: found.Registers, Barriers: max(0, found.Barriers), Spills: found.SpillStores + found.SpillLoads, Stack: found.Stack,
		Shared: found.StaticShared + in.DynamicBytes, Exact: dynamicKnown(k, in), From: "ptxas " + arch,
	}
	if most := g.Arch.RegistersPerThread; r.Registers > most {
		r.Registers, r.From = most, r.From+", capped"
	}
	return r
}

// LinesOf returns the instructions of a kernel by the line that they were made of;
// functions that are called are omitted, since how often they run is not known.
func LinesOf(listings []*nvcc.Listing, mangled string) []cost.Line {
	var out []cost.Line
	for _, l := range listings {
		if l.Mangled != mangled {
			continue
		}
		for _, c := range l.Lines {
			if c.Called || c.Line == 0 {
				continue
			}
			file := c.File
			if file == stdinUnit {
				file = parser.StdinName
			}
			bytes := c.SharedLoadBytes + c.SharedStoreBytes + c.GlobalLoadBytes + c.GlobalStoreBytes + 4*(c.SharedAtomics+c.GlobalAtomics)
			out = append(out, cost.Line{File: file, Line: c.Line, In: c.In.Line, Issue: float64(c.Issue), Memory: float64(bytes), Waits: c.LoadWaits, Loads: float64(c.SharedLoads)})
		}
	}
	return out
}

// dynamicKnown reports whether all dynamic shared memory of an instance is known.
func dynamicKnown(k *analysis.Kernel, in *analysis.Instance) bool {
	uses := func(v *analysis.Shared) bool { return v.Dynamic }
	return in.DynamicBytes > 0 || !slices.ContainsFunc(k.Shared, uses)
}
