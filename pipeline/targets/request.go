package targets

import (
	"errors"
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

// With returns the request with what settings, which may be nil, ask where a flag was
// not given.
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
