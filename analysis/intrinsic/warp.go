package intrinsic

// warps: what the lanes of one warp do together. It stays as it is where no warp spans two v-TBs, which rewriters
// prove of every kernel that has a row of scope Warp.
var warps = []Row{
	{
		Names: "__syncwarp", Kind: Barrier, Scope: Warp, Waits: Mask, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "__ballot __ballot_sync", Kind: Vote, Scope: Warp, Waits: Mask, Result: PerWarp,
		Params: Plain, Type: Int, Cost: Cost{2, NotMeasured}, Forms: kept,
	},
	{
		Names: "__any __all", Kind: Vote, Scope: Warp, Waits: Mask, Result: PerWarp,
		Params: Plain, Type: Int, Cost: Cost{2, NotMeasured}, Forms: kept,
	},
	{
		Names: "__any_sync __all_sync __uni_sync", Kind: Vote, Scope: Warp, Waits: Mask, Result: PerWarp,
		Params: Plain, Type: Int, Cost: Cost{3, NotMeasured}, Forms: kept,
	},
	{
		Names: "__activemask", Kind: Lanes, Scope: Warp, Waits: Nobody, Result: PerWarp,
		Params: Plain, Type: Int, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__shfl __shfl_{up,down,xor} __shfl_sync __shfl_{up,down,xor}_sync", Kind: Exchange, Scope: Warp, Waits: Mask, Result: PerThread,
		Memory: Memory{Keeps: true}, Params: Overloaded, Type: Operand, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__match_any_sync", Kind: Exchange, Scope: Warp, Waits: Mask, Result: PerThread,
		Params: Overloaded, Type: Int, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__match_all_sync", Kind: Exchange, Scope: Warp, Waits: Mask, Result: PerWarp,
		Memory: Memory{Writes: Arg2}, Params: Overloaded, Type: Int, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "__reduce_{add,min,max}_sync", Kind: Exchange, Scope: Warp, Waits: Mask, Result: PerWarp,
		Params: Overloaded, Type: Int, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__reduce_{and,or,xor}_sync", Kind: Exchange, Scope: Warp, Waits: Mask, Result: PerWarp,
		Params: Overloaded, Type: Int, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
}
