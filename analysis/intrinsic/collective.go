package intrinsic

// Collective is a class of CUB whose member functions all threads of a block or a warp call together. An object holds
// a reference to storage in shared memory that the kernel declares. Of its code this much is known (CUB 1.8 to 2.8):
//
//   - The threads of a block meet at __syncthreads alone, which counts the threads of the
//     launched block. So no v-TB can be alone in a call.
//   - A thread's number is made of threadIdx.x, of threadIdx.y where the class is told an
//     extent along y, and of threadIdx.z where it is told one along z.
//   - Lanes of a warp are those of the hardware.
//   - Memory that it writes is the storage, and what its arguments point to.
type Collective struct {
	Names string
	Scope Scope // Block or Warp
}

// Collectives are those that are known.
var Collectives = []Collective{
	{"BlockReduce BlockScan BlockLoad BlockStore BlockExchange BlockRadixSort BlockDiscontinuity BlockShuffle", Block},
	{"WarpReduce WarpScan", Warp},
}

// CollectiveOf returns the collective of a name in namespace cub, nil if there is none.
func CollectiveOf(name string) *Collective {
	for i := range Collectives {
		if words(Collectives[i].Names)[name] {
			return &Collectives[i]
		}
	}
	return nil
}
