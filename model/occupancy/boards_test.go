package occupancy

import "github.com/smux-cuda/smux/model/gpu"

// The tests of the rules use these GPUs, so that they don't depend on the
// table; the comparison with cuda_occupancy.h uses the table.

func gtx285() *gpu.GPU {
	return &gpu.GPU{Name: "gtx285", Arch: gpu.Arch{
		Major: 1, Minor: 3,
		ThreadsPerBlock: 512, ThreadsPerSM: 1024, WarpsPerSM: 32, BlocksPerSM: 8,
		RegistersPerSM: 16384, RegistersPerBlock: 16384, RegistersPerThread: 124,
		RegisterGranularity: 512, RegistersByBlock: true, WarpGranularity: 2, SubPartitions: 1,
		SharedPerBlock: 16 << 10, SharedPerBlockOptin: 16 << 10, SharedGranularity: 512,
		Carveouts: []int{16 << 10},
	}}
}

// gtx480 is set to 16 or 48 kB.
func gtx480(carveout int) *gpu.GPU {
	return &gpu.GPU{Name: "gtx480", Carveout: carveout, Arch: gpu.Arch{
		Major: 2, Minor: 0,
		ThreadsPerBlock: 1024, ThreadsPerSM: 1536, WarpsPerSM: 48, BlocksPerSM: 8,
		RegistersPerSM: 32768, RegistersPerBlock: 32768, RegistersPerThread: 63,
		RegisterGranularity: 64, WarpGranularity: 1, SubPartitions: 2,
		SharedPerBlock: 48 << 10, SharedPerBlockOptin: 48 << 10, SharedGranularity: 128,
		Carveouts: []int{16 << 10, 48 << 10},
	}}
}

func gtx680() *gpu.GPU {
	return &gpu.GPU{Name: "gtx680", Arch: gpu.Arch{
		Major: 3, Minor: 0,
		ThreadsPerBlock: 1024, ThreadsPerSM: 2048, WarpsPerSM: 64, BlocksPerSM: 16,
		RegistersPerSM: 65536, RegistersPerBlock: 65536, RegistersPerThread: 63,
		RegisterGranularity: 256, WarpGranularity: 1, SubPartitions: 4,
		SharedPerBlock: 48 << 10, SharedPerBlockOptin: 48 << 10, SharedGranularity: 256,
		Carveouts: []int{16 << 10, 32 << 10, 48 << 10},
	}}
}

func a100() *gpu.GPU {
	return &gpu.GPU{Name: "a100", Arch: gpu.Arch{
		Major: 8, Minor: 0,
		ThreadsPerBlock: 1024, ThreadsPerSM: 2048, WarpsPerSM: 64, BlocksPerSM: 32,
		RegistersPerSM: 65536, RegistersPerBlock: 65536, RegistersPerThread: 255,
		RegisterGranularity: 256, WarpGranularity: 1, SubPartitions: 4,
		SharedPerBlock: 48 << 10, SharedPerBlockOptin: 163 << 10, SharedReserved: 1 << 10, SharedGranularity: 128,
		Carveouts: []int{8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10},
	}}
}

func h100() *gpu.GPU {
	g := a100()
	g.Name, g.Arch.Major = "h100", 9
	g.Arch.SharedPerBlockOptin = 227 << 10
	g.Arch.Carveouts = append(g.Arch.Carveouts, 196<<10, 228<<10)
	return g
}
