package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
)

// climb looks for recipes: for each kernel that opt selects, the cheapest one
// that brings its registers down to the next step. It returns what is to be done
// about each of these kernels. Without nvcc nothing is done, and the decisions
// say what would be tried.
func (s *session) climb(prog *parser.Program, parse parser.Options, opt rewrite.Options, flags choiceFlags, l ladderFlags, say verbosity) (map[diag.Position]rewrite.Decision, error) {
	analysed := analysis.NewProgram(prog, opt.Block)
	var kernels []*analysis.Kernel
	for _, k := range analysed.Kernels() {
		if wanted(opt.Kernels, k.Name) {
			kernels = append(kernels, k)
		}
	}
	out := map[diag.Position]rewrite.Decision{}
	if len(kernels) == 0 {
		return out, nil
	}
	gpus, err := s.choiceGPUs(flags, say.quiet)
	if err != nil {
		return nil, err
	}
	reader, err := resources.New(s.Console, s.findNVCC, flags.resources, prog, parse)
	if err != nil {
		return nil, err
	}
	if reader.Toolkit == nil {
		for _, k := range kernels {
			out[k.Position()] = rewrite.Decision{Why: []diag.Message{s.planned(k, gpus, l, flags.resources)}}
		}
		return out, nil
	}
	limits, err := l.flat(prog)
	if err != nil {
		return nil, err
	}
	if opt.Runtime == runtimeHeader {
		addRuntime(reader.Request.Texts)
	}
	c := &climber{
		session: s, gpus: gpus, reader: reader, flags: l, flat: limits, verbose: say.verbose,
		compiler: &regreduce.Toolkit{
			Program: prog, NVCC: reader.Toolkit, Request: reader.Request, Name: resources.UnitName, Options: rewrite.Options{Block: opt.Block},
		},
	}
	err = s.Interruptible("asking nvcc", func(ctx context.Context) error {
		c.progress = s.NewProgress()
		defer c.progress.End()
		for _, k := range kernels {
			d, err := c.kernel(ctx, k)
			if err != nil {
				return err
			}
			out[k.Position()] = d
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	reader.Warn()
	together(analysed, analysed.Kernels(), opt, out)
	if err := s.confirm(prog, parse, opt, flags, kernels, out); err != nil {
		return nil, err
	}
	return out, c.write()
}

// climber is one run over the kernels of a program.
type climber struct {
	session  *session
	compiler *regreduce.Toolkit
	gpus     []*gpu.GPU
	reader   *resources.Reader
	flags    ladderFlags
	flat     flatPoints
	verbose  bool
	progress *console.Progress
	records  bytes.Buffer
}

// kernel climbs for one kernel and says what is to be done.
func (c *climber) kernel(ctx context.Context, k *analysis.Kernel) (rewrite.Decision, error) {
	subject := regreduce.SubjectOf(k)
	if subject.Threads == 0 {
		return rewrite.Decision{Why: []diag.Message{{Pos: k.Position(), Code: regreduce.CodeNoStep, Text: "how many threads its blocks have is not known",
			Help: "name the files that launch it, too, or give --block X,Y,Z"}}}, nil
	}
	rules := c.flags.rules()
	rules.Flat = c.flat.of(k, subject.Threads, c.gpus)
	report, err := regreduce.Reduce(ctx, subject, c.compiler, regreduce.Options{
		GPUs: c.gpus, Rungs: c.flags.wanted(), Rules: rules,
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
		return rewrite.Decision{Why: []diag.Message{{Pos: k.Position(), Code: regreduce.CodeNotDemoted, Text: "nvcc does not compile it as it stands"}}}, nil
	case err != nil:
		return rewrite.Decision{Why: []diag.Message{{Pos: k.Position(), Code: regreduce.CodeNotDemoted, Text: err.Error()}}}, nil
	}
	if c.verbose {
		for _, line := range attemptLines(report) {
			c.session.Remark("kernel %q: %s", k.Name, line)
		}
	}
	c.record(k, report)
	d := rewrite.Decision{Why: []diag.Message{regreduce.Message(report, k.Position())}}
	if report.Chosen >= 0 {
		d.Variant = rewrite.Variant{Rewriter: demoteName, Recipe: report.Recipe().String()}
	}
	return d, nil
}

// addRuntime lays smux.cuh beside the texts, as a person is told to.
func addRuntime(texts map[string][]byte) {
	for name := range maps.Clone(texts) {
		texts[filepath.Join(filepath.Dir(name), "smux.cuh")] = rewrite.RuntimeHeader()
	}
}

// planned says what would be tried on a kernel if there were an nvcc.
func (s *session) planned(k *analysis.Kernel, gpus []*gpu.GPU, l ladderFlags, mode string) diag.Message {
	subject := regreduce.SubjectOf(k)
	bytes, _ := k.SharedBytes(subject.Instance)
	d := occupancy.Demand{Threads: subject.Threads, Registers: cost.Registers(k, subject.Instance, 0), Shared: bytes + subject.Dynamic}
	trials, on, why := regreduce.Plan(subject, d, regreduce.Options{GPUs: gpus, Rungs: l.wanted(), Rules: l.rules()})
	missing := "there is no nvcc here to say what it takes"
	if mode == resources.Estimate {
		missing = "nvcc is not asked (--resources estimate)"
	}
	switch {
	case on != nil:
		missing = fmt.Sprintf("%s, and an estimated %d registers are not enough to go by on %s", missing, d.Registers, on)
	case why != "":
		missing += "; by an estimate, " + why
	}
	return regreduce.Planned(trials, missing, k.Position())
}

// record keeps what was tried, where that is asked for.
func (c *climber) record(k *analysis.Kernel, r *regreduce.Report) {
	if c.flags.attempts == "" {
		return
	}
	e := json.NewEncoder(&c.records)
	e.SetEscapeHTML(false)
	_ = e.Encode(attemptLine{k.Name, k.Position(), r}) // a buffer takes all
}

// attemptLine is a line of the file of --attempts: a kernel, and what was tried.
type attemptLine struct {
	Kernel string        `json:"kernel"`
	Place  diag.Position `json:"position"`
	*regreduce.Report
}

// write puts the records into the file of --attempts.
func (c *climber) write() error {
	if c.flags.attempts == "" {
		return nil
	}
	return c.session.WriteOutput(c.flags.attempts, c.records.Bytes())
}

// together makes the decisions on kernels of one group the same: they are
// rewritten alike or not at all. The first of them that has a recipe gives it.
func together(prog *analysis.Program, kernels []*analysis.Kernel, opt rewrite.Options, decisions map[diag.Position]rewrite.Decision) {
	for _, g := range rewrite.Groups(prog, kernels, opt) {
		var way rewrite.Variant
		for _, k := range g.Kernels {
			if d := decisions[k.Position()]; way.Rewriter == "" {
				way = d.Variant
			}
		}
		for _, k := range g.Kernels {
			if d, ok := decisions[k.Position()]; ok {
				d.Variant = way
				decisions[k.Position()] = d
			}
		}
	}
}

// confirm takes back decisions on kernels of which another launch than the one that
// was looked at would run fewer thread blocks at once.
func (s *session) confirm(prog *parser.Program, parse parser.Options, opt rewrite.Options, flags choiceFlags, kernels []*analysis.Kernel, decisions map[diag.Position]rewrite.Decision) error {
	var several []*analysis.Kernel
	for _, k := range kernels {
		if decisions[k.Position()].Rewriter != "" && len(k.Instances) > 1 {
			several = append(several, k)
		}
	}
	if len(several) == 0 {
		return nil
	}
	return s.withSource(prog, parse, opt, flags, several, "registers are not compared", func(req selection.Request) {
		for _, k := range several {
			d := decisions[k.Position()]
			places, _ := selection.Compare([]*analysis.Kernel{k}, d.Variant, req)
			if why := fewerBlocks(places); why != "" {
				decisions[k.Position()] = rewrite.Decision{Why: []diag.Message{{Pos: k.Position(), Code: regreduce.CodeNotDemoted, Text: why}}}
			}
		}
	})
}

// fewerBlocks says where fewer thread blocks run at once than before, "" for
// nowhere.
func fewerBlocks(places []selection.Prediction) string {
	for _, p := range places {
		if p.Before.Blocks > p.After.Blocks {
			return fmt.Sprintf("with blocks of %s fewer of them would run at once on %s: %d, not %d", p.Block, p.GPU, p.After.Blocks, p.Before.Blocks)
		}
	}
	return ""
}
