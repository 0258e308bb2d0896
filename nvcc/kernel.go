package nvcc

// Kernel holds what ptxas reports about one kernel, or one instance of a template, on
// one architecture.
type Kernel struct {
	Name    string // demangled, without parameters: "reduce<256, float>"
	Mangled string
	Unit    string // the .cu file that it was compiled from, as named in the request
	Arch    string // "sm_80"

	Registers    int // per thread, of 32 bits
	StaticShared int // bytes per thread block: the kernel's own arrays; what the system reserves is not in it
	Stack        int // bytes per thread of local memory: arrays, called functions, spilled registers
	SpillStores  int // bytes per thread, static
	SpillLoads   int
	Local        int // bytes per thread of local memory declared outside the stack, as on cc 2.0
	Constant     int // bytes in all constant banks, parameters included
	Barriers     int // that the thread block uses; -1 where ptxas doesn't report it
}
