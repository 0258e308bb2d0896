package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/verify"
)

// CodeNotVerified is the code of a kernel whose rewrite is not written, because
// runs did not confirm that it does the same.
const CodeNotVerified diag.Code = "not-verified"

// Verification holds the rewrites of a program's kernels against the program on the CPU,
// and withholds what does not pass.
type Verification struct {
	Job     *Job // of the program as it runs, with the host side that it may lack
	Program verify.Program
	Request verify.Request // how it is run
	// Judge runs a request and returns what was found.
	Judge func(verify.Request) (*verify.Verdict, error)

	runs int // of what passed last
}

// Ran tells what was compared of the rewrites that passed.
func (v *Verification) Ran() string {
	return fmt.Sprintf("%s on the CPU, with the outputs of the original", prose.Count(v.runs, "run"))
}

// Passed returns the result of a rewrite, made of job as opt asks, without what does not pass.
func (v *Verification) Passed(job *Job, opt rewrite.Options, result *rewrite.Result) (*rewrite.Result, error) {
	groups := rewrittenGroups(job.groups(), result.Kernels)
	if len(groups) == 0 {
		return result, nil
	}
	// The device code runs the same wherever it stands, and smux.cuh need not be on this machine.
	run := opt
	run.Runtime = runtime.Inline
	pass, err := v.passing(run, groups)
	if err != nil {
		return nil, err
	}
	if len(pass) == len(groups) {
		job.Remark("%s rewritten and verified", prose.Count(len(pass), "kernel"))
		return result, nil
	}
	kept := &rewrite.Result{}
	if len(pass) > 0 {
		if kept, err = job.Apply(only(opt, pass, groups)); err != nil {
			return nil, err
		}
	}
	kept.Kernels = withheld(result.Kernels, groups, pass, func(_ group, at diag.Position) diag.Message {
		return diag.Message{Pos: at, Code: CodeNotVerified, Text: "its rewrite did not pass verification"}
	})
	return kept, nil
}

// group is kernels that are rewritten together: their name, and where they stand.
type group struct {
	name string
	at   []diag.Position
}

// rewrittenGroups returns the groups of kernels that were rewritten.
func rewrittenGroups(all [][]*analysis.Kernel, kernels []rewrite.KernelResult) (out []group) {
	for _, g := range all {
		one := group{name: g[0].Name}
		for _, k := range g {
			one.at = append(one.at, summary.Position(k))
		}
		if slices.ContainsFunc(kernels, func(k rewrite.KernelResult) bool { return k.Rewriter != "" && slices.Contains(one.at, k.Pos) }) {
			out = append(out, one)
		}
	}
	for _, k := range kernels {
		known := slices.ContainsFunc(out, func(g group) bool { return slices.Contains(g.at, k.Pos) })
		if k.Rewriter != "" && !known { // nothing is written that was not verified
			out = append(out, group{k.Name, []diag.Position{k.Pos}})
		}
	}
	return out
}

// only returns the options under which of all groups some are rewritten and the others left alone.
func only(opt rewrite.Options, some, all []group) rewrite.Options {
	var others []diag.Position
	for _, g := range all {
		if !slices.ContainsFunc(some, func(s group) bool { return s.at[0] == g.at[0] }) {
			others = append(others, g.at...)
		}
	}
	return without(opt, others)
}

// without returns the options under which the kernels at some places are left alone.
func without(opt rewrite.Options, places []diag.Position) rewrite.Options {
	opt.Decisions, opt.Then = maps.Clone(opt.Decisions), maps.Clone(opt.Then)
	if opt.Decisions == nil {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
	}
	for _, at := range places {
		opt.Decisions[at] = rewrite.Decision{}
		delete(opt.Then, at)
	}
	return opt
}

// passing returns the groups whose rewrite passes, all at once where all do, else those
// that pass alone and together. What failed is printed.
func (v *Verification) passing(opt rewrite.Options, groups []group) ([]group, error) {
	try := func(sets ...[]group) (pass []group, original bool, err error) { return v.try(opt, groups, sets) }
	pass, original, err := try(groups)
	if err != nil || !original || len(pass) > 0 || len(groups) == 1 {
		return pass, err
	}
	alone := lists.Map(groups, func(g group) []group { return []group{g} })
	pass, original, err = try(alone...)
	if err != nil || !original {
		return nil, err
	}
	if len(pass) < 2 || len(pass) == len(groups) {
		// All alone and not together: nothing tells which of them to leave out.
		return pass[:min(1, len(pass))], nil
	}
	if together, _, err := try(pass); err != nil || len(together) == 0 {
		return pass[:1], err
	}
	return pass, nil
}

