package targets

import (
	"errors"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
)

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
