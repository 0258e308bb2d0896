package cmd

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/gpu"
)

// flatPoints say behind how many thread blocks per SM more of them gain nothing.
type flatPoints struct{}

// of is that number for a kernel on the first of the GPUs that was measured, 0
// where none was.
func (f flatPoints) of(k *analysis.Kernel, gpus []*gpu.GPU) int { return 0 }

// flat reads the file of --stress.
func (l *ladderFlags) flat() (flatPoints, error) { return flatPoints{}, nil }
