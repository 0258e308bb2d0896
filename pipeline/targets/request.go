package targets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
)

// Native is the name that stands for the GPUs of this machine.
const Native = "native"

// Request describes which GPUs are meant.
type Request struct {
	Names []string // each one name or several with commas between: a100, sm_86, gtx480@16 (kB of shared memory), Native
	File  string   // describes more GPUs, as TOML; "" for none
	// Changed reports whether a person gave a flag, by its name; nil where there are none.
	Changed func(flag string) bool

	at    diag.Position // of the setting that the names are of, invalid for those of a flag
	built built         // what counts where there are no names
}

func (r *Request) given(flag string) bool { return r.Changed != nil && r.Changed(flag) }

// Asked reports whether a person or a setting names GPUs.
func (r *Request) Asked() bool { return len(r.Names) > 0 || r.given("gpu-file") }

// With returns the request with what settings, which may be nil, ask where a flag was not given.
func (r Request) With(set *config.Settings) Request {
	if set == nil {
		return r
	}
	if !r.given("gpu") && len(set.GPUs) > 0 {
		r.Names, r.at = set.GPUs, set.At["gpus"]
	}
	if !r.given("gpu-file") && set.GPUFile != "" {
		r.File = set.GPUFile
	}
	return r
}

// BuiltFor returns the request with the architectures that a compilation database has
// code made for, as sm_75. They count where there are no names.
func (r Request) BuiltFor(architectures []string) Request {
	r.built = built{}
	if len(r.Names) == 0 {
		r.built.archs = architectures
	}
	return r
}

// Table returns the built-in table with what File adds. What is wrong with the file is
// printed; the error is then diag.ErrReported.
func (r *Request) Table(c *console.Console) (*gpu.Table, error) {
	switch {
	case r.File == "" && r.given("gpu-file"):
		return nil, diag.Usagef("write --gpu-file FILE.toml", "--gpu-file names no file")
	case r.File == "":
		return gpu.Default(), nil
	}
	src, err := load.ReadSource(r.File)
	var input *parser.InputError
	if errors.As(err, &input) {
		m := input.Message()
		if m.Code == load.CodeDirectory {
			m.Help = "name the TOML file in it"
		}
		return nil, told(c, m)
	}
	if err != nil {
		return nil, err
	}
	table, err := gpu.Read(r.File, src)
	var file *gpu.FileError
	switch {
	case errors.As(err, &file):
		return nil, told(c, file.Messages...)
	case err != nil:
		return nil, diag.Usagef("", "--gpu-file: %w", err)
	}
	return table, nil
}

// told prints messages about wrong input.
func told(c *console.Console, messages ...diag.Message) error {
	c.Note(diag.ExitUsage)
	for _, m := range messages {
		c.Message(m)
	}
	return diag.ErrReported
}

// inSettings reports at the place of the setting that a GPU is unavailable.
func (r *Request) inSettings(c *console.Console, err error) error {
	if !r.at.IsValid() || err == diag.ErrReported {
		return err
	}
	exit, ok := err.(*diag.Failure)
	if !ok || exit.Exit != diag.ExitUsage {
		return err
	}
	text := strings.TrimLeft(strings.TrimPrefix(exit.Error(), "--gpu"), ": ")
	load.ReportSetting(c, r.at, "gpus: "+text, exit.Help)
	return diag.ErrReported
}

// Program is a program and the GPUs that it is looked at for.
type Program struct {
	load.Program
	GPUs    []*gpu.GPU
	Settled bool // GPUs are those that are meant, else they are looked for where they are needed
}

// Unsettled are programs whose GPUs are looked for where they are needed.
func Unsettled(programs []load.Program) []Program {
	out := make([]Program, len(programs))
	for i, p := range programs {
		out[i].Program = p
	}
	return out
}

// Programs settles the GPUs of each program of a tree. Programs whose settings name
// wrong ones are left out, with a message; the error is for what concerns all of them.
func (f Finder) Programs(programs []load.Program, request Request) ([]Program, error) {
	requests, keys, share := make([]Request, len(programs)), make([]string, len(programs)), map[string]int{}
	for i, p := range programs {
		r := request.With(p.Settings).BuiltFor(p.Architectures())
		requests[i], keys[i] = r, fmt.Sprintf("%q", append(slices.Concat(r.Names, r.built.archs), r.File))
		share[keys[i]]++
	}
	type outcome struct {
		gpus []*gpu.GPU
		err  error
	}
	known, told := map[string]*outcome{}, map[string]bool{} // a message is printed once
	var out []Program
	for i, p := range programs {
		r, key := requests[i], keys[i]
		if known[key] == nil {
			r.built.told = told
			if len(share) > 1 {
				r.built.of = otherPrograms(p.Files[0], share[key])
			}
			gpus, err := f.GPUs(r)
			known[key] = &outcome{gpus, err}
		}
		switch o := known[key]; {
		case o.err == nil:
			out = append(out, Program{p, o.gpus, true})
		case p.ConcernsAll(o.err):
			return nil, o.err
		}
	}
	return out, nil
}
