package ladder

import (
	"strings"

	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/nvcc"
)

// stallOf are the predicted cycles of a warp, 0 where the control codes of the
// architecture can't be read.
func stallOf(c *nvcc.Code) float64 {
	var code []stall.Instruction
	for _, in := range c.Instructions {
		if in.Called {
			continue
		}
		if !in.Control.Known {
			return 0
		}
		depth := 0
		if in.Loop >= 0 {
			depth = c.Listing.Loops[in.Loop].Depth
		}
		code = append(code, stall.Instruction{
			Memory: memoryOf(in), Depth: depth, Stall: in.Control.Stall,
			Write: in.Control.Write, Read: in.Control.Read, Wait: in.Control.Wait,
		})
	}
	return stall.Cycles(code, stall.Usual)
}

// memoryOf is what an instruction's result comes from. One that releases a barrier
// and isn't an access to memory has no fixed latency either.
func memoryOf(in nvcc.Instruction) stall.Memory {
	base, _, _ := strings.Cut(in.Opcode, ".")
	switch base {
	case "LDS", "STS", "LDSM", "STSM", "ATOMS":
		return stall.Shared
	case "LDG", "STG", "LD", "ST", "LDL", "STL", "ATOM", "ATOMG", "RED", "LDGSTS", "TEX", "TLD", "TLD4", "TXD", "TXQ", "SULD", "SUST":
		return stall.Global
	}
	if in.Control.Write >= 0 || in.Control.Read >= 0 {
		return stall.Variable
	}
	return stall.None
}