// try verifies the rewrites of some sets of the groups at once, and returns the groups of those that passed. original
// is false where the program itself can't be judged. A set for which there is no rewrite by itself has not passed.
func (v *Verification) try(opt rewrite.Options, groups []group, sets [][]group) (pass []group, original bool, err error) {
	names := make([]string, len(sets))
	request := v.Request
	request.Original, request.Variants = v.Program, nil
	for i, set := range sets {
		one := only(opt, set, groups)
		result, err := v.Job.Apply(one)
		if err != nil {
			return nil, false, err
		}
		if len(result.Files) == 0 {
			continue
		}
		variant := NewVariant(NameOf(result, one), v.Program, result)
		if len(sets) > 1 {
			variant.Name = fmt.Sprintf("%s of %s", variant.Name, set[0].name)
			if slices.Contains(names, variant.Name) { // kernels of one name that have nothing to do with each other
				variant.Name = fmt.Sprintf("%s at %s", variant.Name, set[0].at[0])
			}
		}
		names[i] = variant.Name
		request.Variants = append(request.Variants, variant)
	}
	if len(request.Variants) == 0 {
		return nil, true, nil
	}
	verdict, err := v.Judge(request)
	if err != nil {
		return nil, false, err
	}
	for _, f := range verdict.Failures {
		if f.Variant == verify.OriginalName {
			return nil, false, nil
		}
	}
	for i, name := range names {
		if name != "" && verdict.Passed(name) {
			pass = append(pass, sets[i]...)
			v.runs = verdict.Runs(name)
		}
	}
	return pass, true, nil
}

// withheld reports of each rewritten kernel of a group that did not pass that it is left alone, and why.
func withheld(kernels []rewrite.KernelResult, groups, pass []group, why func(group, diag.Position) diag.Message) []rewrite.KernelResult {
	var out []rewrite.KernelResult
	for _, k := range kernels {
		of := func(g group) bool { return slices.Contains(g.at, k.Pos) }
		if i := slices.IndexFunc(groups, of); i >= 0 && k.Rewriter != "" && !slices.ContainsFunc(pass, of) {
			k.Rewriter, k.Sync, k.Notes = "", "", nil
			k.Refused = []diag.Message{why(groups[i], k.Pos)}
		}
		out = append(out, k)
	}
	return out
}

// Variant returns what was decided, as a variant of the program as it is run, and what became of the kernels there.
// run is the job's program with the host side that it may lack. There is no variant where that changes nothing.
func (d *Decided) Variant(run *parser.Program, program verify.Program) ([]verify.Variant, *rewrite.Result, error) {
	opt, result := d.Options, d.Result
	if run != d.Job.Program {
		opt = d.pinned()
		var err error
		if result, err = d.Job.On(run).Apply(opt); err != nil {
			return nil, nil, err
		}
	}
	if len(result.Files) == 0 {
		return nil, result, nil
	}
	return []verify.Variant{NewVariant(NameOf(result, opt), program, result)}, result, nil
}

// pinned returns the options that make of each kernel what became of it: another launch in view may
// allow a sync mode that comes first.
func (d *Decided) pinned() rewrite.Options {
	opt := d.Options
	if len(opt.Then) > 0 {
		return opt
	}
	if opt.Decisions = maps.Clone(opt.Decisions); opt.Decisions == nil {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
	}
	for _, k := range d.Result.Kernels {
		if _, decided := opt.Decisions[k.Pos]; !decided {
			opt.Decisions[k.Pos] = rewrite.Decision{Variant: k.Variant, Why: k.Refused}
		}
	}
	return opt
}

// NewVariant returns what a rewrite made of a program.
func NewVariant(name string, program verify.Program, result *rewrite.Result) verify.Variant {
	v := verify.Variant{Name: name, Program: program.Replace(result.Changed())}
	for _, k := range result.Kernels {
		if k.Rewriter != "" {
			v.Rewritten = append(v.Rewritten, verify.Rewritten{Name: k.Name, Pos: k.Pos, Merged: k.Merges()})
		}
	}
	return v
}

// NameOf returns the name of the variant of a rewrite, such as "vtb named N=2" or "dyn
// lock N=4 M=2": without the sync mode where kernels got different ones, and "as chosen"
// where more differs. opt holds the options that were asked for.
func NameOf(result *rewrite.Result, opt rewrite.Options) string {
	var first *rewrite.KernelResult
	sameSync := true
	for i, k := range result.Kernels {
		switch {
		case k.Rewriter == "":
		case first == nil:
			first = &result.Kernels[i]
		case anySync(k.Variant) != anySync(first.Variant):
			return "as chosen"
		default:
			sameSync = sameSync && k.Sync == first.Sync
		}
	}
	switch {
	case first == nil:
		return anySync(opt.Variant).String()
	case !sameSync:
		return anySync(first.Variant).String()
	}
	return first.Variant.String()
}

// anySync returns a variant without its sync mode.
func anySync(w rewrite.Variant) rewrite.Variant {
	w.Sync = ""
	return w
}

// factors are the numbers of merged thread blocks that AllVariants tries.
var factors = []int{2, 4}

// AllVariants makes every variant of the program that changes something and that the options leave open: with each
// number of merged thread blocks that is tried, or with that of the options alone.
func (j *Job) AllVariants(program verify.Program, oneFactor bool) ([]verify.Variant, error) {
	var tries []rewrite.Variant
	for _, factor := range factors {
		opt := j.Options
		if !oneFactor {
			opt.Factor = factor
		}
		for _, o := range rewrite.Variants(opt) {
			tries = lists.Add(tries, o.Variant)
		}
	}
	var out []verify.Variant
	for _, v := range tries {
		one := *j
		one.Options.Variant = v
		one.analysed = j.Analysed()
		result, err := one.Apply(one.Options)
		if err != nil {
			return nil, err
		}
		if len(result.Files) > 0 {
			out = append(out, NewVariant(NameOf(result, one.Options), program, result))
		}
	}
	return out, nil
}
