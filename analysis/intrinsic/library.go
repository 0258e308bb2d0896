package intrinsic

// matrices are the functions of wmma. A fragment is shared between the lanes of a warp, and passed by reference.
var matrices = []Row{
	{
		Names: "fill_fragment", Op: "fill", Kind: Matrix, Scope: Warp, Waits: Mask, Result: NoResult,
		Memory: Memory{Writes: Arg0}, Params: Reference, Type: NoType, Cost: Cost{4, NotMeasured}, Forms: kept,
	},
	{
		Names: "mma_sync bmma_sync", Op: "multiply", Kind: Matrix, Scope: Warp, Waits: Mask, Result: NoResult,
		Memory: Memory{Writes: Arg0}, Params: Reference, Type: NoType, Cost: Cost{2, NotMeasured}, Forms: kept,
	},
	{
		Names: "load_matrix_sync", Op: "load", Kind: Matrix, Scope: Warp, Waits: Mask, Result: NoResult,
		Memory: Memory{Reads: Arg1, Writes: Arg0}, Params: Reference, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "store_matrix_sync", Op: "store", Kind: Matrix, Scope: Warp, Waits: Mask, Result: NoResult,
		Memory: Memory{Reads: Arg1, Writes: Arg0}, Params: Reference, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
}

// groups are the functions that make cooperative groups, and that take one. What
// a group is asked as a member function is in Members.
var groups = []Row{
	{
		Names: "this_thread_block", Kind: Group, Scope: Block, Waits: Nobody, Result: PerBlock,
		Params: Overloaded, Type: Named, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "tiled_partition coalesced_threads binary_partition labeled_partition", Kind: Group, Scope: Warp, Waits: Nobody, Result: PerWarp,
		Params: Overloaded, Type: Named, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "this_grid this_multi_grid", Kind: Group, Scope: Grid, Waits: Nobody, Result: PerGrid,
		Params: Overloaded, Type: Named, Cost: Cost{0, NotMeasured}, Forms: refused("is a group over the grid"),
	},
	{
		Names: "this_cluster", Kind: Group, Scope: Cluster, Waits: Nobody, Result: PerBlock,
		Params: Overloaded, Type: Named, Cost: Cost{0, NotMeasured}, Forms: refused("is a thread-block cluster"),
	},
	{
		Names: "__cluster*", Kind: Group, Scope: Cluster, Waits: Everyone, Result: PerThread,
		Memory: Memory{Reads: Outside, Orders: true, Keeps: true}, Params: Overloaded, Type: Arguments, Cost: Cost{NotMeasured, NotMeasured},
		Forms: refused("is of a thread-block cluster"),
	},
	{
		Names: "plus less greater bit_and bit_or bit_xor", Kind: GroupOp, Scope: Thread, Waits: Nobody, Result: PerThread,
		Params: Overloaded, Type: Named, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
}

// asynchronous are copies and transactions that end later.
var asynchronous = []Row{
	{
		Names: "__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior __pipeline* __mbarrier_* __nv_memcpy_async* cp_async_bulk_tensor cp_async*", Kind: Async, Scope: Thread, Waits: Copies, Result: PerThread,
		Memory: Memory{Reads: Arg1, Writes: Arg0, Orders: true, Keeps: true}, Params: Overloaded, Type: NoType, Cost: Cost{NotMeasured, NotMeasured},
		Forms: refused("is an asynchronous copy or barrier"),
	},
}

// AsyncMembers are the functions of namespaces and the member functions that
// start or await what ends later. Their names are too plain to say so alone.
var AsyncMembers = words(`memcpy_async wait wait_prior arrive arrive_and_wait barrier_arrive_tx producer_acquire producer_commit consumer_wait
	consumer_release pipeline_consumer_wait_prior`)

// random are the functions of cuRAND's device side. A generator's state is the thread's own.
var random = []Row{
	{
		Names: "curand_init", Kind: Random, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Writes: Arg3}, Params: Overloaded, Type: NoType, Cost: Cost{300, NotMeasured}, Scratch: Scratch{Single: 20}, Forms: kept,
	},
	{
		Names: "curand", Kind: Random, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0}, Params: Overloaded, Type: Int, Cost: Cost{18, NotMeasured}, Forms: kept,
	},
	{
		Names: "curand_uniform", Kind: Random, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0}, Params: Overloaded, Type: Float, Cost: Cost{18, NotMeasured}, Forms: kept,
	},
	{
		Names: "curand_normal", Kind: Random, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0}, Params: Overloaded, Type: Float, Cost: Cost{80, NotMeasured}, Forms: kept,
	},
	{
		Names: "curand_{uniform,normal}{2,4} curand_{uniform,normal}_double curand_log_normal curand_poisson curand4", Kind: Random, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0}, Params: Overloaded, Type: Arguments, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "skipahead skipahead_sequence skipahead_subsequence", Kind: Random, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Reads: Arg1, Writes: Arg1}, Params: Overloaded, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "curand*", Kind: Random, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Outside, Writes: Outside, Keeps: true}, Params: Reference, Type: Arguments, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
}

// others: time, output, and what is said to the compiler.
var others = []Row{
	{
		Names: "clock clock64", Kind: Timer, Scope: Thread, Waits: Nobody, Result: PerThread,
		Params: Plain, Type: Long, Cost: Cost{2, NotMeasured}, Forms: kept,
	},
	{
		Names: "__nanosleep", Kind: Timer, Scope: Thread, Waits: Nobody, Result: NoResult,
		Params: Plain, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "printf", Kind: Debug, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Outside, Writes: Outside, Keeps: true}, Params: Variadic, Type: Int, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "assert", Kind: Debug, Scope: Thread, Waits: Nobody, Result: NoResult,
		Params: Variadic, Type: NoType, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "__trap __brkpt __prof_trigger", Kind: Debug, Scope: Thread, Waits: Nobody, Result: NoResult,
		Params: Plain, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "__builtin_assume", Kind: Assumption, Scope: Thread, Waits: Nobody, Result: NoResult,
		Params: Overloaded, Type: NoType, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "__builtin_expect", Kind: Assumption, Scope: Thread, Waits: Nobody, Result: PerThread,
		Params: Overloaded, Type: Arguments, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "__builtin_unreachable __assume", Kind: Assumption, Scope: Thread, Waits: Nobody, Result: NoResult,
		Params: Overloaded, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		// It returns its first argument.
		Names: "__builtin_assume_aligned", Kind: Assumption, Scope: Thread, Waits: Nobody, Result: PerThread,
		Params: Overloaded, Type: Operand, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "cudaDeviceSynchronize cudaLaunch*", Kind: Launch, Scope: Grid, Waits: Everyone, Result: PerThread,
		Memory: Memory{Reads: Outside, Writes: Outside, Orders: true, Keeps: true}, Params: Overloaded, Type: Int, Cost: Cost{NotMeasured, NotMeasured},
		Forms: refused("starts or awaits a kernel"),
	},
	compute("CV_UNUSED", Variadic, Arguments, Cost{0, NotMeasured}), // of OpenCV: a cast to void
	other("__nv_* __builtin_* cudaGraphSetConditional"),
}
