package cmd

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// verification is what `smux rewrite --verify` knows: the program as it runs,
// with the host side that it may lack, and how it is to be run.
type verification struct {
	session *session
	job     *pipeline.Job // of the program as it runs
	program verify.Program
	opt     rewrite.Options
	request verify.Request
}

// newVerification prepares the program of a rewrite for running.
func (s *session) newVerification(job *pipeline.Job, opt rewrite.Options, kernels []string, runs runFlags, request verify.Request) (*verification, error) {
	parse := job.Parse
	prog, err := s.attach(job.Program, runs.bench.of(kernels))
	if err != nil {
		return nil, err
	}
	program, err := s.otherSources(runs)
	if err != nil {
		return nil, err
	}
	program.IncludeDirs, program.Defines = parse.IncludeDirs, parse.Defines
	for _, f := range prog.Files {
		program.Files = append(program.Files, verify.NewFile(f.Name, f.Src))
	}
	// The device code runs the same wherever it stands, and smux.cuh need not
	// be on this machine.
	opt.Runtime = rewrite.RuntimeInline
	return &verification{session: s, job: job.On(prog), program: program, opt: opt, request: request}, nil
}

// otherSources are the files of --source, which a rewrite leaves as they are.
func (s *session) otherSources(runs runFlags) (verify.Program, error) {
	program := verify.Program{Libraries: runs.libraries}
	for _, name := range runs.sources {
		if !parser.IsCUDA(name) {
			program.Sources = append(program.Sources, name)
			continue
		}
		text, err := load.ReadSource(name)
		if err != nil {
			return program, err
		}
		program.Files = append(program.Files, verify.NewFile(name, text))
	}
	return program, nil
}

// passing returns the names of the kernels whose rewrite passes, all at once
// where all do, else those that pass alone and together. What failed is told.
func (v *verification) passing(kernels []string) ([]string, error) {
	ok, original, err := v.try([][]string{kernels})
	if err != nil || !original || ok[0] {
		return chosen(ok, original, [][]string{kernels}), err
	}
	if len(kernels) == 1 {
		return nil, nil
	}
	var alone [][]string
	for _, k := range kernels {
		alone = append(alone, []string{k})
	}
	ok, original, err = v.try(alone)
	if err != nil || !original {
		return nil, err
	}
	pass := chosen(ok, original, alone)
	if len(pass) < 2 || len(pass) == len(kernels) {
		// All alone and not together: nothing says which of them to leave out.
		return pass[:min(1, len(pass))], nil
	}
	if ok, _, err = v.try([][]string{pass}); err != nil || !ok[0] {
		return pass[:1], err
	}
	return pass, nil
}

// chosen joins the sets that passed.
func chosen(ok []bool, original bool, sets [][]string) (out []string) {
	for i := range sets {
		if original && ok[i] {
			out = append(out, sets[i]...)
		}
	}
	return out
}

// try verifies the rewrites of some sets of kernels at once. original is false
// where the program itself can't be judged. A set for which there is no rewrite
// by itself has not passed.
func (v *verification) try(sets [][]string) (ok []bool, original bool, err error) {
	ok = make([]bool, len(sets))
	index := map[string]int{}
	request := v.request
	request.Original, request.Variants = v.program, nil
	for i, set := range sets {
		opt := v.opt
		opt.Kernels = set
		result, err := v.job.Apply(opt)
		if err != nil {
			return nil, false, err
		}
		if variant, changed := variantOf(v.program, result, opt); changed {
			if len(sets) > 1 {
				variant.Name = fmt.Sprintf("%s of %s", variant.Name, set[0])
			}
			index[variant.Name] = i
			request.Variants = append(request.Variants, variant)
		}
	}
	if len(request.Variants) == 0 {
		return ok, true, nil
	}
	request.Preparing = v.session.preparing
	verdict, err := v.session.judge(request)
	if err != nil {
		return nil, false, err
	}
	if verdict.Outcome != verify.Equal {
		v.session.Note(verdictCode(verdict))
		v.session.verdictMessages(verdict, true)
	}
	original = true
	for _, f := range verdict.Failures {
		original = original && f.Variant != verify.OriginalName
	}
	for name, i := range index {
		ok[i] = verdict.Passed(name)
	}
	return ok, original, nil
}

// verified is the result of a rewrite without what did not pass.
func (s *session) verified(job *pipeline.Job, result *rewrite.Result, v *verification, opt rewrite.Options) (*rewrite.Result, error) {
	var kernels []string
	for _, k := range result.Kernels {
		if k.Rewriter != "" && !slices.Contains(kernels, k.Name) {
			kernels = append(kernels, k.Name)
		}
	}
	if len(kernels) == 0 {
		return result, nil
	}
	pass, err := v.passing(kernels)
	if err != nil {
		return nil, err
	}
	if len(pass) == len(kernels) {
		s.Remark("%s rewritten and verified", plural.Count(len(pass), "kernel"))
		return result, nil
	}
	kept := &rewrite.Result{}
	if len(pass) > 0 {
		opt.Kernels = pass
		if kept, err = job.Apply(opt); err != nil {
			return nil, err
		}
	}
	kept.Kernels = withheld(result.Kernels, pass)
	return kept, nil
}

// withheld says of each rewritten kernel that did not pass that it is left
// alone.
func withheld(kernels []rewrite.KernelResult, pass []string) []rewrite.KernelResult {
	var out []rewrite.KernelResult
	for _, k := range kernels {
		if k.Rewriter != "" && !slices.Contains(pass, k.Name) {
			k.Rewriter, k.Sync, k.Notes = "", "", nil
			k.Refused = []diag.Message{{Pos: k.Pos, Code: CodeNotVerified, Text: "its rewrite did not pass verification"}}
		}
		out = append(out, k)
	}
	return out
}

// CodeNotVerified is the code of a kernel whose rewrite is not written, because
// it could not be shown to do the same.
const CodeNotVerified diag.Code = "not-verified"
