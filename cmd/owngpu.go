package cmd

import (
	"errors"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
)

// ownGPU is the GPU of this machine that the flags mean, the first without any.
// what measures on it, and help says what else can be done.
func (s *session) ownGPU(gpus gpuFlags, what, help string) (*gpu.GPU, error) {
	table, err := gpus.table(s)
	if err != nil {
		return nil, err
	}
	here, err := s.nativeGPUs(table)
	switch {
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	case err != nil:
		return nil, diag.Usagef(help, "%s measures on a GPU: %w", what, err)
	case len(gpus.names) == 0:
		return here[0], nil
	}
	asked, err := gpus.gpus(s)
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
