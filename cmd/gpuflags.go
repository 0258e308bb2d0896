package cmd

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
)

// nativeGPU stands for the GPUs of this machine.
const nativeGPU = "native"

// gpuFlags say for which GPUs a model is asked.
type gpuFlags struct {
	names []string
	file  string
}

func (g *gpuFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&g.names, "gpu", nil, "for these GPUs, `NAME[,NAME…]`: a100, sm_86, gtx480@16 (kB of shared memory) or native; can be repeated. The default is native where there is a GPU, else a few common ones")
	f.StringVar(&g.file, "gpu-file", "", "read more GPUs from this TOML `FILE`")
}

// gpus returns the GPUs that the flags ask for, each once, in their order.
// Without --gpu they are those of the machine, or, where it has none that can be
// asked, a small set, with a remark. Errors that have been told already are
// errReported.
func (g *gpuFlags) gpus(s *session) ([]*gpu.GPU, error) {
	table, err := g.table(s)
	if err != nil {
		return nil, err
	}
	if len(g.names) == 0 {
		return s.defaultGPUs(table), nil
	}
	var out []*gpu.GPU
	for _, list := range g.names {
		for _, name := range strings.Split(list, ",") {
			found, err := s.lookupGPU(table, strings.TrimSpace(name))
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return distinctGPUs(out), nil
}

// table is the built-in one, with what --gpu-file adds.
func (g *gpuFlags) table(s *session) (*gpu.Table, error) {
	if g.file == "" {
		return gpu.Default(), nil
	}
	src, err := readSource(g.file)
	var input *parser.InputError
	if errors.As(err, &input) {
		s.note(ExitUsage)
		s.message(input.Message())
		return nil, errReported
	}
	if err != nil {
		return nil, err
	}
	table, err := gpu.Read(g.file, src)
	var file *gpu.FileError
	switch {
	case errors.As(err, &file):
		s.note(ExitUsage)
		for _, m := range file.Messages {
			s.message(m)
		}
		return nil, errReported
	case err != nil:
		return nil, usagef("", "--gpu-file: %w", err)
	}
	return table, nil
}

// lookupGPU finds what one name stands for.
func (s *session) lookupGPU(table *gpu.Table, name string) ([]*gpu.GPU, error) {
	const help = "write --gpu NAME or --gpu NAME,NAME"
	if name == "" {
		return nil, usagef(help, "--gpu names no GPU")
	}
	if name == nativeGPU {
		out, err := s.nativeGPUs(table)
		if err != nil {
			return nil, usagef("name a GPU, such as --gpu a100", "--gpu native: %w", err)
		}
		return out, nil
	}
	found, err := table.Lookup(name)
	var unknown *gpu.UnknownError
	switch {
	case errors.As(err, &unknown) && len(unknown.Near) > 0:
		return nil, usagef("did you mean "+orList(unknown.Near)+"?", "--gpu %q is no GPU that smux knows", name)
	case errors.As(err, &unknown):
		all := append(slices.Clone(unknown.All), nativeGPU)
		return nil, usagef("the GPUs are: "+strings.Join(all, ", "), "--gpu %q is no GPU that smux knows", name)
	case err != nil:
		return nil, usagef(help, "--gpu: %w", err)
	}
	return []*gpu.GPU{found}, nil
}

// defaultGPUs are those of the machine, or a small set with a remark.
func (s *session) defaultGPUs(table *gpu.Table) []*gpu.GPU {
	if out, err := s.nativeGPUs(table); err == nil {
		return distinctGPUs(out)
	}
	out := gpu.NamedSet()
	names := make([]string, len(out))
	for i, g := range out {
		names[i] = g.Name
	}
	s.remark("no GPU was named and none found here: taking %s (--gpu NAME chooses)", strings.Join(names, ", "))
	return out
}

// nativeGPUs asks nvidia-smi for the GPUs of this machine.
func (s *session) nativeGPUs(table *gpu.Table) ([]*gpu.GPU, error) {
	csv, err := s.nvidiaSMI(gpu.SMIQuery...)
	if err != nil {
		return nil, err
	}
	out, notes, err := table.ParseNVIDIASMI(csv)
	for _, note := range notes {
		s.remark("%s", note)
	}
	return out, err
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

// runNVIDIASMI runs nvidia-smi, which answers within seconds where it is well.
func runNVIDIASMI(args ...string) (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return "", errors.New("there is no nvidia-smi on this machine")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	switch {
	case ctx.Err() != nil:
		return "", errors.New("nvidia-smi does not answer")
	case err != nil:
		text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if text == "" {
			text = err.Error()
		}
		return "", errors.New("nvidia-smi: " + text)
	}
	return string(out), nil
}
