package diag

// blockDocs are the codes of package rewrite about the size of a thread block.
var blockDocs = []Doc{
	{
		Code: "block-unknown", Loose: true, Title: "the block size is not known, so the launch decides",
		Help: "nothing to do; a constant block size lets smux prove it instead",
		Text: `
A remark, no refusal. The launch computes its block size at run time, so smux
can't prove that N blocks fit into one. smux::try_merge<N> in front of the launch
merges them where they fit. Where they do not (more than 1024
threads, or than the kernel's registers allow, more than 64 along z, or no
multiple of 32 where that matters), the launch stays as it is: the kernel runs
with one block in each.

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
		Help: "use a smaller --factor, or --sync lock (up to 15) or block",
		Text: `
Named mode takes a barrier for each virtual thread block, to hand the turn over,
and one that they share for what happens inside turns. Where there are barriers
outside of turns as well, each takes one of its own for those. Lock mode takes
its own alone. A block has 16, of which number 0 is __syncthreads. So at most 14
blocks can be merged in named mode, 7 where barriers stand outside of turns, and
15 in lock mode.`,
		Example: `
// smux rewrite --factor 8 --sync named
__global__ void k(float *a) {
    __shared__ float s[64];
    a[threadIdx.x] += 1;
    __syncthreads();
    a[threadIdx.x] += a[63 - threadIdx.x];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite --factor 8 --sync block kernel.cu`,
	},
	{
		Code: "not-whole-warps", Title: "the block is not a multiple of 32 threads, and something depends on warps",
		Help: "use --sync block if nothing else depends on warps, or a block of a multiple of 32 threads",
		Text: `
Virtual thread block k holds the threads kB ... (k+1)B-1 of the merged block. If B
is not a multiple of 32, some warp holds threads of two of them. Named barriers
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
	{
		Code: "shared-too-large", Title: "the lock, or several sets of arrays, do not fit into shared memory",
		Help: "use fewer --slots, or --sync named or block, which need no lock",
		Text: `
In lock mode a block has a word of shared memory for the lock, and with M slots
M sets of its shared arrays. What the original takes is at most what a block may
have, on one GPU or another: 48 kB without asking, 64, 96, 99, 163 or 227 kB
where a program asks for it. The rewrite is refused where it goes beyond such a
limit that the original keeps.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[12288];      // 48 kB: not a byte is left
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite --sync named kernel.cu`,
	},
	{
		Code: "sync-mode", Title: "the sync mode makes no difference to the kernel",
		Help: "use --sync block, or omit --sync",
		Text: `
Blocks that merge puts together have shared arrays of their own: there is nothing
to take by a lock. In sync mode named the kernel's barriers become the virtual
thread block's own. A kernel without a barrier would be the same as in sync mode
block, so that is not offered.`,
		Example: `
// smux rewrite --variant merge --sync named
__global__ void k(float *a) {
    a[blockIdx.x * 64 + threadIdx.x] *= 2;
}`,
		Fix: `
// smux rewrite --variant merge --sync block`,
	},
	{
		Code: "slots", Loose: true, Title: "the shared arrays can't be duplicated",
		Help: "use --variant vtb, which needs one set of them, or let the arrays' names stand for pointers",
		Text: `
With dyn and M slots there are M sets of a kernel's shared arrays, and with merge
there is a set for each merged block. An array gets a leading dimension, and its
name becomes a pointer to one set: with dyn, the one that the virtual thread block
has taken for the region. That is refused where a pointer does not do what the
array does (sizeof, references to the whole array), for arrays that are not
declared in the kernel itself, where only the first set would be aligned for what
is done with it, and with dyn where the name or an address in the array is used
outside of the region that it was bound in.`,
		Example: `
// smux rewrite --variant dyn --factor 4 --slots 2
__global__ void k(float *a) {
    __shared__ float s[64];
    float *mirror = s + 63;      // of which set?
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = mirror[-(int)threadIdx.x];
}`,
		Fix: `
s[threadIdx.x] = a[threadIdx.x];
float *mirror = s + 63;      // inside the region: of the set that it has`,
	},
	{
		Code: "partition", Loose: true, Title: "no shared array can be split by rows",
		Help: "use the array by its name and all its subscripts, or use --variant vtb",
		Text: `
co-vtb splits the largest static shared array of a kernel along its first
dimension: each merged block gets the first P rows for itself, and takes turns
with the rest. Every use of the array becomes one of two arrays, so each must be
an element, by the array's name and all its subscripts. Pointers into it,
references, whole rows, casts, its size and addresses of elements (but for atomic
operations) are refused. Where smux can't tell on which side a row lies, the
access compares it with P: then the row is written twice, and must be made of
local variables and constants, not be read from memory. A macro that stands for
such an access must be a plain one, used for one element. P is at least 1 and less
than the number of rows.`,
		Example: `
// smux rewrite --variant co-vtb --private 2
__global__ void k(const int *a, int *out) {
    __shared__ int s[4][32];
    for (int i = 0; i < 4; ++i) s[i][threadIdx.x] = a[i];
    __syncthreads();
    out[threadIdx.x] = s[a[threadIdx.x] & 3][0];      // which row?
}`,
		Fix: `
const int row = a[threadIdx.x] & 3;
out[threadIdx.x] = s[row][0];`,
	},
}
