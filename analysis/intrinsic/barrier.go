package intrinsic

// barriers of the thread block. A barrier that counts, or whose threads meet at several numbers, is one between some
// warps of the block: a merged block has other counts, and its v-TBs use the numbers for themselves.
var barriers = []Row{
	{
		Names: "__syncthreads", Kind: Barrier, Scope: Block, Waits: Everyone, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: own("sync"),
	},
	{
		Names: "__barrier_sync", Kind: Barrier, Scope: Block, Waits: Numbered, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: own("sync"),
	},
	{
		Names: "__barrier_sync_count", Kind: Barrier, Scope: Block, Waits: Counted, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{1, NotMeasured},
		Forms: refused("waits for a number of threads, which are other warps of a merged block"),
	},
	{
		Names: "__syncthreads_count", Kind: Vote, Scope: Block, Waits: Everyone, Result: PerBlock,
		Memory: Memory{Orders: true}, Params: Plain, Type: Int, Cost: Cost{1, NotMeasured}, Forms: votes("sync_count", "false"),
	},
	{
		Names: "__syncthreads_or", Kind: Vote, Scope: Block, Waits: Everyone, Result: PerBlock,
		Memory: Memory{Orders: true}, Params: Plain, Type: Int, Cost: Cost{1, NotMeasured}, Forms: votes("sync_or", "false"),
	},
	{
		Names: "__syncthreads_and", Kind: Vote, Scope: Block, Waits: Everyone, Result: PerBlock,
		Memory: Memory{Orders: true}, Params: Plain, Type: Int, Cost: Cost{1, NotMeasured}, Forms: votes("sync_and", "true"),
	},
}
