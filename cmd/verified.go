package cmd

import (
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify"
)

// newVerification prepares the program of a rewrite for running.
func (s *session) newVerification(job *pipeline.Job, kernels []string, runs runFlags, request verify.Request) (*pipeline.Verification, error) {
	prog, err := s.attach(job.Program, runs.bench.of(kernels))
	if err != nil {
		return nil, err
	}
	program, err := s.otherSources(runs)
	if err != nil {
		return nil, err
	}
	run := verify.NewProgram(prog, job.Parse)
	run.Sources, run.Libraries, run.Files = program.Sources, program.Libraries, append(program.Files, run.Files...)
	request.Preparing = s.preparing
	return &pipeline.Verification{Job: job.On(prog), Program: run, Request: request, Judge: s.judgeAloud}, nil
}

// judgeAloud tells what a verdict has found against rewrites.
func (s *session) judgeAloud(request verify.Request) (*verify.Verdict, error) {
	verdict, err := s.judge(request)
	if err == nil && verdict.Outcome != verify.Equal {
		s.Note(verdict.ExitCode())
		s.verdictMessages(verdict, true)
	}
	return verdict, err
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
