package cmd

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify"
)

// newVerification prepares the program of a rewrite for running: one without a main, such as a
// library in a tree of programs, is run as smux chooses.
func (s *session) newVerification(job *pipeline.Job, kernels []string, runs runFlags, request verify.Request) (*pipeline.Verification, error) {
	how := &chosenHost{request: request, alias: true}
	prog, err := s.host(job.Program, runs, kernels, job.Parse, how)
	if err != nil {
		return nil, err
	}
	run := verify.NewProgram(prog, job.Parse)
	cuda, others := parser.PartCUDA(runs.sources)
	run.Sources, run.Libraries = others, runs.libraries
	for i, name := range cuda { // which a rewrite leaves as they are
		text, err := load.ReadSource(name)
		if err != nil {
			return nil, err
		}
		run.Files = slices.Insert(run.Files, i, verify.NewFile(name, text))
	}
	request.Preparing, request.Timeout = s.preparing, how.request.Timeout
	return &pipeline.Verification{Job: job.On(prog), Program: run, Request: request, Judge: s.judgeAloud}, nil
}

// judgeAloud runs a request and prints what the verdict has found against rewrites.
func (s *session) judgeAloud(request verify.Request) (*verify.Verdict, error) {
	verdict, err := s.judge(request)
	if err == nil && verdict.Outcome != verify.Equal {
		s.Note(verdict.ExitCode())
		s.verdictMessages(verdict, true)
	}
	return verdict, err
}
