package cmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/simulation"
	"github.com/smux-cuda/smux/rewrite"
)

const simulateLong = `Simulates one multiprocessor (SM) that runs the thread blocks of each kernel. Prints
the cycles of each policy by which its shared memory can be shared. Only their order
counts: the machine is a simple one, and cycles are no measurement.

The work of a thread block is counted in the source, or by nvcc if it is installed.
Assumptions are listed. --regs, --smem, --threads and
--blocks override it. --segments says by hand what a warp of a thread block does;
no file is needed then:

    C1200       1200 instructions       S64      64 accesses to shared memory
    F80 I20     of the instructions, those of single precision, of integers
    D5 Q2       ... of double precision, special functions and conversions
    M256x2      global loads of 256 bytes, waited for in two batches
    A128        of the bytes of M, those loaded before
    P1          of the batches of M, those copied ahead: waited for when it
                comes by again
    W64         stores of 64 bytes      B        a barrier
    C90+S12     both as one piece of work
    R(C400 B)   a region                x8(…)    eight times
    R(^M512 …)  work at a region's start that a rewrite moves in front of it

Policies are the original and its rewrites, as messages write them ('vtb named N=2',
'dyn lock N=4 M=1'). Two more are proposals for other hardware, which no rewrite does
('hw K+2', 'co-hw K+2'). Without --policy those that
are refused for a kernel are not simulated. --timeline draws what each thread block
does when.`

const simulateExample = `  smux simulate kernel.cu --gpu t4
  smux simulate kernel.cu --gpu t4@32 --policy 'vtb named N=4'
  smux simulate --segments 'M256 x8(R(^M128 S64 B C400 B))' --threads 64 --smem 8k --gpu h100
  smux simulate kernel.cu --gpu a100 --policy 'original, hw K+2' --timeline tbs.svg`

// maxSimulated is the most thread blocks that are simulated: it takes seconds.
const maxSimulated = 1 << 16

// simulateFlags are the flags of smux simulate itself.
type simulateFlags struct {
	hand               handFlags
	blocks             int
	segments           string
	policies           []string
	latency, bandwidth float64
	resources          string
	timeline           string
	asJSON             bool
}

func (m *simulateFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&m.policies, "policy", nil, "simulate these `POLICIES`, with commas between; can be repeated; the default is a standard set")
	m.hand.register(f)
	f.IntVar(&m.blocks, "blocks", 0, "run `N` thread blocks of the original on the SM; the default is enough for a steady state")
	f.StringVar(&m.segments, "segments", "", "say by hand what a warp does, by these `STEPS` (see above)")
	f.Float64Var(&m.latency, "latency", 0, "let a load from memory take `CYCLES`, not what it takes on the GPU")
	f.Float64Var(&m.bandwidth, "bandwidth", 0, "set the memory bandwidth in `GB/s`, instead of the GPU's")
	registerResources(f, &m.resources)
	f.StringVar(&m.timeline, "timeline", "", "draw the thread blocks over time into this SVG `FILE`")
	f.BoolVar(&m.asJSON, "json", false, "print the report as JSON")
}

