package cmd

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify"
)

// hostRtol bounds the difference of floating-point output from that of a C program unless a
// person says otherwise: a reduction in parallel adds in another order.
const hostRtol = 1e-5

// hostProgram is a program of the host alone, with the other sources that both programs are made of.
func hostProgram(files []string, in load.Options, runs runFlags) (verify.Program, error) {
	_, others := parser.PartCUDA(runs.sources)
	program := verify.Program{Sources: slices.Concat(files, others), IncludeDirs: in.Includes, Defines: in.Defines, Libraries: slices.Clone(runs.libraries)}
	for _, name := range program.Sources {
		if _, err := os.ReadFile(name); err != nil {
			return program, diag.Usagef("check the path", "%s: %w", name, diag.PlainCause(err))
		}
	}
	return program, nil
}

// againstHost compares a CUDA program with a program of the host alone.
func (s *session) againstHost(files []string, in load.Options, runs runFlags, bench []string, own verifyFlags, request verify.Request, exact bool) error {
	last := len(files) - 1
	original, err := hostProgram(files[:last], in, runs)
	if err != nil {
		return err
	}
	p, err := s.loadRunnable(files[last:], in, runs, bench, &chosenHost{request: request})
	if err != nil {
		return err
	}
	if !exact {
		request.Tolerance.Rel = hostRtol
		s.Remark("floating-point output may differ by %g of its value, as sums in another order do; --rtol 0 asks for equal text", hostRtol)
	}
	if request.Original, err = followed(original, in); err != nil {
		s.Remark("the C program is run without what its directives say of values: %s", diag.PlainCause(err))
	}
	request.Variants = []verify.Variant{{Name: files[last], Program: p.program, Separate: true}}
	return s.reportVerdict("verify", request, own, s.judge)
}

// followed is a C program of one file that follows what its directives of OpenACC say of values, where it has any. The error
// says why it can't.
func followed(program verify.Program, in load.Options) (verify.Program, error) {
	if len(program.Sources) != 1 || filepath.Ext(program.Sources[0]) != ".c" {
		return program, nil
	}
	opt := parser.Options{Closed: true, C: true, IncludeDirs: in.Includes, Defines: in.Defines}
	prog, errs := parser.LoadProgram(program.Sources, opt)
	if len(errs) > 0 {
		return program, nil // the compiler says it
	}
	text, err := acc.Follow(prog, prog.Files[0])
	if err == nil {
		program.Followed = text
	}
	return program, err
}
