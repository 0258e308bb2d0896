// Package config reads what people say of how smux treats their code: .smux.yaml, the
// file in which a team says it once for all, and directives, comments in the source.
//
// It promises that a file of settings is taken whole or not at all, and that everything that is
// wrong with it is reported at once, each with its place and what may have been meant:
// a setting that is misspelt and passed over would change what is rewritten and say
// nothing. It fills in no defaults: what a file doesn't say stays unsaid, and it is
// for the command line to say what that means. Whether a kernel is there that a
// glob matches, and whether a pinned rewrite can be proved right for it, is not
// known here.
package config

import (
	"path"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
)

// Name is the name of the file.
const Name = ".smux.yaml"

// Settings holds the settings of one file. What it doesn't say is nil or empty.
type Settings struct {
	File string // its name, as it was given or found
	Dir  string // the folder it is in: paths in it are relative to this

	GPUs      []string // --gpu
	GPUFile   string   // --gpu-file
	MinGain   *float64 // --min-gain, in percent
	Resources string   // --resources
	Runtime   string   // --runtime
	// RuntimeFolder is the folder for smux.cuh, which files include; "" for beside the first one.
	RuntimeFolder string
	Block         string   // --block, of all kernels
	Rewrites      []string // rewriters that may be chosen; nil for all
	Exclude       []string // files of trees that are left out, as in .gitignore

	CompileCommands string   // -p
	Include         []string // -I
	Define          []string // -D

	Baseline Baseline

	Kernels  []Kernel // the first whose glob matches counts
	Programs []Program

	// At holds the position of each key that the file has, by its name; those of a mapping
	// as "baseline.file".
	At map[string]diag.Position
}

// Baseline describes what `smux baseline` compares with.
type Baseline struct {
	File      string
	Threshold *float64 // in percent
}

// Kernel holds the settings of the kernels of a name.
type Kernel struct {
	Name     string   // a glob
	Pin      string   // the rewrite to do, such as "vtb named N=2"; "" to choose
	Leave    string   // why the kernel is never rewritten; "" where it may be
	Rewrites []string // that may be chosen; nil for those of the file
	MinGain  *float64 // in percent; nil for that of the file
	Block    string   // X[,Y[,Z]], how it is usually launched; "" where its launches tell it
	Shared   string   // bytes of dynamic shared memory, usually; "" where its launches tell them
	Pos      diag.Position
	At       map[string]diag.Position // where each key stands
}

// Program says how the programs of a name are run.
type Program struct {
	Name  string   // a glob of the file with the main, relative to the folder of the settings
	Args  []string // arguments of a run each (--args)
	Chdir string   // --chdir
	// Source has more files of C and C++ that belong to it (--source).
	Source []string
	Pos    diag.Position
	At     map[string]diag.Position // where each key stands
}

// Program returns how a program is run, nil if nothing says so. Settings may be nil.
func (s *Settings) Program(file string) *Program {
	if s == nil {
		return nil
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil
	}
	name, err := filepath.Rel(s.Dir, abs)
	for i := range s.Programs {
		if ok, _ := path.Match(s.Programs[i].Name, filepath.ToSlash(name)); ok && err == nil { // Read has checked the glob
			return &s.Programs[i]
		}
	}
	return nil
}

// Kernel returns the settings of a kernel, nil where there are none. Settings may be nil.
func (s *Settings) Kernel(name string) *Kernel {
	if s == nil {
		return nil
	}
	for i := range s.Kernels {
		if ok, _ := path.Match(s.Kernels[i].Name, name); ok { // Read has checked the glob
			return &s.Kernels[i]
		}
	}
	return nil
}