// simulateCommand is `smux simulate [FILE…]`.
func (s *session) simulateCommand() *cobra.Command {
	var (
		in   load.Options
		gpus targets.Request
		own  simulateFlags
	)
	reading := inputFlags(&in)
	c := &cobra.Command{
		Use:     "simulate [FILE…]",
		Short:   "Simulate an SM that runs a kernel, original and rewritten",
		Long:    simulateLong,
		Example: simulateExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := own.check(c.Flags(), reading, args); err != nil {
				return err
			}
			if err := checkDrawing(c.Flags(), "timeline", own.timeline, append(args, gpus.File)...); err != nil {
				return err
			}
			what, err := own.options(c.Flags())
			if err != nil {
				return err
			}
			byHand := what.Body != nil && len(args) == 0
			if !byHand {
				if err := s.lookedAt(args, &in, &gpus, &own.resources, c.Flags().Changed); err != nil {
					return err
				}
			}
			opt, err := in.RewriteOptions()
			if err != nil {
				return err
			}
			chosen, err := s.targets().GPUs(gpus)
			if err != nil {
				return err
			}
			what.GPUs, what.Refused = simulation.WithMemory(chosen, own.latency, own.bandwidth), refused
			m := simulation.New(what)
			if byHand {
				for _, why := range m.AddByHand() {
					s.Fail(diag.Usagef("", "no such thread block can run: %s", why))
				}
			} else if err := s.simulateFiles(args, in, opt, m, own.resources); err != nil {
				return err
			}
			return s.writeSimulation(m, own)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	registerGPUs(f, &gpus)
	own.register(f)
	f.AddFlagSet(reading)
	return c
}

// check refuses flags that contradict each other or make no sense.
func (m *simulateFlags) check(f, reading *pflag.FlagSet, args []string) error {
	if err := checkResources(m.resources); err != nil {
		return err
	}
	byHand := f.Changed("segments") && len(args) == 0
	reads := firstChanged(f, reading)
	switch {
	case byHand && !f.Changed("threads"):
		return diag.Usagef("add --threads N", "--segments without a file needs --threads")
	case byHand && reads != "":
		return diag.Usagef("leave out one of them", "--%s says how to read files, and --segments describes a kernel without any", reads)
	case byHand && f.Changed("resources"):
		return diag.Usagef("leave out --resources", "--resources is for kernels of files, and --segments describes a kernel without any")
	case f.Changed("blocks") && (m.blocks < 1 || m.blocks > maxSimulated):
		return diag.Usagef("", "--blocks must be from 1 to %d, got %d", maxSimulated, m.blocks)
	case f.Changed("latency") && !(m.latency >= 1 && m.latency <= 1e6):
		return diag.Usagef("", "--latency must be from 1 to 1000000 cycles, got %v", m.latency)
	case f.Changed("bandwidth") && !(m.bandwidth > 0 && m.bandwidth <= 1e6):
		return diag.Usagef("", "--bandwidth must be more than 0 and at most 1000000 GB/s, got %v", m.bandwidth)
	}
	return nil
}

// options returns what the flags ask for, but for the GPUs.
func (m *simulateFlags) options(given *pflag.FlagSet) (out simulation.Options, err error) {
	out.Blocks = m.blocks
	if out.Policies, err = simulation.ParsePolicies(m.policies); err != nil {
		return out, err
	}
	demand, err := m.hand.demand(given)
	if err != nil {
		return out, err
	}
	if given.Changed("threads") {
		out.Threads = &demand.Threads
	}
	if given.Changed("regs") {
		out.Registers = &demand.Registers
	}
	if given.Changed("smem") {
		out.Shared = &demand.Shared
	}
	if given.Changed("segments") {
		if out.Body, err = workload.Parse(m.segments); err != nil {
			return out, diag.Usagef("smux simulate --help says how to write them", "--segments: %w", err)
		}
	}
	return out, nil
}

// simulateFiles adds the kernels of files to the report.
func (s *session) simulateFiles(args []string, in load.Options, opt rewrite.Options, m *simulation.Simulation, mode string) error {
	sel, err := load.Kernels(s.Console, args, in, opt)
	if err != nil {
		return err
	}
	if n := len(sel.Kernels); m.Options.Body != nil && n > 1 {
		return diag.Usagef("pick one with --kernel", "--segments describes one kernel, and there are %d", n)
	}
	from, err := resources.New(s.Console, s.findNVCC, mode, sel.Program, sel.Options)
	if err != nil {
		return err
	}
	from.Listings = true
	if err := from.PrepareOrEnd(sel.Kernels, m.Options.GPUs); err != nil {
		return err
	}
	for _, k := range sel.Kernels {
		if err := m.Add(k, from); err != nil {
			return err
		}
	}
	m.Report.Unknown = append(m.Report.Unknown, report.Unparsed(sel.Program, opt.Selects)...)
	return nil
}

// refused says why a kernel can't be rewritten as a policy does, "" where it can or where no
// rewrite does what the policy does.
func refused(k *analysis.Kernel, p sim.Policy) string {
	if p.Kind == sim.Baseline || p.Kind == sim.HW || p.Kind == sim.CoHW {
		return ""
	}
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: p.Kind.String(), Sync: p.Sync.String(), Factor: p.N, SharedSets: p.M}}
	all := k.Prog.Kernels()
	for _, group := range rewrite.KernelGroups(k.Prog, all) {
		if !slices.Contains(group, k) {
			continue
		}
		for _, m := range rewrite.Refusals(k.Prog, all, rewrite.Group{Kernels: group}, opt) {
			return fmt.Sprintf("%s: %s: %s", m.Pos, m.Code, m.Text)
		}
	}
	return ""
}

// writeSimulation prints the report as the flags ask.
func (s *session) writeSimulation(m *simulation.Simulation, own simulateFlags) error {
	out, err := render(m.Report, own.asJSON)
	if err != nil {
		return err
	}
	if own.timeline != "" {
		drawn, err := m.Timeline()
		if err != nil {
			return err
		}
		if err := s.WriteOutput(own.timeline, drawn); err != nil {
			return err
		}
	}
	if _, err := s.Stdout.Write(out); err != nil {
		return err
	}
	if !own.asJSON {
		s.remarkOnUnknown(m.Report.Unknown, len(m.Report.Kernels), false)
	}
	return nil
}
