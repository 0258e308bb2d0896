package cmd

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/plot"
	"github.com/smux-cuda/smux/report/residency"
	"github.com/smux-cuda/smux/rewrite"
)

const occupancyLong = `Says how many thread blocks of each kernel a multiprocessor (SM) runs at once, what
limits them, and the smallest change that gives more. There is a row for each GPU
and each block shape that the kernel is launched with. Without files, --threads,
--regs and --smem describe a thread block by hand. With files, --smem gives the
bytes of dynamic shared memory that launches do not tell.

If nvcc is installed, registers are those that ptxas counts, for the GPU's
architecture or the nearest that nvcc knows. Otherwise they are estimated from the
source, and marked "est.". A kilobyte is 1024 bytes.

--summary says, over all kernels, what limits how many of them on each GPU, and
which have most to gain. --plot draws the three curves of the occupancy calculator
(block size, registers, shared memory) in the terminal and in an SVG file.

` + stressLong + `

With --json the report has a version, "schema": fields may be added to it, but
none changes its meaning without a new version.`

const occupancyExample = `  smux occupancy kernel.cu --gpu a100,t4
  smux occupancy --threads 256 --regs 40 --smem 8k --gpu t4@32
  smux occupancy --summary --gpu sm_86 src/*.cu
  smux occupancy kernel.cu --kernel 'fft*' --gpu h100 --plot fft.svg
  smux occupancy --stress program.cu --kernel fft --record fft.jsonl -- 1024
  smux occupancy --stress --replay fft.jsonl`

// occupancyFlags are the flags of smux occupancy itself.
type occupancyFlags struct {
	hand      handFlags
	resources string
	summary   bool
	plot      string
	asJSON    bool
	stress    stressFlags
}

func (o *occupancyFlags) register(f *pflag.FlagSet) {
	o.hand.register(f)
	registerResources(f, &o.resources)
	f.BoolVar(&o.summary, "summary", false, "count what limits the kernels instead of listing each")
	f.StringVar(&o.plot, "plot", "", "draw the curves, and write them to this SVG `FILE`")
	f.BoolVar(&o.asJSON, "json", false, "print the report as JSON")
	o.stress.register(f)
}

// registerResources adds --resources.
func registerResources(f *pflag.FlagSet, mode *string) {
	usage.Word(f, mode, "resources", resources.Auto, "take registers from this `SOURCE`; auto is nvcc where it is installed, but not for trees and over 1000 kernels", resources.Auto, resources.NVCC, resources.Estimate)
}

// checkResources refuses a value that --resources does not have.
func checkResources(mode string) error {
	return oneOf("--resources", mode, resources.Auto, resources.NVCC, resources.Estimate)
}

