package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/nvidiasmi"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/load"
)

// nativeGPU stands for the GPUs of this machine.
const nativeGPU = "native"

// gpuFlags say for which GPUs a model is asked.
type gpuFlags struct {
	names []string
	file  string
	set   *pflag.FlagSet
	from  diag.Position // of the setting that the names are of, invalid for those of --gpu
	built built         // what counts where there are no names
}

func (g *gpuFlags) register(f *pflag.FlagSet) {
	g.set = f
	f.StringArrayVar(&g.names, "gpu", nil, "for these GPUs, `NAME[,NAME...]`: a100, sm_86, gtx480@16 (kB of shared memory) or native; can be repeated. The default is what compile_commands.json (-p) is compiled for, else native where there is a GPU, else a few common ones")
	f.StringVar(&g.file, "gpu-file", "", "read more GPUs from this TOML `FILE`")
}

// given reports whether any of the flags was.
func (g *gpuFlags) given() bool {
	return len(g.names) > 0 || g.set != nil && g.set.Changed("gpu-file")
}

// gpus returns the GPUs that the flags ask for, each once, in their order.
// Without names they are those that a compilation database has code made for, then
// those of the machine, or, where it has none that can be asked, a small set, with a
// remark. Errors that have been told already are errReported.
func (g *gpuFlags) gpus(s *session) ([]*gpu.GPU, error) {
	table, err := g.table(s)
	if err != nil {
		return nil, err
	}
	if len(g.names) == 0 {
		if found := s.builtGPUs(table, g.built); len(found) > 0 {
			return found, nil
		}
		return s.defaultGPUs(table)
	}
	var out []*gpu.GPU
	for _, list := range g.names {
		for _, name := range strings.Split(list, ",") {
			found, err := s.lookupGPU(table, strings.TrimSpace(name))
			if err != nil {
				return nil, g.inSettings(s, err)
			}
			out = append(out, found...)
		}
	}
	return distinctGPUs(out), nil
}

// table is the built-in one, with what --gpu-file adds.
func (g *gpuFlags) table(s *session) (*gpu.Table, error) {
	switch {
	case g.file == "" && g.set != nil && g.set.Changed("gpu-file"):
		return nil, diag.Usagef("write --gpu-file FILE.toml", "--gpu-file names no file")
	case g.file == "":
		return gpu.Default(), nil
	}
	src, err := load.ReadSource(g.file)
	var input *parser.InputError
	if errors.As(err, &input) {
		s.Note(diag.ExitUsage)
		m := input.Message()
		if m.Code == load.CodeDirectory {
			m.Help = "name the TOML file in it"
		}
		s.Message(m)
		return nil, diag.ErrReported
	}
	if err != nil {
		return nil, err
	}
	table, err := gpu.Read(g.file, src)
	var file *gpu.FileError
	switch {
	case errors.As(err, &file):
		s.Note(diag.ExitUsage)
		for _, m := range file.Messages {
			s.Message(m)
		}
		return nil, diag.ErrReported
	case err != nil:
		return nil, diag.Usagef("", "--gpu-file: %w", err)
	}
	return table, nil
}

// lookupGPU finds what one name stands for.
func (s *session) lookupGPU(table *gpu.Table, name string) ([]*gpu.GPU, error) {
	const help = "write --gpu NAME or --gpu NAME,NAME"
	if name == "" {
		return nil, diag.Usagef(help, "--gpu names no GPU")
	}
	if strings.EqualFold(name, nativeGPU) {
		out, err := s.nativeGPUs(table)
		if err != nil && !errors.Is(err, diag.ErrInterrupted) {
			err = diag.Usagef("name a GPU, such as --gpu a100", "--gpu native: %w", err)
		}
		return out, err
	}
	found, err := table.Lookup(name)
	var unknown *gpu.UnknownError
	switch {
	case errors.As(err, &unknown):
		return nil, diag.Usagef(unknownHelp(table, unknown), "--gpu %q is no GPU that smux knows", name)
	case err != nil:
		return nil, diag.Usagef(help, "--gpu: %w", err)
	}
	return []*gpu.GPU{found}, nil
}

// unknownHelp says which names there are: those that are near, the compute
// capabilities for one of these, else all.
func unknownHelp(table *gpu.Table, unknown *gpu.UnknownError) string {
	near := slices.Concat(diag.Nearest(unknown.Name, []string{nativeGPU}), unknown.Near)
	switch {
	case unknown.CC != "":
		var have []string
		for _, g := range table.All() {
			if cc := g.CC(); !slices.Contains(have, cc) {
				have = append(have, cc)
			}
		}
		return "the compute capabilities are: " + strings.Join(have, ", ")
	case len(near) > 0:
		return "did you mean " + diag.OrList(near) + "?"
	}
	return "the GPUs are: " + strings.Join(append(slices.Clone(unknown.All), nativeGPU), ", ")
}

// defaultGPUs are those of the machine, or a small set with a remark. The error
// is for a person who does not want to wait for nvidia-smi.
func (s *session) defaultGPUs(table *gpu.Table) ([]*gpu.GPU, error) {
	var out []*gpu.GPU
	err := error(nvidiasmi.ErrMissing)
	why := "none found here"
	if s.Getenv("PRE_COMMIT") != "" {
		// What a hook asks for has to be the same for all of a team.
		why = "a hook does not take that of this machine"
	} else {
		out, err = s.nativeGPUs(table)
	}
	switch {
	case err == nil:
		return distinctGPUs(out), nil
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	case !errors.Is(err, nvidiasmi.ErrMissing):
		why = "none can be asked here (" + err.Error() + ")"
	}
	out = gpu.NamedSet()
	s.Remark("no GPU was named and %s: taking %s (--gpu NAME chooses)", why, strings.Join(boardNames(out), ", "))
	return out, nil
}

// nativeGPUs asks nvidia-smi for the GPUs of this machine.
func (s *session) nativeGPUs(table *gpu.Table) (out []*gpu.GPU, err error) {
	line := s.NewProgress()
	line.Say("asking nvidia-smi for the GPUs of this machine")
	csv := ""
	err = s.Interruptible("asking nvidia-smi", func(ctx context.Context) (err error) {
		csv, err = s.nvidiaSMI(ctx, gpu.SMIQuery...)
		return err
	})
	line.End()
	if err != nil {
		return nil, err
	}
	out, notes, err := table.ParseNVIDIASMI(csv)
	for _, note := range notes {
		s.Remark("%s", printable.Text(note))
	}
	if err != nil {
		return nil, errors.New(printable.Text(err.Error()))
	}
	return out, nil
}

// distinctGPUs drops those that stand in the list already.
func distinctGPUs(gpus []*gpu.GPU) []*gpu.GPU {
	var out []*gpu.GPU
	for _, g := range gpus {
		same := func(o *gpu.GPU) bool { return o.Name == g.Name && o.Carveout == g.Carveout }
		if !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	return out
}
