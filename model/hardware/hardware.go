// Package hardware names the limits that all CUDA devices from compute capability
// 3.5 on have in common: what a thread block, a grid and a thread can be at most.
// They are those of the table "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide, if
// nothing else is said. The table of model/gpu holds what differs between devices, and a test there holds it against
// this one. The package imports nothing.
package hardware

import (
	"fmt"
	"strconv"
	"strings"
)

// WarpSize is the threads of a warp, its lanes, on every GPU so far.
const WarpSize = 32

// Thread blocks.
const (
	// MaxThreadsPerBlock is the most threads of a thread block.
	MaxThreadsPerBlock = 1024
	// MaxBlockDimX, MaxBlockDimY and MaxBlockDimZ are the most threads of a thread
	// block along each dimension; all together are no more than MaxThreadsPerBlock.
	MaxBlockDimX = 1024
	MaxBlockDimY = 1024
	MaxBlockDimZ = 64
	// BarriersPerBlock is the barriers that a thread block has, 0 to 15 (PTX ISA, barrier{.cta}: "sixteen barriers").
	BarriersPerBlock = 16
	// NamedBarriers is those of them that __syncthreads does not use, which is 0.
	NamedBarriers = BarriersPerBlock - 1
)

// Grids.
const (
	// MaxGridDimX, MaxGridDimY and MaxGridDimZ are the most thread blocks of a grid along each dimension.
	MaxGridDimX = 1<<31 - 1
	MaxGridDimY = 65535
	MaxGridDimZ = 65535
)

// Registers, of 32 bits.
const (
	// MaxRegistersPerThread is the most registers that a compiler can give a thread.
	MaxRegistersPerThread = 255
	// RegistersPerSM is the registers of a streaming multiprocessor (SM); cc 3.7 has twice as many, of which a thread
	// block can have this many. On cc 5.3 and 6.2, of Jetson TX1 and TX2, a block can have half.
	RegistersPerSM = 64 << 10
	// ThreadsOfAnyKernel is the most threads that a thread block can have whatever its kernel is: the registers of an
	// SM, shared out to threads that take all that a thread can have, which are handed out in eights.
	ThreadsOfAnyKernel = RegistersPerSM / (MaxRegistersPerThread + 1)
)

// MaxThreadsPerSM is the most threads that are resident on an SM at once; some
// compute capabilities (7.5, 8.6 and up) have less.
const MaxThreadsPerSM = 2048

// Memory, in bytes.
const (
	// SharedPerBlock is the shared memory that a thread block can have unless its kernel is allowed more with
	// cudaFuncSetAttribute, and the most that a kernel can declare with a size in any case.
	SharedPerBlock = 48 << 10
	// SharedBanks is the banks of shared memory, each of which serves a word of 4 bytes at a time.
	SharedBanks = 32
	// SectorBytes is the unit in which global memory moves (CUDA C++ Best Practices
	// Guide, "Coalesced Access to Global Memory").
	SectorBytes = 32
	// ParameterBytes is the bytes of a kernel's parameters that each toolkit allows, and
	// MaxParameterBytes those from CUDA 12.1 on, for compute capability 7.0 and later (CUDA
	// C++ Programming Guide, "__global__ Function Parameters").
	ParameterBytes    = 4096
	MaxParameterBytes = 32764
)

// SharedPerBlockLimits are the bytes of shared memory that a thread block may have, ascending: without asking, and
// what it can be allowed on one compute capability or another.
var SharedPerBlockLimits = [...]int{SharedPerBlock, 64 << 10, 96 << 10, 99 << 10, 163 << 10, 227 << 10}

// FirstAsync is the major compute capability from which on copies from global to shared memory go on by themselves
// (cp.async); before, nvcc makes loads and stores of them.
const FirstAsync = 8

// BlockForm says how a block shape is written.
const BlockForm = "X, X,Y or X,Y,Z"

// ParseBlock reads X[,Y[,Z]] as a block shape that a GPU can run. The error begins with the text in quotes.
func ParseBlock(text string) (shape [3]int, err error) {
	fields := strings.Split(text, ",")
	if len(fields) > 3 {
		return shape, fmt.Errorf("%q has %d sizes, a block has at most 3", text, len(fields))
	}
	out := [3]int{1, 1, 1}
	threads := 1
	for i, field := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return shape, fmt.Errorf("%q: %q is not a positive number", text, field)
		}
		if n > MaxThreadsPerBlock || threads*n > MaxThreadsPerBlock {
			return shape, fmt.Errorf("%q has more than %d threads", text, MaxThreadsPerBlock)
		}
		threads *= n
		out[i] = n
	}
	if out[2] > MaxBlockDimZ {
		return shape, fmt.Errorf("%q has more than %d threads along z", text, MaxBlockDimZ)
	}
	return out, nil
}
