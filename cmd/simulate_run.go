package cmd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report"
)

// simulationSchema is the version of the JSON form of the reports of simulate.
const simulationSchema = 1

// simulationReport is the document that `smux simulate --json` prints.
type simulationReport struct {
	Schema  int               `json:"schema"`
	Kernels []simulatedKernel `json:"kernels"`
	Unknown []report.Unknown  `json:"unknown"`
}

// simulatedKernel is a kernel, as it is launched in one way, on one GPU.
type simulatedKernel struct {
	Name          string         `json:"name"` // "" for segments without a file
	Position      *diag.Position `json:"position,omitempty"`
	Block         *[3]int        `json:"block,omitempty"`
	GPU           string         `json:"gpu"`
	CC            string         `json:"cc"`
	Threads       int            `json:"threads"`
	Registers     int            `json:"registers"`
	RegistersFrom string         `json:"registersFrom,omitempty"` // "ptxas sm_80", "estimate", "" by hand
	Shared        int            `json:"shared"`
	Blocks        int            `json:"blocks"`   // thread blocks of the original that the SM runs
	Segments      string         `json:"segments"` // what a warp does, as --segments takes it
	Assumptions   []string       `json:"assumptions,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
	Runs          []simulatedRun `json:"runs"`
}

// simulatedRun is one policy. Where the policy cannot be had, Result is null and
// Reason says why.
type simulatedRun struct {
	Policy string           `json:"policy"`
	Result *simulatedResult `json:"result"`
	Reason string           `json:"reason,omitempty"`
}

// simulatedResult is what a policy does.
type simulatedResult struct {
	Cycles   float64          `json:"cycles"`
	PerBlock float64          `json:"cyclesPerBlock"`
	SpeedUp  *float64         `json:"speedUp"` // over the original, null where that cannot run
	Resident int              `json:"resident"`
	Limiters occupancy.Limits `json:"limiters"`
	Issue    float64          `json:"issue"`  // part of the cycles in which instructions are issued
	Memory   float64          `json:"memory"` // … in which the memory is busy
	Pipe     float64          `json:"pipe"`   // … in which the shared-memory pipe is busy
}

// simulation is what to simulate, and what came of it.
type simulation struct {
	gpus      []*gpu.GPU
	policies  []sim.Policy
	picked    bool // the person has named the policies
	resources string
	demand    occupancy.Demand // what the person gave
	given     map[string]bool  // flags of demand
	blocks    int
	body      []workload.Step // nil: of the file
	report    simulationReport
	drawn     []drawing
}

// drawing is what --timeline can show.
type drawing struct {
	name string
	gpu  *gpu.GPU
	work *workload.Kernel
}

// simulation reads the flags.
func (m *simulateFlags) simulation(given *pflag.FlagSet) (*simulation, error) {
	out := &simulation{resources: m.resources, blocks: m.blocks, picked: len(m.policies) > 0, given: map[string]bool{}}
	out.report = simulationReport{Schema: simulationSchema, Kernels: []simulatedKernel{}, Unknown: []report.Unknown{}}
	var err error
	if out.policies, err = m.chosenPolicies(); err != nil {
		return nil, err
	}
	if out.demand, err = m.hand.demand(given); err != nil {
		return nil, err
	}
	for _, name := range handNames {
		out.given[name] = given.Changed(name)
	}
	if given.Changed("segments") {
		if out.body, err = workload.Parse(m.segments); err != nil {
			return nil, diag.Usagef("smux simulate --help says how to write them", "--segments: %w", err)
		}
	}
	return out, nil
}

// simulateByHand simulates --segments without a file.
func (s *session) simulateByHand(m *simulation) {
	for _, g := range m.gpus {
		w := &workload.Kernel{Body: m.body}
		m.override(w)
		if _, err := sim.Place(g, w, sim.Policy{}); err != nil {
			s.Fail(diag.Usagef("", "no such thread block can run: %s", reasonOf(err)))
		}
		m.run(g, w, simulatedKernel{})
	}
}

// override puts in what the person gave.
func (m *simulation) override(w *workload.Kernel) {
	if m.given["threads"] {
		w.Threads = m.demand.Threads
	}
	if m.given["regs"] {
		w.Registers = m.demand.Registers
	}
	if m.given["smem"] {
		w.Shared = m.demand.Shared
	}
	if m.body != nil {
		w.Body = m.body
	}
}

// kernel simulates a kernel as each launch in view runs it.
func (m *simulation) kernel(k *analysis.Kernel, from *resources.Reader) error {
	known := false
	for _, in := range k.Instances {
		dims, ok := in.BlockShape()
		if !ok && !m.given["threads"] {
			continue
		}
		known = true
		for _, g := range m.gpus {
			at := k.Position()
			out := simulatedKernel{Name: k.Name, Position: &at}
			if ok {
				out.Block = &dims
			}
			if err := m.instance(k, in, g, from, out); err != nil {
				return err
			}
		}
	}
	if !known {
		m.unknown(k, k.WhyNoShape())
	}
	return nil
}

// unknown notes, once, why nothing can be said of a kernel.
func (m *simulation) unknown(k *analysis.Kernel, why string) {
	u := report.Unknown{Name: k.Name, Position: k.Position(), Why: why}
	if !slices.Contains(m.report.Unknown, u) {
		m.report.Unknown = append(m.report.Unknown, u)
	}
}

// instance simulates a kernel as one launch runs it on a GPU.
func (m *simulation) instance(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, from *resources.Reader, out simulatedKernel) error {
	res, err := from.Of(k, in, g)
	if err == resources.ErrNoCode {
		m.unknown(k, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	w, err := cost.Of(k, in, cost.Options{Registers: res.Registers, Lines: res.Lines})
	var impossible *cost.ImpossibleError
	if errors.As(err, &impossible) {
		m.unknown(k, impossible.Reason)
		return nil
	}
	if err != nil {
		return diag.Failed("counting the work of "+k.Name, err)
	}
	w.Shared = res.Shared
	out.Assumptions = w.Assumptions
	if out.RegistersFrom = res.From; m.given["regs"] {
		out.RegistersFrom = ""
	}
	m.override(w)
	m.run(g, w, out)
	return nil
}

// run simulates a workload under every policy and adds it to the report.
func (m *simulation) run(g *gpu.GPU, w *workload.Kernel, out simulatedKernel) {
	out.GPU, out.CC = g.String(), g.CC()
	out.Threads, out.Registers, out.Shared, out.Segments = w.Threads, w.Registers, w.Shared, workload.Format(workload.Rounded(w.Body, 1))
	opt := sim.Options{Blocks: m.blocks}
	policies := m.policies
	if !m.picked && !hasRegion(w.Body) {
		out.Notes = append(out.Notes, "no shared array is live in any part of it: there is nothing to take turns with")
		policies = slices.DeleteFunc(slices.Clone(policies), func(p sim.Policy) bool { return p.Kind != sim.Baseline && p.Kind != sim.Merge })
	}
	base := 0.0
	for _, p := range policies {
		run := simulatedRun{Policy: p.String()}
		r, err := sim.Run(g, w, p, opt)
		if err != nil {
			run.Reason = reasonOf(err)
			out.Runs = append(out.Runs, run)
			continue
		}
		if p == (sim.Policy{}) {
			base, out.Blocks = r.CyclesPerBlock, r.Blocks
		}
		run.Policy = r.Policy.String()
		run.Result = &simulatedResult{
			Cycles: rounded(r.Cycles, 1), PerBlock: rounded(r.CyclesPerBlock, 1), Resident: r.Resident * r.VTBs, Limiters: r.Static.Limiters,
			Issue: rounded(r.Issue, 4), Memory: rounded(r.Memory, 4), Pipe: rounded(r.Pipe, 4),
		}
		if base > 0 && r.CyclesPerBlock > 0 {
			speedUp := rounded(base/r.CyclesPerBlock, 4)
			run.Result.SpeedUp = &speedUp
		}
		out.Runs = append(out.Runs, run)
	}
	m.report.Kernels = append(m.report.Kernels, out)
	m.drawn = append(m.drawn, drawing{out.title(), g, w})
}

// hasRegion reports whether there is a region among steps.
func hasRegion(steps []workload.Step) bool {
	return slices.ContainsFunc(steps, func(s workload.Step) bool { return s.Kind == workload.KindRegion || hasRegion(s.Body) })
}

// rounded drops digits that mean nothing, and that may differ between processors.
func rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// reasonOf is why a policy cannot be had, without the policy's name.
func reasonOf(err error) string {
	var illegal *sim.IllegalError
	if errors.As(err, &illegal) {
		return illegal.Reason
	}
	return err.Error()
}

// title is fft1024, block 64 on gtx285.
func (k simulatedKernel) title() string {
	name := k.Name
	if name == "" {
		name = plural.Count(k.Threads, "thread")
	}
	if k.Block != nil {
		name += ", block " + analysis.ShapeText(k.Block)
	}
	return fmt.Sprintf("%s on %s", name, k.GPU)
}
