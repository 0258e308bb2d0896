package verify

import (
	"context"

	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/verify/execute"
)

// askRegisters adds a finding for each kernel of the original of which a block was launched that is too large for its
// registers. The CPU runs it nevertheless.
func (s *session) askRegisters(ctx context.Context, r *run) {
	if s.Board == nil || s.Board.Registers == nil || r.result == nil || r.result.End == nil {
		return
	}
	for _, k := range r.result.End.Kernels {
		if k.Threads <= hardware.ThreadsOfAnyKernel {
			continue
		}
		if why := s.Board.Registers(ctx, &s.Original, k.Name, k.Threads); why != "" {
			r.result.Report = append(r.result.Report, execute.Finding{Code: CodeLaunchError, Kernel: k.Name, Frames: k.Frames, Text: why})
		}
	}
}
