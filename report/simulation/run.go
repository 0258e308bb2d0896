package simulation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report"
)

// Options holds what is simulated, and what of it a person has given.
type Options struct {
	GPUs     []*gpu.GPU
	Policies []sim.Policy // in this order, the original first; nil for those that make sense
	Blocks   int          // thread blocks of the original that the SM runs; 0: enough for start and end to weigh little
	// Refused says why smux can't rewrite a kernel as a policy does, "" where it can; nil asks nobody.
	Refused func(*analysis.Kernel, sim.Policy) string

	// What takes the place of that which is found of a kernel; nil for nothing.
	Threads, Registers, Shared *int            // per thread block, per thread, bytes per thread block
	Body                       []workload.Step // what a warp does
}

// Simulation simulates kernels and keeps the results.
type Simulation struct {
	Options Options
	Report  Report
	drawn   []simulated
}

// simulated is a workload that a timeline can show.
type simulated struct {
	name string
	gpu  *gpu.GPU
	work *workload.Kernel

	blocks   int          // that the table is of
	policies []sim.Policy // of the table
	refused  []bool       // of these, those that were not simulated
}

// New returns a simulation of nothing yet.
func New(opt Options) *Simulation {
	return &Simulation{Options: opt, Report: Report{Schema: Schema, Kernels: []Kernel{}, Unknown: []report.Unknown{}}}
}

// policies returns those that are simulated.
func (m *Simulation) policies() []sim.Policy {
	if m.Options.Policies == nil {
		return sim.Policies()
	}
	return m.Options.Policies
}

// AddByHand simulates a thread block that no kernel has: Threads and Body are given.
// It returns why it can't run, for each GPU on which it can't.
func (m *Simulation) AddByHand() (impossible []string) {
	for _, g := range m.Options.GPUs {
		w := &workload.Kernel{Body: m.Options.Body}
		m.override(w)
		if _, err := sim.Place(g, w, sim.Policy{}); err != nil {
			impossible = append(impossible, sim.Cause(err))
		}
		m.run(g, w, Kernel{sharedKnown: true}, nil)
	}
	return impossible
}

// override puts in what the person gave.
func (m *Simulation) override(w *workload.Kernel) {
	if m.Options.Threads != nil {
		w.Threads = *m.Options.Threads
	}
	if m.Options.Registers != nil {
		w.Registers = *m.Options.Registers
	}
	if m.Options.Shared != nil {
		w.Shared = *m.Options.Shared
	}
	if m.Options.Body != nil {
		w.Body = m.Options.Body
	}
}

// Add simulates a kernel as each launch in view runs it. The errors are those of from and of the counting.
func (m *Simulation) Add(k *analysis.Kernel, from *resources.Reader) error {
	known := false
	for _, in := range usual.Counted(k) {
		dims, ok := in.BlockShape()
		if !ok && m.Options.Threads == nil {
			continue
		}
		known = true
		for _, g := range m.Options.GPUs {
			at := summary.Position(k)
			out := Kernel{Name: k.Name, Position: &at}
			if ok {
				out.Block = &dims
			}
			if err := m.instance(k, in, g, from, out); err != nil {
				return err
			}
		}
	}
	if !known {
		m.unknown(k, launches.WhyNoShape(k))
	}
	return nil
}

// unknown notes, once, why nothing can be said of a kernel.
func (m *Simulation) unknown(k *analysis.Kernel, why string) {
	u := report.Unknown{Name: k.Name, Position: summary.Position(k), Why: why}
	m.Report.Unknown = lists.Add(m.Report.Unknown, u)
}

