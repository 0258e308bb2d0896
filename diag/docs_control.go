package diag

// controlDocs are the codes of package rewrite about what a kernel does: exits,
// barriers, and what block mode must take apart.
var controlDocs = []Doc{
	{
		Code: "already-multiplexed", Loose: true, Title: "smux has rewritten this kernel before",
		Help: "rewrite the original source instead",
		Text: `
The kernel names something of namespace smux. Rewriting the output of smux again
would merge virtual thread blocks of virtual thread blocks. So running smux twice
changes nothing.`,
		Example: `
namespace smux { template <int N> struct vtb; }
__global__ void k(float *a, unsigned smux_grid_x) {
    const smux::vtb<2> vtb(smux_grid_x);
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `For another factor or sync mode, start from the original: git show HEAD:kernel.cu`,
	},
	{
		Code: "no-shared", Title: "the kernel uses no shared memory",
		Help: "nothing to do: shared memory does not limit this kernel",
		Text: `
vtb lets thread blocks take turns with one set of shared arrays. Without shared
arrays there is nothing to take turns with, and nothing to gain.`,
		Example: `
__global__ void k(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}`,
		Fix: `Nothing.`,
	},
	{
		Code: "early-exit", Title: "threads may leave the kernel while others count on them (named and lock mode)",
		Help: "use --sync block, or let the threads stay and guard their work with an if, but not the barriers",
		Text: `
In named mode every thread of a virtual thread block takes part in each barrier
and in each hand-over of the turn: the hardware counts arrivals. A thread that
has returned never arrives, and the others wait for ever. A return is allowed
before the first region where the whole grid takes it together, and anywhere
behind the last region and barrier.

In lock mode there are no turns: a whole block may also leave where its threads
do so together, but not inside a region, whose lock it would keep. In block mode
threads may leave early.`,
		Example: `
__global__ void k(float *a, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[63 - threadIdx.x];
}`,
		Fix: `
bool inside = i < n;
if (inside) s[threadIdx.x] = a[i];
__syncthreads();
if (inside) a[i] = s[63 - threadIdx.x];`,
	},
	{
		Code: "divergent-barrier", Title: "a barrier that not all threads may meet",
		Help: "let all threads come to the barrier; in block mode, let kernel parameters alone decide over it, or use --sync named or lock",
		Text: `
In named and lock mode every virtual thread block has barriers of its own, which
are told how many threads to wait for. What decides over a barrier must therefore
be the same for all threads of a block. From Volta on __syncthreads waits for the
threads that have not left the kernel, so that "if (i < n) { ... __syncthreads();
... }" works where the other threads run on to the kernel's end. A barrier of the
virtual thread block's own would wait for them for ever. The same holds for a
barrier in a loop that threads leave at different times, behind a return of some
threads in a device function, and in both branches of an if.

In block mode each barrier is one of the whole launched block, so all virtual
thread blocks must pass the same barriers equally often. What decides over a
barrier must therefore be the same for the whole grid: made of kernel parameters,
constants, blockDim and gridDim. blockIdx, shared memory, and global memory that
anyone may write can differ from block to block. The same holds for a jump that
leaves a loop with a barrier in it.`,
		Example: `
__global__ void k(float *a, const int *rounds) {
    __shared__ float s[64];
    for (int r = 0; r < rounds[blockIdx.x]; ++r) {
        s[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        a[threadIdx.x] += s[63 - threadIdx.x];
        __syncthreads();
    }
}`,
		Fix: `
Named and lock mode take this as it is: a block's threads agree. For block mode, run all
blocks equally often and mask the work:
for (int r = 0; r < most; ++r) { if (r < rounds[blockIdx.x]) ... }`,
	},
	{
		Code: "turn-state", Title: "a variable that decides over a barrier changes from turn to turn (block mode)",
		Help: "set the variable in the head of its loop or in a statement of its own, or use --sync named or lock",
		Text: `
In block mode the statements of a region are executed once per turn; pieces
between barriers only by the virtual thread block whose turn it is, loops and
conditions around barriers by all of them. A variable in such a head must have
the same value in each turn. So it must be set anew in each turn, by a statement
that all execute: the head of a for loop, or an assignment that stands alone.`,
		Example: `
__global__ void k(float *a, int n) {
    __shared__ float s[64];
    int d = n;
    s[threadIdx.x] = a[threadIdx.x];
    while (d > 0) {
        __syncthreads();
        s[threadIdx.x] += s[threadIdx.x ^ d];
        d /= 2;
    }
    a[threadIdx.x] = s[threadIdx.x];
}`,
		Fix: `for (int d = n; d > 0; d /= 2) { ... }      // set anew in each turn`,
	},
	{
		Code: "block-vote", Title: "a counting barrier outside of a region (block mode)",
		Help: "use --sync named, or count through shared memory",
		Text: `
__syncthreads_count, __syncthreads_and and __syncthreads_or combine a predicate
over the threads of the block. In block mode, outside of a region, the launched
block holds several virtual thread blocks, whose predicates would be mixed.
Inside a region the threads whose turn it is not are masked.`,
		Example: `
__global__ void k(float *a, int *count) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    float x = s[63 - threadIdx.x];
    int n = __syncthreads_count(x > 0);
    if (threadIdx.x == 0) count[blockIdx.x] = n;
}`,
		Fix: `smux rewrite --sync named kernel.cu`,
	},
	{
		Code: "hoist", Title: "a declaration that can't be moved in front of a barrier (block mode)",
		Help: "declare the variable with its plain type before the first barrier and assign it later, or use --sync named or lock",
		Text: `
In block mode the code between two barriers is put into braces. A variable that
is declared there and used behind the next barrier must be declared further up
and assigned in place. That is not possible for a reference, a static variable,
an array with an initialiser, an auto whose type smux can't write down, or where
the earlier declaration would hide another variable of that name.`,
		Example: `
__device__ float4 twice(float4 v);
__device__ float4 twice(float4 v) { v.x *= 2; return v; }
__global__ void k(float4 *a) {
    __shared__ float4 s[64];
    auto v = twice(a[threadIdx.x]);
    s[threadIdx.x] = v;
    auto w = twice(s[threadIdx.x]);
    __syncthreads();
    a[threadIdx.x] = twice(s[63 - threadIdx.x]);
    a[threadIdx.x].y = w.x;
}`,
		Fix: `float4 w = twice(s[threadIdx.x]);      // the type written out`,
	},
	{
		Code: "barrier-call", Title: "a function that holds a barrier can't be changed as needed",
		Help: "call it in a statement of its own, with arguments that read no memory, or use --sync named or lock",
		Text: `
A device function that holds a barrier, or that uses a built-in such as blockIdx,
gets another form for merged blocks: it takes the virtual thread block as its
first parameter. smux can't do that for operators, constructors and members that
are defined outside their class, nor where a call may mean several overloads.

In block mode, inside a region, the barriers of such a function cut it as they cut
the kernel. Then the call must be a statement of its own, with a result that goes
to no shared variable and arguments that read no memory (all virtual thread blocks
evaluate them, also those that have nothing valid to read); and the function must
not return between its barriers.

The collectives of CUB (BlockReduce and its kin) wait for all threads of the
launched block, and their code is out of view. Merge in block mode keeps them,
where each merged block has its own storage, blocks are whole warps of a known
shape that is one thread deep, and the control around the call is the same for the
grid. Storage must be given: BlockReduce(storage).Sum(x).`,
		Example: `
__device__ float sum(float *s) {
    for (int d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    return s[0];
}
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = 2 * sum(s);
}`,
		Fix: `
float total = sum(s);
a[threadIdx.x] = 2 * total;`,
	},
	{
		Code: "macro", Title: "text that must change stands inside a macro",
		Help: "write the macro out at this place",
		Text: `
smux sees through macros but edits only the text itself: a macro's definition may
be used elsewhere. So it refuses where a barrier (in named or lock mode), the
beginning or end of a region, a declaration to take apart, a call that gets
another argument, launch bounds, or the launch of the kernel stands inside a
macro.

A macro that makes whole kernels is another matter: they are analysed, and what
changes in them is written into the macro, with its parameters where the kernels
differ as the arguments do. That is refused where they would have to change in
different ways or one of them cannot, where the macro is in a header (files out
of sight may use it) or is used where it is not known what it makes, and where
the change lies between a macro's text and an argument.`,
		Example: `
#define EXCHANGE(x) s[threadIdx.x] = x; __syncthreads(); x = s[63 - threadIdx.x]
__global__ void k(float *a) {
    __shared__ float s[64];
    float x = a[threadIdx.x];
    EXCHANGE(x);
    a[threadIdx.x] = x;
}`,
		Fix: `
s[threadIdx.x] = x;
__syncthreads();
x = s[63 - threadIdx.x];`,
	},
}
