package tune

import (
	"errors"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/targets"
)

// chooseGPU returns the GPU that is predicted for: where one is measured on, it must be
// of this machine. Where none was named it is this machine's, or else some GPU, since what is measured is not on it.
func (s *Session) chooseGPU(asked targets.Request) (*gpu.GPU, error) {
	if s.On == OnGPU && s.Command.Run == "" {
		const help = "measure with --store FILE.jsonl on a machine with a GPU, and give --replay FILE.jsonl here; or take what --export writes to one"
		return s.targets().Own(asked, "smux tune", help)
	}
	if len(asked.Names) > 0 {
		gpus, err := s.targets().GPUs(asked)
		if err == nil && len(gpus) > 1 {
			err = diag.Usagef("name one of them", "--gpu names several GPUs, and smux tune predicts for one at a time")
		}
		if err != nil {
			return nil, err
		}
		return gpus[0], nil
	}
	table, err := asked.Table(s.Console)
	if err != nil {
		return nil, err
	}
	here, err := s.targets().Native(table)
	switch {
	case err == nil:
		return here[0], nil
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	}
	g, err := table.Lookup(someGPU)
	if err == nil && !s.Quiet {
		s.Remark("no GPU was named and none found here: the model predicts for %s (--gpu NAME chooses)", g)
	}
	return g, err
}

// someGPU is predicted for if nothing tells which one is meant.
const someGPU = "a100"

func (s *Session) targets() targets.Finder {
	return targets.Finder{Console: s.Console, NVIDIASMI: s.NVIDIASMI}
}
