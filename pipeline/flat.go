package pipeline

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
)

// flatPoints holds the number of thread blocks per SM after which more gain nothing,
// as smux occupancy --stress has measured it.
type flatPoints struct {
	series []stress.Series
	source string // hash of the program
}

// of returns that number for a kernel on the first of the GPUs that it was measured on,
// 0 where it was on none, or where the time still falls at the last level.
func (f flatPoints) of(k *analysis.Kernel, threads int, gpus []*gpu.GPU) int {
	for _, g := range gpus {
		if s, ok := stress.For(f.series, f.source, k.Name, threads, g.String()); ok {
			return s.Flat(stress.DefaultTolerance).Blocks
		}
	}
	return 0
}

// flat reads the file of measurements, and looks whether it is of this program.
func (r *Reduction) flat(prog *parser.Program) (flatPoints, error) {
	if r.Stress == "" {
		return flatPoints{}, nil
	}
	series, err := stress.Read(r.Stress)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return flatPoints{}, diag.Failed("reading "+r.Stress, path.Err)
	case err != nil:
		return flatPoints{}, diag.Usagef("write it with smux occupancy --stress --record", "--stress: %w", err)
	}
	f := flatPoints{series, record.HashSource(prog.Texts())}
	for _, s := range series {
		if s.Source == f.source {
			return f, nil
		}
	}
	return f, diag.Usagef("measure this program with smux occupancy --stress --record", "--stress: %w", fmt.Errorf("%s holds no measurement of these files as they are", r.Stress))
}
