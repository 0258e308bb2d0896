// Package targets settles for which GPUs kernels are looked at: those that a person or .smux.yaml names, else those
// that a compilation database has code made for, else those of this machine, else a small set of common ones. What it
// takes where nobody names one it prints on the console.
//
// Which GPU is meant may differ by program: those of a tree that mean the same are asked for once, and reported once.
package targets

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project"
)

// Finder finds GPUs, and prints on a console which it takes where none is named.
type Finder struct {
	Console *console.Console
	// NVIDIASMI runs nvidia-smi and returns what it prints.
	NVIDIASMI func(ctx context.Context, args ...string) (string, error)
}

// GPUs returns the GPUs that are asked for, each once, in their order. Without names they are those that a
// compilation database has code made for, then those of the machine, or, where it has none that can be asked, a small
// set, with a remark. Errors that have been printed already are diag.ErrReported.
func (f Finder) GPUs(r Request) ([]*gpu.GPU, error) {
	table, err := r.Table(f.Console)
	if err != nil {
		return nil, err
	}
	if len(r.Names) == 0 {
		if found := f.builtGPUs(table, r.built); len(found) > 0 {
			return found, nil
		}
		return f.defaultGPUs(table)
	}
	var out []*gpu.GPU
	for _, list := range r.Names {
		for _, name := range strings.Split(list, ",") {
			found, err := f.lookup(table, strings.TrimSpace(name))
			if err != nil {
				return nil, r.inSettings(f.Console, err)
			}
			out = append(out, found...)
		}
	}
	return distinct(out), nil
}

// lookup finds what one name stands for.
func (f Finder) lookup(table *gpu.Table, name string) ([]*gpu.GPU, error) {
	const help = "write --gpu NAME or --gpu NAME,NAME"
	if name == "" {
		return nil, diag.Usagef(help, "--gpu names no GPU")
	}
	if strings.EqualFold(name, Native) {
		out, err := f.Native(table)
		if err != nil && !errors.Is(err, diag.ErrInterrupted) {
			err = diag.Usagef("name a GPU, such as --gpu a100", "--gpu native: %w", err)
		}
		return out, err
	}
	found, err := table.Lookup(name)
	var unknown *gpu.UnknownError
	switch {
	case errors.As(err, &unknown):
		return nil, diag.Usagef(unknownHelp(table, unknown), "--gpu %q is not a GPU that smux knows", name)
	case err != nil:
		return nil, diag.Usagef(help, "--gpu: %w", err)
	}
	return []*gpu.GPU{found}, nil
}

// unknownHelp reports which names there are: those that are near, the compute
// capabilities for one of these, else all.
func unknownHelp(table *gpu.Table, unknown *gpu.UnknownError) string {
	near := slices.Concat(diag.Nearest(unknown.Name, []string{Native}), unknown.Near)
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
	return "the GPUs are: " + strings.Join(append(slices.Clone(unknown.All), Native), ", ")
}

// defaultGPUs returns those of the machine, or a small set with a remark. The error
// is for a person who does not want to wait for nvidia-smi.
func (f Finder) defaultGPUs(table *gpu.Table) ([]*gpu.GPU, error) {
	var out []*gpu.GPU
	err := error(process.ErrNoDriver)
	why := "none found here"
	if f.Console.Getenv("PRE_COMMIT") != "" {
		// What a hook asks for has to be the same for all of a team.
		why = "a hook does not take that of this machine"
	} else {
		out, err = f.Native(table)
	}
	switch {
	case err == nil:
		return distinct(out), nil
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	case !errors.Is(err, process.ErrNoDriver):
		why = "none can be asked here (" + err.Error() + ")"
	}
	out = gpu.NamedSet()
	f.Console.Remark("no GPU was named and %s: taking %s (--gpu NAME chooses)", why, strings.Join(Names(out), ", "))
	return out, nil
}

// Native asks nvidia-smi for the GPUs of this machine.
func (f Finder) Native(table *gpu.Table) (out []*gpu.GPU, err error) {
	line := f.Console.NewProgress()
	line.Say("asking nvidia-smi for the GPUs of this machine")
	csv := ""
	err = f.Console.Interruptible("asking nvidia-smi", func(ctx context.Context) (err error) {
		csv, err = f.NVIDIASMI(ctx, gpu.SMIQuery...)
		return err
	})
	line.End()
	if err != nil {
		return nil, err
	}
	out, notes, err := table.ParseNVIDIASMI(csv)
	for _, note := range notes {
		f.Console.Remark("%s", prose.Printable(note))
	}
	if err != nil {
		return nil, errors.New(prose.Printable(err.Error()))
	}
	return out, nil
}

// distinct drops those that stand in the list already.
func distinct(gpus []*gpu.GPU) []*gpu.GPU {
	var out []*gpu.GPU
	for _, g := range gpus {
		same := func(o *gpu.GPU) bool { return o.Name == g.Name && o.Carveout == g.Carveout }
		if !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	return out
}

// Own returns the GPU of this machine that is asked for, the first without names.
// what measures on it, and help tells what else can be done.
func (f Finder) Own(r Request, what, help string) (*gpu.GPU, error) {
	table, err := r.Table(f.Console)
	if err != nil {
		return nil, err
	}
	here, err := f.Native(table)
	switch {
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	case err != nil:
		return nil, diag.Usagef(help, "%s measures on a GPU: %w", what, err)
	case len(r.Names) == 0:
		return here[0], nil
	}
	asked, err := f.GPUs(r)
	if err != nil {
		return nil, err
	}
	for _, g := range asked {
		if slices.ContainsFunc(here, func(h *gpu.GPU) bool { return h.CC() == g.CC() }) {
			return g, nil
		}
	}
	return nil, diag.Usagef(help, "%s measures on a GPU of this machine, and %s is none", what, asked[0])
}

// built holds what a compilation database tells of the GPUs that are meant.
type built struct {
	archs []string
	of    string          // whose they are, for a remark: "" where there is nothing else
	told  map[string]bool // architectures that were remarked on, nil where none was
}

// Boards returns the GPUs that stand for architectures, each once, and the names that the table has nothing for.
func Boards(table *gpu.Table, architectures []string) (out []*gpu.GPU, unknown []string) {
	for _, name := range architectures {
		found, err := table.Lookup(name)
		if err != nil || !project.IsArchitecture(name) { // "-arch arm64" means no GPU, and neither does "-arch t4"
			unknown = append(unknown, name)
			continue
		}
		out = append(out, found)
	}
	return distinct(out), unknown
}

// builtGPUs returns the GPUs of a compilation database, with a remark.
func (f Finder) builtGPUs(table *gpu.Table, b built) []*gpu.GPU {
	out, unknown := Boards(table, b.archs)
	unknown = slices.DeleteFunc(unknown, func(name string) bool { return b.told[name] })
	if len(unknown) > 0 {
		for _, name := range unknown {
			if b.told != nil {
				b.told[name] = true
			}
		}
		f.Console.Remark("the compilation database asks for %s, for which smux knows no GPU", strings.Join(unknown, ", "))
	}
	if len(out) > 0 {
		f.Console.Remark("GPUs from the compilation database%s: %s", b.of, strings.Join(Names(out), ", "))
	}
	return out
}

// Names returns the names of GPUs, in their order.
func Names(gpus []*gpu.GPU) []string {
	return lists.Map(gpus, func(g *gpu.GPU) string { return g.Name })
}

// otherPrograms tells whose GPUs are meant, of several programs.
func otherPrograms(first string, n int) string {
	if n == 1 {
		return " for " + first
	}
	return " for " + first + " and " + prose.Count(n-1, "more program")
}
