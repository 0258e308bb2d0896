// Package config reads .smux.yaml, the file in which a team says once for all how
// smux treats its code.
package config

import (
	"github.com/smux-cuda/smux/diag"
)

// Name is the name of the file.
const Name = ".smux.yaml"

// Settings are what one file says. What it doesn't say is nil or empty.
type Settings struct {
	GPUs      []string // --gpu
	GPUFile   string   // --gpu-file
	MinGain   *float64 // --min-gain, in percent
	Resources string   // --resources
	Runtime   string   // --runtime
	Rewrites  []string // rewriters that may be chosen; nil for all
	Exclude   []string // files of trees that are left out, as in .gitignore

	CompileCommands string   // -p
	Include         []string // -I, absolute
	Define          []string // -D

	Kernels []Kernel // the first whose glob matches counts
}

// Kernel is what is said of kernels of a name.
type Kernel struct {
	Name     string   // a glob
	Pin      string   // the rewrite to do, such as "vtb named N=2"; "" to choose
	Leave    string   // why the kernel is never rewritten; "" where it may be
	Rewrites []string // that may be chosen; nil for those of the file
	MinGain  *float64
	Block    string // --block
	Pos      diag.Position
}