// instance simulates a kernel as one launch runs it on a GPU.
func (m *Simulation) instance(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, from *resources.Reader, out Kernel) error {
	res, err := from.Of(k, in, g)
	if err == resources.ErrNoCode {
		m.unknown(k, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	w, err := cost.Of(k, in, cost.Options{Registers: res.Registers, Lines: res.Lines, Shared: m.sharedOf(res), Exact: m.Options.Shared != nil || res.Exact})
	var impossible *cost.ImpossibleError
	if errors.As(err, &impossible) {
		m.unknown(k, impossible.Reason)
		return nil
	}
	if err != nil {
		return diag.Failed("counting the work of "+k.Name, err)
	}
	w.Shared, out.sharedKnown = res.Shared, m.Options.Shared != nil || res.Exact
	out.Assumptions = w.Assumptions
	if out.RegistersFrom = res.From; m.Options.Registers != nil {
		out.RegistersFrom = ""
	}
	m.override(w)
	m.assumeGrid(g, w, &out)
	m.run(g, w, out, k)
	return nil
}

// sharedOf is the bytes of shared memory that are simulated.
func (m *Simulation) sharedOf(res resources.Usage) int {
	if m.Options.Shared != nil {
		return *m.Options.Shared
	}
	return res.Shared
}

// assumeGrid says what is taken for the grid where that decides: one that fills the GPU, or one that is too small to.
func (m *Simulation) assumeGrid(g *gpu.GPU, w *workload.Kernel, out *Kernel) {
	if m.Options.Blocks > 0 {
		return
	}
	if text := sim.AboutGrid(g, w); text != "" {
		out.Assumptions = append(slices.Clone(out.Assumptions), text)
	}
}

// run simulates a workload under every policy that the kernel can have, nil for one given by hand,
// and adds it to the report. One that is asked for is simulated whether it can be had or not.
func (m *Simulation) run(g *gpu.GPU, w *workload.Kernel, out Kernel, k *analysis.Kernel) {
	out.GPU, out.CC = g.String(), g.CC()
	out.Threads, out.Registers, out.Shared, out.Segments = w.Threads, w.Registers, w.Shared, workload.Format(workload.Rounded(w.Body, 1))
	opt := sim.Options{Blocks: m.Options.Blocks}
	if hasRegion(w.Body) {
		if share, err := sim.RegionShare(g, w); err == nil {
			share = rounded(share, 4)
			out.RegionShare = &share
		}
	}
	policies := m.policies()
	if m.Options.Policies == nil && !hasRegion(w.Body) {
		out.Notes = append(out.Notes, "no shared array is live in any part of it: there is nothing to take turns with")
		policies = slices.DeleteFunc(slices.Clone(policies), func(p sim.Policy) bool { return p.Kind != sim.Baseline && p.Kind != sim.Merge })
	}
	base := 0.0
	for _, p := range policies {
		run := Run{Policy: Notation(p), Hardware: p.Kind == sim.HW || p.Kind == sim.CoHW}
		if k != nil && m.Options.Refused != nil {
			run.Refused = m.Options.Refused(k, p)
		}
		if run.Refused != "" && m.Options.Policies == nil {
			run.Reason = "refused: " + run.Refused
			out.Runs = append(out.Runs, run)
			continue
		}
		r, err := sim.Run(g, w, p, opt)
		if err != nil {
			run.Reason = sim.Cause(err)
			out.Runs = append(out.Runs, run)
			continue
		}
		if p == (sim.Policy{}) {
			base, out.Blocks = r.CyclesPerBlock, r.Blocks
		}
		run.Policy = Notation(r.Policy)
		run.Result = &Result{
			Cycles: rounded(r.Cycles, 1), PerBlock: rounded(r.CyclesPerBlock, 1), Resident: r.Resident * r.VTBs, Limiters: r.Static.Limiters,
			Issue: rounded(r.Issue, 4), Memory: rounded(r.Memory, 4), Pipe: rounded(r.Pipe, 4),
		}
		if base > 0 && r.CyclesPerBlock > 0 {
			speedUp := rounded(base/r.CyclesPerBlock, 4)
			run.Result.SpeedUp = &speedUp
		}
		out.Runs = append(out.Runs, run)
	}
	m.Report.Kernels = append(m.Report.Kernels, out)
	drawn := simulated{name: out.title(), gpu: g, work: w, blocks: out.Blocks, policies: policies}
	for _, run := range out.Runs {
		drawn.refused = append(drawn.refused, run.Refused != "" && run.Result == nil)
	}
	m.drawn = append(m.drawn, drawn)
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

// WithMemory gives copies of GPUs another memory: of a latency in cycles of the SM's clock and a bandwidth in GB/s. 0
// stands for the GPU's own. The L2 cache is never slower than the memory that it caches.
func WithMemory(gpus []*gpu.GPU, latency, bandwidth float64) []*gpu.GPU {
	out := make([]*gpu.GPU, len(gpus))
	for i, g := range gpus {
		c := *g
		if latency > 0 {
			c.Arch.MemoryLatency = latency
			c.Arch.L2Latency = min(c.Arch.L2Latency, latency)
		}
		if bandwidth > 0 {
			c.Bandwidth = bandwidth
			c.L2Bandwidth = max(c.L2Bandwidth, bandwidth)
		}
		out[i] = &c
	}
	return out
}

// ParsePolicies reads lists of policies with commas between them, as --policy takes them; nil for no list. The
// original comes first, unless it stands elsewhere: the others are compared with it.
func ParsePolicies(given []string) ([]sim.Policy, error) {
	var out []sim.Policy
	for _, list := range given {
		for _, text := range strings.Split(list, ",") {
			p, err := sim.ParsePolicy(policyText(text))
			if err != nil {
				return nil, policyError(text, err)
			}
			out = lists.Add(out, p)
		}
	}
	if len(out) > 0 && !slices.Contains(out, sim.Policy{}) {
		out = slices.Insert(out, 0, sim.Policy{})
	}
	return out, nil
}

// Notation is a policy as rewrites are written elsewhere: "vtb named N=2" for vtb:named:N=2. The
// part of an array that is private is one, since what is simulated has no rows.
func Notation(p sim.Policy) string {
	words := strings.Split(p.String(), ":")
	for i, w := range words {
		if part, ok := strings.CutPrefix(w, "P="); ok {
			if n, err := strconv.ParseFloat(part, 64); err == nil {
				words[i] = fmt.Sprintf("P=%.3g%%", 100*n)
			}
		}
	}
	if p.Kind == sim.Baseline {
		words[0] = "original"
	}
	return strings.Join(words, " ")
}

// policyText returns the text that sim.ParsePolicy reads of a policy in either notation.
func policyText(text string) string {
	words := strings.Fields(strings.ReplaceAll(text, ":", " "))
	for i, w := range words {
		if part, ok := strings.CutPrefix(strings.TrimSuffix(w, "%"), "P="); ok && strings.HasSuffix(w, "%") {
			if n, err := strconv.ParseFloat(part, 64); err == nil {
				words[i] = "P=" + strconv.FormatFloat(n/100, 'g', -1, 64)
			}
		}
	}
	if len(words) > 0 && words[0] == "original" {
		words[0] = sim.Baseline.String()
	}
	return strings.Join(words, ":")
}

// policyError reports what is wrong with a policy, and what may have been meant.
func policyError(text string, err error) error {
	var policy *sim.PolicyError
	if !errors.As(err, &policy) {
		return diag.Usagef("", "--policy: %w", err)
	}
	var kinds []string
	for k := sim.Baseline; k <= sim.CoHW; k++ {
		kinds = append(kinds, k.String())
	}
	kind, _, _ := strings.Cut(policyText(text), ":")
	if kind == "" {
		return diag.Usagef("the policies are: "+strings.Join(kinds, ", "), "--policy names no policy")
	}
	if slices.Contains(kinds, kind) {
		return diag.Usagef("write it such as 'vtb named N=2', 'dyn lock N=4 M=1' or 'hw K+2'", "--policy %q: %s", policy.Text, policy.Reason)
	}
	return diag.Usagef(diag.DidYouMean(kind, kinds, "the policies are"), "--policy %q is not a policy", policy.Text)
}
