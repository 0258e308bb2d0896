package cmd

import (
	"errors"
	"os"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/tune/tuning"
)

// load reads the files.
func (t *tuneCall) load() (out tuning.Files, err error) {
	s := t.session
	var files []string
	for _, name := range t.files {
		if name == "-" {
			return out, diag.Usagef("name a file", "a program that is run lies in files, and standard input is none")
		}
		if project.IsFolder(name) {
			load.ReportUnread(s.Console, name, load.FolderError(name))
			return out, diag.ErrReported
		}
		if parser.IsCUDA(name) {
			files = append(files, name)
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return out, diag.Usagef("name the files of a program", "%s can't be compiled or linked", name)
		}
		out.Further = append(out.Further, name)
	}
	if len(files) == 0 {
		return out, diag.Usagef("name the .cu files of the program", "no CUDA file was named")
	}
	set, err := t.in.Settings.For(s.Console, files)
	if err != nil {
		return out, err
	}
	if err := t.with(set); err != nil {
		return out, err
	}
	prog, parse, err := load.Files(s.Console, files, t.in)
	if err != nil {
		return out, err
	}
	if len(prog.Files) == 0 {
		return out, diag.ErrReported
	}
	choice := choiceFlags{resources: t.flags.resources, minGain: t.flags.minGain}
	out.Job = s.job(prog, parse, t.opt, choice, verbosity{quiet: t.flags.quiet})
	return out, load.CheckKernels(prog, t.opt.Kernels)
}

// chooseGPU is the GPU that is predicted for: where one is measured on, it must be
// of this machine.
func (t *tuneCall) chooseGPU() (*gpu.GPU, error) {
	s, o := t.session, t.flags
	if o.on == tuning.OnGPU && o.run == "" && o.measures() {
		const help = "measure with --store FILE.jsonl on a machine with a GPU, and give --replay FILE.jsonl here; or take what --export writes to one"
		return s.targets().Own(o.gpus, "smux tune", help)
	}
	if len(o.gpus.Names) == 0 {
		return t.unnamedGPU()
	}
	gpus, err := s.targets().GPUs(o.gpus)
	if err != nil {
		return nil, err
	}
	if len(gpus) > 1 {
		return nil, diag.Usagef("name one of them", "--gpu names several GPUs, and smux tune predicts for one at a time")
	}
	return gpus[0], nil
}

// unnamedGPU is the GPU that is predicted for where none was named: that of this
// machine, or else some GPU, since what is measured is not on it. What is exported
// is for one that a person knows.
func (t *tuneCall) unnamedGPU() (*gpu.GPU, error) {
	s := t.session
	table, err := t.flags.gpus.Table(s.Console)
	if err != nil {
		return nil, err
	}
	here, err := s.targets().Native(table)
	switch {
	case err == nil:
		return here[0], nil
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	case t.flags.export != "":
		return nil, diag.Usagef("write --gpu NAME", "--export must know for which GPU: %w", err)
	}
	g, err := table.Lookup(someGPU)
	if err == nil && !t.flags.quiet {
		s.Remark("no GPU was named and none found here: the model predicts for %s (--gpu NAME chooses)", g)
	}
	return g, err
}

// someGPU is predicted for where nothing tells which one is meant.
const someGPU = "a100"