// occupancyCommand is `smux occupancy [FILE…]`.
func (s *session) occupancyCommand() *cobra.Command {
	var (
		in   load.Options
		gpus targets.Request
		own  occupancyFlags
		walk load.Tree
	)
	reading := inputFlags(&in)
	c := &cobra.Command{
		Use:     "occupancy [FILE|FOLDER…] [-- ARGUMENTS…]",
		Short:   "Say how many thread blocks an SM runs, what limits them, and what would give more",
		Long:    occupancyLong,
		Example: occupancyExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			f := c.Flags()
			args, after := behindDash(c, args)
			if err := own.stress.check(f, after); err != nil {
				return err
			}
			if err := own.check(f, reading, args); err != nil {
				return err
			}
			if err := checkDrawing(f, "plot", own.plot, append(args, gpus.File)...); err != nil {
				return err
			}
			if len(args) > 0 {
				in.Shared = own.hand.smem
			}
			args = walk.Arguments(args)
			tree := !own.stress.on && load.AsksTree(args, walk)
			if !own.stress.on && !tree && (len(args) > 0 || !slices.ContainsFunc(handNames, f.Changed)) {
				if err := s.lookedAt(args, &in, &gpus, &own.resources, f.Changed); err != nil {
					return err
				}
			}
			opt, err := in.RewriteOptions()
			if err != nil {
				return err
			}
			if tree {
				return console.Quietly(s.occupancyOfTree(args, in, walk, opt, gpus, own))
			}
			if own.stress.on {
				return console.Quietly(s.occupancyStress(args, after, in, opt, gpus, own))
			}
			demand, err := own.hand.demand(f)
			if err != nil {
				return err
			}
			chosen, err := s.targets().GPUs(gpus)
			if err != nil {
				return err
			}
			if demand.Threads > 0 {
				return s.occupancyByHand(demand, chosen, own)
			}
			return s.occupancyOfFiles(args, in, opt, chosen, own)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	registerGPUs(f, &gpus)
	own.register(f)
	f.AddFlagSet(reading)
	registerTree(f, &walk)
	return c
}

// check refuses flags that contradict each other.
func (o *occupancyFlags) check(f, reading *pflag.FlagSet, args []string) error {
	if err := checkResources(o.resources); err != nil {
		return err
	}
	byHand := ""
	for _, name := range handNames {
		if f.Changed(name) && byHand == "" && !(name == "smem" && len(args) > 0) {
			byHand = name
		}
	}
	reads := firstChanged(f, reading)
	switch {
	case byHand == "":
	case len(args) > 0:
		return diag.Usagef("leave out the files, or the flag", "--%s describes a thread block by hand, and files were named", byHand)
	case !f.Changed("threads"):
		return diag.Usagef("add --threads N", "--%s alone describes no thread block", byHand)
	case reads != "":
		return diag.Usagef("leave out one of them", "--%s says how to read files, and --%s describes a thread block without any", reads, byHand)
	case f.Changed("resources"):
		return diag.Usagef("leave out --resources", "--resources is for kernels of files, and --%s describes a thread block without any", byHand)
	case o.summary:
		return diag.Usagef("leave out --summary", "--summary counts kernels of files, and --%s describes a thread block without any", byHand)
	}
	if o.summary && o.plot != "" {
		return diag.Usagef("give one of them", "--summary has no curves for --plot")
	}
	return nil
}

// occupancyByHand reports on one demand.
func (s *session) occupancyByHand(d occupancy.Demand, gpus []*gpu.GPU, own occupancyFlags) error {
	r, err := residency.ByHand(d, gpus)
	if err != nil {
		return diag.Usagef("", "%w", err)
	}
	for _, row := range r.Kernels[0].Rows {
		if row.Result == nil {
			s.Fail(diag.Usagef(row.Way(), "no such thread block can run: %s", row.Impossible))
		}
	}
	return s.writeOccupancy(r, gpus, own)
}

// occupancyOfFiles reports on the kernels of files.
func (s *session) occupancyOfFiles(args []string, in load.Options, opt rewrite.Options, gpus []*gpu.GPU, own occupancyFlags) error {
	sel, err := load.Kernels(s.Console, args, in, opt)
	if err != nil {
		return err
	}
	r, err := s.occupancyOf(sel, opt, gpus, own.resources)
	if err != nil {
		return err
	}
	if err := s.writeOccupancy(r, gpus, own); err != nil {
		return err
	}
	if !own.asJSON {
		s.remarkOnUnknown(r.Unknown, len(r.Kernels), load.IncludedKernels(sel.Program) != "")
	}
	return nil
}

// occupancyOf reports on selected kernels.
func (s *session) occupancyOf(sel *load.Selection, opt rewrite.Options, gpus []*gpu.GPU, registers string) (r residency.Report, err error) {
	from, err := resources.New(s.Console, s.findNVCC, registers, sel.Program, sel.Options)
	if err != nil {
		return r, err
	}
	if err := from.PrepareOrEnd(sel.Kernels, gpus); err != nil {
		return r, err
	}
	if r, err = residency.Of(sel.Kernels, gpus, from); err == nil {
		r.Unknown = append(r.Unknown, report.Unparsed(sel.Program, opt.Selects)...)
	}
	return r, err
}

// occupancyOfTree reports on the kernels of trees.
func (s *session) occupancyOfTree(args []string, in load.Options, walk load.Tree, opt rewrite.Options, request targets.Request, own occupancyFlags) error {
	type looked struct {
		files []string
		r     residency.Report
	}
	var mu sync.Mutex
	var all []looked
	var gpus []*gpu.GPU
	_, err := s.survey(args, in, walk, opt, &choiceFlags{gpus: request}, func(s *session, p targets.Program) (*report.Program, error) {
		opt, err := in.With(p.Settings).RewriteOptionsWith(opt, p.Settings)
		if err != nil {
			return nil, err
		}
		prog, whole, err := p.Parse(s.Console, opt.Kernels)
		if prog == nil || err != nil {
			return nil, err
		}
		choice := choiceFlags{Ask: pipeline.Ask{Resources: resourcesWith(own.resources, in.Given("resources"), p.Settings)}}.in(p)
		r, err := s.occupancyOf(load.Select(prog, whole, opt), opt, p.GPUs, choice.Resources)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, looked{p.Files, r})
		for _, g := range p.GPUs {
			if !slices.Contains(gpus, g) {
				gpus = append(gpus, g)
			}
		}
		return nil, err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b looked) int { return slices.Compare(a.files, b.files) })
	r := residency.Report{Schema: residency.Schema, Kernels: []residency.Kernel{}, Unknown: []report.Unknown{}}
	for _, l := range all {
		r.Kernels, r.Unknown = append(r.Kernels, l.r.Kernels...), append(r.Unknown, l.r.Unknown...)
	}
	if err := s.writeOccupancy(r, gpus, own); err != nil {
		return err
	}
	if !own.asJSON {
		s.remarkOnUnknown(r.Unknown, len(r.Kernels), false)
	}
	return nil
}

// remarkOnUnknown names the kernels that have no row, and says so where there are no kernels at all: an empty answer
// has the look of a defect. told says that a message has said where there are some.
func (s *session) remarkOnUnknown(unknown []report.Unknown, known int, told bool) {
	if len(unknown)+known == 0 && !told {
		s.Remark("there is no kernel in these files")
	}
	p := s.Paint()
	for _, u := range unknown {
		name := u.Name
		if name == "" {
			name = "(name not known)"
		}
		fmt.Fprintf(s.Stderr, "%s%s:%s kernel %q left out: %s\n", p.Place, u.Position, p.Reset, name, u.Why)
	}
	if slices.ContainsFunc(unknown, func(u report.Unknown) bool { return strings.Contains(u.Why, "block shape") }) {
		s.HelpLine("name the files that launch them, too, or give --block X,Y,Z")
	}
}

// writeOccupancy prints the report as the flags ask.
func (s *session) writeOccupancy(r residency.Report, gpus []*gpu.GPU, own occupancyFlags) error {
	document := readable(r)
	if own.summary {
		document = r.Summary(gpus)
	}
	out, err := render(document, own.asJSON)
	if err != nil {
		return err
	}
	if own.plot != "" {
		rows, err := r.Curves()
		if err != nil {
			return diag.Failed("computing the curves", err)
		}
		if err := s.WriteOutput(own.plot, plot.SVG("Warps per SM", rows)); err != nil {
			return err
		}
		if !own.asJSON {
			look := plot.Look{Width: s.StdoutWidth(), Height: curveHeight, Colour: s.Coloured(s.Stdout.W)}
			out = append(out, plot.TerminalRows(rows, look)...)
		}
	}
	_, err = s.Stdout.Write(out)
	return err
}

// curveHeight is the rows of a curve in the terminal.
const curveHeight = 10
