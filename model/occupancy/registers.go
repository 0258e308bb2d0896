package occupancy

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// registerLimit returns the blocks that the register files hold.
//
// Compute capability 1.x gives registers to blocks, later ones to warps. A
// warp takes them from the register file of one of the SM's sub-partitions,
// and what is left over in each is of no use to a warp in another. (The
// calculator sheets round the warps that fit down to a multiple of the
// partitions, which is the same.)
func registerLimit(a *gpu.Arch, registers, warps int) int {
	if registers == 0 {
		return Unlimited
	}
	if registers > a.RegistersPerThread {
		return 0
	}
	block := blockRegisters(a, registers, warps)
	if block > a.RegistersPerBlock {
		return 0
	}
	if a.RegistersByBlock {
		return a.RegistersPerSM / block
	}
	parts := partitions(a)
	perPart := a.RegistersPerSM / parts / warpRegisters(a, registers)
	return perPart * parts / warps
}

// blockRegisters returns the registers that the hardware checks a block against: it
// counts the block's warps as though each of LaunchPartitions held equally many.
func blockRegisters(a *gpu.Arch, registers, warps int) int {
	if a.RegistersByBlock {
		return roundUp(roundUp(warps, a.WarpGranularity)*hardware.WarpSize*registers, a.RegisterGranularity)
	}
	parts := a.LaunchPartitions
	if parts == 0 { // as in a board that is not of the table
		parts = partitions(a)
	}
	return roundUp(warps, parts) * warpRegisters(a, registers)
}

// warpRegisters returns the registers that a warp takes.
func warpRegisters(a *gpu.Arch, registers int) int {
	return roundUp(registers*hardware.WarpSize, a.RegisterGranularity)
}

// partitions returns the register files of the SM; a table that leaves them out
// means one.
func partitions(a *gpu.Arch) int { return max(a.SubPartitions, 1) }
