package diag

// blockDocs are the codes of package rewrite about the size of a thread block.
var blockDocs = []Doc{
	{
		Code: "block-unknown", Title: "the block size is not known, so the launch checks it",
		Help: "nothing to do; a constant block size lets smux prove it instead",
		Text: `
A remark, no refusal. The launch computes its block size at run time, so smux
can't prove that N blocks fit into one. smux::block<N> in the launch checks it on
the host and aborts with a message where they do not fit (more than 1024 threads,
more than 64 along z, or no multiple of 32 where that matters).

Without a block size subscripts can't be enumerated either: regions are then
larger than they need be, which is safe and gains less.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[1024];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
void run(float *a, int threads) { k<<<100, threads>>>(a); }`,
		Fix: `
constexpr int threads = 256;      // or --block 256, if every launch uses that
k<<<100, threads>>>(a);`,
	},
	{
		Code: "block-too-large", Title: "N blocks do not fit into one",
		Help: "use a smaller --factor or a smaller block",
		Text: `
The merged block has N times the threads along z. The hardware takes at most 1024
threads in a block and 64 along z. Blocks that large fill an SM with few of them:
merging has little to offer.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[1024];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[1023 - threadIdx.x];
}
void run(float *a) { k<<<100, 1024>>>(a); }`,
		Fix: `k<<<200, 512>>>(a);      // if the kernel allows smaller blocks`,
	},
	{
		Code: "barrier-ids", Title: "too many virtual thread blocks for the named barriers of a block",
		Help: "use --factor 7 or less, or --sync block",
		Text: `
Named mode takes two barriers for each virtual thread block: its own and one to
hand the turn over. A block has 16, of which number 0 is __syncthreads. So at
most 7 blocks can be merged in this mode.`,
		Example: `
// smux rewrite --factor 8 --sync named
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite --factor 8 --sync block kernel.cu`,
	},
	{
		Code: "not-whole-warps", Title: "the block is no multiple of 32 threads, and something depends on warps",
		Help: "use --sync block if nothing else depends on warps, or a block of a multiple of 32 threads",
		Text: `
Virtual thread block k holds the threads kB ... (k+1)B-1 of the merged block. If B
is no multiple of 32, some warp holds threads of two of them. Named barriers
count whole warps, and warp intrinsics, tiles and warp-synchronous code (volatile
shared variables, warpSize) work on the lanes of one warp: these need B to be a
multiple of 32. Everything else does not.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[48];
    float x = a[threadIdx.x];
    s[threadIdx.x] = x + __shfl_xor_sync(~0u, x, 1);
    __syncthreads();
    a[threadIdx.x] = s[47 - threadIdx.x];
}
void run(float *a) { k<<<100, 48>>>(a); }`,
		Fix: `k<<<100, 64>>>(a);      // with if (threadIdx.x < 48) around the work`,
	},
}
