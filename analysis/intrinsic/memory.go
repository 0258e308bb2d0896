package intrinsic

// memory: fences, and loads and stores that say how they are cached.
var memory = []Row{
	{
		Names: "__threadfence_block", Kind: Fence, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
	{
		Names: "__threadfence __threadfence_{system,cluster} {__nv,_}_atomic_thread_fence", Kind: Fence, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Orders: true}, Params: Plain, Type: NoType, Cost: Cost{2, NotMeasured}, Forms: kept,
	},
	{
		Names: "__ldg", Kind: Load, Scope: Thread, Waits: Nobody, Result: AsArguments,
		Memory: Memory{Reads: Arg0, ReadOnly: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__ldca __ldcg __ldcs __ldlu", Kind: Load, Scope: Thread, Waits: Nobody, Result: AsMemory,
		Memory: Memory{Reads: Arg0}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__ldcv", Kind: Load, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Fresh: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__stwb __stcg __stcs __stwt", Kind: Store, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Writes: Arg0}, Params: Overloaded, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "memcpy", Kind: Copy, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg1, Writes: Arg0}, Params: Overloaded, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "memset", Kind: Copy, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Writes: Arg0}, Params: Overloaded, Type: NoType, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "__cvta_generic_to_shared", Kind: Address, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Keeps: true}, Params: Overloaded, Type: Long, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "__cvta_generic_to_{global,constant,local,grid_constant} __is{Shared,Global,Local,Constant,GridConstant,CtaShared,ClusterShared}", Kind: Address, Scope: Thread, Waits: Nobody, Result: PerThread,
		Params: Plain, Type: Long, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
	{
		Names: "__cvta_{shared,global,constant,local,grid_constant}_to_generic", Kind: Address, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Keeps: true}, Params: Plain, Type: Pointee, Cost: Cost{NotMeasured, NotMeasured},
		Forms: refused("makes a pointer of a number, which may lead to shared memory"),
	},
}

// atomics, of all scopes: a block's are those of a merged block, too.
var atomics = []Row{
	{
		// Of torch, in <ATen/cuda/Atomic.cuh>.
		Names: "gpuAtomic{Add,AddNoReturn,Mul,Max,Min}", Kind: Atomic, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0, Fresh: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		// Of the compilers. Their arguments say whether they order other accesses.
		Names: "{__nv,_}_atomic_exchange_n {__nv,_}_atomic_fetch_{add,sub,and,or,xor,min,max}", Kind: Atomic, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0, Fresh: true, Orders: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "__nv_atomic_{add,sub,and,or,xor,min,max}", Kind: Atomic, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0, Fresh: true, Orders: true}, Params: Overloaded, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "{__nv,_}_atomic_load_n", Kind: Load, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Fresh: true, Orders: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "{__nv,_}_atomic_store_n", Kind: Store, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Writes: Arg0, Orders: true}, Params: Overloaded, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "atomic{Add,Sub,Exch,Min,Max,Inc,Dec,CAS,And,Or,Xor} atomic{Add,Sub,Exch,Min,Max,Inc,Dec,CAS,And,Or,Xor}_{block,system} atomic*",
		Kind:  Atomic, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Arg0, Writes: Arg0, Fresh: true}, Params: Overloaded, Type: Pointee, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
}

// allocations on the device, each by a thread for itself.
var allocations = []Row{other("malloc free")}

// textures and surfaces, which no pointer leads to.
var textures = []Row{
	{
		Names: "tex{1D,2D,3D} tex1Dfetch tex2Dgather tex{1D,2D,3D,Cubemap}{Lod,Grad} tex{1D,2D,Cubemap}Layered{,Lod,Grad} texCubemap", Kind: Texture, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Outside, ReadOnly: true}, Params: Overloaded, Type: Element, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "surf{1D,2D,3D}read surf{1D,2D,Cubemap}Layeredread surfCubemapread", Kind: Texture, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Outside}, Params: Overloaded, Type: Element, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
	{
		Names: "surf{1D,2D,3D}write surf{1D,2D,Cubemap}Layeredwrite surfCubemapwrite", Kind: Surface, Scope: Thread, Waits: Nobody, Result: NoResult,
		Memory: Memory{Writes: Outside}, Params: Overloaded, Type: NoType, Cost: Cost{1, NotMeasured}, Forms: kept,
	},
}
