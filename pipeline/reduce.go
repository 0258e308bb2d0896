package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
)

// reduce looks for recipes: for each kernel that the options select, the cheapest one that brings its registers down
// to the next step. It returns what is to be done about each of these kernels. Without nvcc nothing is done, and the
// decisions tell what would be tried.
func (j *Job) reduce(r Reduction) (map[diag.Position]rewrite.Decision, error) {
	kernels := j.selected()
	out := map[diag.Position]rewrite.Decision{}
	if len(kernels) == 0 {
		return out, nil
	}
	gpus, err := j.Ask.GPUs(j.Quiet)
	if err != nil {
		return nil, err
	}
	reader, err := resources.New(j.Console, j.FindNVCC, j.Ask.Resources, j.Program, j.Parse)
	if err != nil {
		return nil, err
	}
	if reader.Toolkit == nil {
		for _, k := range kernels {
			out[summary.Position(k)] = rewrite.Decision{Why: []diag.Message{j.planned(k, gpus, r)}}
		}
		return out, nil
	}
	limits, err := r.flat(j.Program)
	if err != nil {
		return nil, err
	}
	if j.Options.Runtime == runtime.Included {
		addRuntime(reader.Request.Texts)
	}
	c := &reducer{
		job: j, gpus: gpus, reader: reader, how: r, flat: limits,
		compiler: &regreduce.Toolkit{
			Program: j.Program, NVCC: reader.Toolkit, Request: reader.Request, Name: resources.UnitName, Options: rewrite.Options{Block: j.Options.Block},
			Place: j.told,
		},
	}
	err = j.Interruptible("asking nvcc", func(ctx context.Context) error {
		c.progress = j.NewProgress()
		defer c.progress.End()
		for _, k := range kernels {
			d, err := c.kernel(ctx, k)
			if err != nil {
				return err
			}
			out[summary.Position(k)] = d
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	reader.Warn()
	together(j.Analysed(), j.Options, out)
	if err := j.confirm(kernels, out); err != nil {
		return nil, err
	}
	return out, c.write()
}

// reducer is one run over the kernels of a program.
type reducer struct {
	job      *Job
	compiler *regreduce.Toolkit
	gpus     []*gpu.GPU
	reader   *resources.Reader
	how      Reduction
	flat     flatPoints
	progress *console.Progress
	records  bytes.Buffer
}

// kernel looks for the recipe of one kernel and returns what is to be done.
func (c *reducer) kernel(ctx context.Context, k *analysis.Kernel) (rewrite.Decision, error) {
	subject := regreduce.SubjectOf(k)
	if subject.Threads == 0 {
		return rewrite.Decision{Why: []diag.Message{{Pos: summary.Position(k), Code: regreduce.CodeNoStep, Text: "the number of threads in its blocks is unknown",
			Help: "name the files that launch it, too, or give --block X,Y,Z"}}}, nil
	}
	rules := c.how.Rules
	rules.Flat = c.flat.of(k, subject.Threads, c.gpus)
	report, err := regreduce.Reduce(ctx, subject, c.compiler, regreduce.Options{
		GPUs: c.gpus, Rungs: c.how.Rungs, Rules: rules, Listed: c.how.Attempts != "",
		Progress: func(line string) { c.progress.Say("asking nvcc about kernel %q: %s", k.Name, line) },
	})
	var refused *nvcc.CompileError
	switch {
	case ctx.Err() != nil:
		return rewrite.Decision{}, ctx.Err()
	case errors.As(err, &refused):
		if err := c.reader.Failed(err); err != nil {
			return rewrite.Decision{}, err
		}
		return rewrite.Decision{Why: []diag.Message{{Pos: summary.Position(k), Code: regreduce.CodeNotDemoted, Text: "nvcc does not compile it as it stands"}}}, nil
	case err != nil:
		return rewrite.Decision{Why: []diag.Message{{Pos: summary.Position(k), Code: regreduce.CodeNotDemoted, Text: err.Error()}}}, nil
	}
	if c.job.Verbose {
		for _, line := range attemptLines(report) {
			c.job.Remark("kernel %q: %s", k.Name, line)
		}
	}
	c.record(k, report)
	d := rewrite.Decision{Why: []diag.Message{regreduce.Message(report, summary.Position(k))}}
	if report.Chosen >= 0 {
		d.Variant = rewrite.Variant{Rewriter: variant.Demote, Recipe: report.Recipe().String()}
	}
	return d, nil
}

// addRuntime lays smux.cuh beside the texts, as a person is asked to.
func addRuntime(texts map[string][]byte) {
	for name := range maps.Clone(texts) {
		texts[filepath.Join(filepath.Dir(name), "smux.cuh")] = runtime.Header()
	}
}

// planned reports what would be tried on a kernel if there were an nvcc.
func (j *Job) planned(k *analysis.Kernel, gpus []*gpu.GPU, r Reduction) diag.Message {
	subject := regreduce.SubjectOf(k)
	bytes, _ := launches.SharedBytes(k, subject.Instance)
	d := occupancy.Demand{Threads: subject.Threads, Registers: cost.Registers(k, subject.Instance, 0), Shared: bytes + subject.Dynamic}
	trials, on, why := regreduce.Plan(subject, d, regreduce.Options{GPUs: gpus, Rungs: r.Rungs, Rules: r.Rules})
	missing := "there is no nvcc here to say what it takes"
	if j.Ask.Resources == resources.Estimate {
		missing = "nvcc is not asked (--resources estimate)"
	}
	switch {
	case on != nil:
		missing = fmt.Sprintf("%s, and an estimated %d registers are not enough to go by on %s", missing, d.Registers, on)
	case why != "":
		missing += "; by an estimate, " + why
	}
	return regreduce.Planned(trials, missing, summary.Position(k))
}

// record keeps what was tried, where that is asked for.
func (c *reducer) record(k *analysis.Kernel, r *regreduce.Report) {
	if c.how.Attempts == "" {
		return
	}
	e := json.NewEncoder(&c.records)
	e.SetEscapeHTML(false)
	_ = e.Encode(Attempt{k.Name, c.job.told(summary.Position(k)), r}) // a buffer takes all
}

// Attempt is a line of the file of --attempts: a kernel, and what was tried.
type Attempt struct {
	Kernel string        `json:"kernel"`
	Place  diag.Position `json:"position"`
	*regreduce.Report
}

// write puts the records into the file of --attempts.
func (c *reducer) write() error {
	if c.how.Attempts == "" {
		return nil
	}
	return c.job.WriteOutput(c.how.Attempts, c.records.Bytes())
}

// together makes the decisions on kernels of one group the same: they are
// rewritten alike or not at all. The first of them that has a recipe gives it.
func together(prog *analysis.Program, opt rewrite.Options, decisions map[diag.Position]rewrite.Decision) {
	for _, g := range rewrite.Groups(prog, prog.Kernels(), opt) {
		var way rewrite.Variant
		for _, k := range g.Kernels {
			if d := decisions[summary.Position(k)]; way.Rewriter == "" {
				way = d.Variant
			}
		}
		for _, k := range g.Kernels {
			if d, ok := decisions[summary.Position(k)]; ok {
				d.Variant = way
				decisions[summary.Position(k)] = d
			}
		}
	}
}

// confirm takes back decisions on kernels of which another launch than the one that
// was looked at would run fewer thread blocks at once.
func (j *Job) confirm(kernels []*analysis.Kernel, decisions map[diag.Position]rewrite.Decision) error {
	several := lists.Filter(kernels, func(k *analysis.Kernel) bool {
		return decisions[summary.Position(k)].Rewriter != "" && len(k.Instances) > 1
	})
	if len(several) == 0 {
		return nil
	}
	return j.withSource(several, "registers are not compared", func(req selection.Request) {
		for _, k := range several {
			d := decisions[summary.Position(k)]
			places, _ := selection.Compare([]*analysis.Kernel{k}, d.Variant, req)
			if why := fewerBlocks(places); why != "" {
				decisions[summary.Position(k)] = rewrite.Decision{Why: []diag.Message{{Pos: summary.Position(k), Code: regreduce.CodeNotDemoted, Text: why}}}
			}
		}
	})
}

// fewerBlocks reports where fewer thread blocks run at once than before, "" for nowhere.
func fewerBlocks(places []selection.Prediction) string {
	for _, p := range places {
		if p.Before.Blocks > p.After.Blocks {
			return fmt.Sprintf("with blocks of %s fewer of them would run at once on %s: %d, not %d", p.Block, p.GPU, p.After.Blocks, p.Before.Blocks)
		}
	}
	return ""
}

// attemptLines tell what was tried for a kernel and with what result, a line each.
func attemptLines(r *regreduce.Report) []string {
	var out []string
	for i, a := range r.Attempts {
		name := a.Recipe
		if a.Rung == "" {
			name = "as it is"
		}
		if a.Failed != "" {
			out = append(out, fmt.Sprintf("%s: %s", name, a.Failed))
			continue
		}
		text := fmt.Sprintf("%s: %d registers, %d bytes spilled, %d bytes shared, %d instructions, %d thread blocks per SM on %s",
			name, a.Figures.Registers, a.Figures.Spills(), a.Figures.Shared, a.Figures.Instructions, a.Occupancy.Blocks*r.Stacked, r.GPU)
		switch {
		case i == r.Chosen:
			text += "; taken"
		case a.Rejected != "":
			text += "; " + a.Rejected
		}
		out = append(out, text)
	}
	return out
}

// Reduction describes how registers are brought down (package rewrite/regreduce).
type Reduction struct {
	After bool     // after another rewrite
	Rungs []string // nil for all
	Rules regreduce.Rules
	// Stress is a file of measured times by thread blocks per SM (package tune/stress): no
	// more blocks are aimed at than gain something there. "" for none.
	Stress   string
	Attempts string // the file that gets what was tried, a line of JSON for each kernel; "" for none
}

// flatPoints holds the number of thread blocks per SM after which more gain nothing,
// as smux occupancy --stress has measured it.
type flatPoints struct {
	series []stress.Series
	source string // hash of the program
}

// of returns that number for a kernel on the first of the GPUs that it was measured on,
// 0 where it was on none, or where the time still falls at the last level.
func (f flatPoints) of(k *analysis.Kernel, threads int, gpus []*gpu.GPU) int {
	for _, g := range gpus {
		if s, ok := stress.For(f.series, f.source, k.Name, threads, g.String()); ok {
			return s.Flat(stress.DefaultTolerance).Blocks
		}
	}
	return 0
}

// flat reads the file of measurements, and looks whether it is of this program.
func (r *Reduction) flat(prog *parser.Program) (flatPoints, error) {
	if r.Stress == "" {
		return flatPoints{}, nil
	}
	series, err := stress.Read(r.Stress)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return flatPoints{}, diag.Failed("reading "+r.Stress, path.Err)
	case err != nil:
		return flatPoints{}, diag.Usagef("write it with smux occupancy --stress --record", "--stress: %w", err)
	}
	f := flatPoints{series, record.HashSource(prog.Texts())}
	for _, s := range series {
		if s.Source == f.source {
			return f, nil
		}
	}
	return f, diag.Usagef("measure this program with smux occupancy --stress --record", "--stress: %w", fmt.Errorf("%s holds no measurement of these files as they are", r.Stress))
}

// thenReduce looks for recipes for the kernels of the program as opt rewrites it: opt
// follows them from here on, first as before, then the registers.
func (j *Job) thenReduce(opt *rewrite.Options, wants *Preferences, r Reduction) error {
	result, err := j.Apply(*opt)
	if err != nil {
		return err
	}
	chain := rewrite.NewChain(j.Analysed())
	if err := chain.Add(result); err != nil {
		return diag.Failed("rewriting", err)
	}
	now, err := chain.Now()
	if err != nil {
		return &diag.Failure{Exit: diag.ExitInternal, Err: err}
	}
	middle := *j
	middle.Program, middle.analysed, middle.place = now.Parsed, now, chain.Place
	middle.Options = rewrite.Options{Kernels: opt.Kernels, Runtime: opt.Runtime}
	decisions, err := middle.reduce(r)
	if err != nil {
		return err
	}
	opt.Then = map[diag.Position]rewrite.Decision{}
	for at, d := range decisions {
		for i := range d.Why {
			d.Why[i].Pos = chain.Place(d.Why[i].Pos)
		}
		opt.Then[chain.Place(at)] = d
	}
	wants.leaveOut(opt.Then, opt.Rewriter != "")
	return nil
}

// Apply rewrites the program as opt asks.
func (j *Job) Apply(opt rewrite.Options) (*rewrite.Result, error) {
	result, err := j.Rewrite(j.Analysed(), opt)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	return result, nil
}
