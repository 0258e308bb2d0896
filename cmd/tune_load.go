package cmd

import (
	"errors"
	"os"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify/harness"
)

// load reads the files, gives a kernel alone its main, and finds the GPU.
func (t *tuning) load() error {
	if err := t.loadFiles(); err != nil {
		return err
	}
	var err error
	if t.run, err = t.flags.bench.of(t.bench).Attach(t.prog, harness.Repeat); err != nil {
		return t.session.benchError(err)
	}
	if t.run != t.prog {
		t.how = t.flags.bench.of(t.bench).Text()
	}
	if t.gpu, err = t.chooseGPU(); err != nil {
		return err
	}
	return t.study()
}

// loadFiles reads the files.
func (t *tuning) loadFiles() error {
	s := t.session
	var files []string
	for _, name := range t.args {
		if name == "-" {
			return diag.Usagef("name a file", "a program that is run lies in files, and standard input is none")
		}
		if project.IsFolder(name) {
			load.ReportUnread(s.Console, name, load.FolderError(name))
			return diag.ErrReported
		}
		if parser.IsCUDA(name) {
			files = append(files, name)
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return diag.Usagef("name the files of a program", "%s can't be compiled or linked", name)
		}
		t.further = append(t.further, name)
	}
	if len(files) == 0 {
		return diag.Usagef("name the .cu files of the program", "no CUDA file was named")
	}
	set, err := t.in.Settings.For(s.Console, files)
	if err != nil {
		return err
	}
	if err := t.with(set); err != nil {
		return err
	}
	if t.prog, t.parse, err = load.Files(s.Console, files, t.in); err != nil {
		return err
	}
	if len(t.prog.Files) == 0 {
		return diag.ErrReported
	}
	return load.CheckKernels(t.prog, t.opt.Kernels)
}

// study asks the model about all kernels.
func (t *tuning) study() error {
	flags := choiceFlags{gpus: t.flags.gpus, resources: t.flags.resources, minGain: t.flags.minGain}
	flags.gpus.Names = []string{t.gpu.String()}
	opt := t.opt
	var err error
	t.choice, err = t.session.job(t.run, t.parse, opt, flags, verbosity{quiet: t.flags.quiet}).Study(false)
	return err
}

// chooseGPU is the GPU that is predicted for: where one is measured on, it must be
// of this machine.
func (t *tuning) chooseGPU() (*gpu.GPU, error) {
	s, o := t.session, t.flags
	if o.on == onGPU && o.run == "" && o.mode() == tuneMeasures {
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
func (t *tuning) unnamedGPU() (*gpu.GPU, error) {
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
	case t.flags.mode() == tuneExports:
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
