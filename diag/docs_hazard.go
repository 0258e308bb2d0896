package diag

// hazardDocs are the codes of package analysis: what no rewrite may touch, and
// what prevents seeing what a kernel does.
var hazardDocs = []Doc{
	{
		Code: "syntax", Loose: true, Title: "smux can't read this part of the function",
		Help: "name the headers with -I, define the macros with -D, or simplify the statement",
		Text: `
The kernel, or a device function that it calls, holds text that is no C++ for
smux: usually a macro whose definition is out of sight, an #if that cuts a
statement in two, or a construct that the analyses do not model (try, co_await,
a fold expression). What smux can't read it can't prove anything about. Other
functions of the file are not affected.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    try { a[threadIdx.x] = s[0]; } catch (...) {}
}`,
		Fix: `
Pass -I and -D as the compiler gets them, so that macros can be expanded, or
write the statement in plain C++.`,
	},
	{
		Code: "gave-up", Title: "analysing the kernel would take too long",
		Help: "split the kernel or the expression, or have the generator write loops",
		Text: `
Time and memory of the analyses grow with the size of a kernel and with how deep
its statements and expressions are nested. Both have limits far over what people
write, counted in statements and expressions and the same on every machine; the
message names the one that was met. The kernel is left alone, and so are those
that call the same function. Other kernels of the file are not affected. Co-vtb,
which reads a file again for each kernel, is refused for files of thousands of
kernels.`,
		Example: `
#define N8(x) - (- (- (- (- (- (- (- (x))))))))
#define N64(x) N8(N8(N8(N8(N8(N8(N8(N8(x))))))))
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = N64(N64(N64(N64(N64(N64(N64(N64(s[63 - threadIdx.x]))))))));
}`,
		Fix: `
Write what is generated with loops and arrays, or in several statements and device
functions.`,
	},
	{
		Code: "internal", Title: "smux has a defect that this kernel brings out",
		Help: "report it with the input at https://github.com/smux-cuda/smux/issues",
		Text: `
An analysis or a rewriter ended in a way that it should not have. The kernel is
left as it is, or that rewriter is not offered for it; other kernels are looked at
as usual. The message names the place in the source of smux.`,
		Example: `__global__ void k(int *a); // the message says what went wrong`,
		Fix:     `Nothing in the source is wrong: please report it.`,
	},
	{
		Code: "device-launch", Title: "a kernel is launched or awaited on the device",
		Help: "launch from the host: dynamic parallelism is not supported",
		Text: `
A launch on the device starts blocks that smux would have to follow: the grid of
the child depends on which thread of which block launches it, and after a merge
other threads do. Waiting for a child (cudaDeviceSynchronize on the device) could
wait in another virtual thread block's turn.`,
		Example: `
__global__ void child(float *a);
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
    if (threadIdx.x == 0) child<<<1, 64>>>(a);
}`,
		Fix: `Move the launch to the host, or into a kernel that uses no shared memory.`,
	},
	{
		Code: "cluster", Title: "the kernel uses thread-block clusters",
		Help: "leave this kernel: a merged block has no place in a cluster of the original shape",
		Text: `
A cluster names blocks by their rank in it and reads their shared memory
(distributed shared memory). After a merge a rank would stand for several
original blocks, with one set of shared arrays between them.`,
		Example: `
__global__ void __cluster_dims__(2, 1, 1) k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
Nothing, if the kernel depends on its cluster. If only the attribute is there,
remove it.`,
	},
	{
		Code: "recursion", Title: "a device function with a barrier or shared memory reaches itself",
		Help: "turn the recursion into a loop",
		Text: `
smux follows calls to see which barriers they pass and which shared variables
they use. A recursive function that holds a barrier, or that names a shared
variable, has no fixed number of either. Recursion that only computes is fine.`,
		Example: `
__device__ void up(float *s, int n) {
    if (n > 1) up(s, n / 2);
    __syncthreads();
    s[threadIdx.x] += s[threadIdx.x ^ n];
}
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    up(s, 32);
    a[threadIdx.x] = s[threadIdx.x];
}`,
		Fix: `for (int n = 1; n <= 32; n *= 2) { __syncthreads(); ... }`,
	},
	{
		Code: "goto", Title: "the kernel uses goto",
		Help: "write the jump as a loop, break, continue or return",
		Text: `
Regions are runs of statements that are entered at the top and left at the
bottom. A goto may enter or leave one in the middle; smux does not look whether
this one does.`,
		Example: `
__global__ void k(float *a, int n) {
    __shared__ float s[64];
again:
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
    if (--n) goto again;
}`,
		Fix: `do { ... } while (--n);`,
	},
	{
		Code: "spin", Title: "a loop waits for another thread block",
		Help: "split the kernel where blocks wait for each other",
		Text: `
The loop goes on until a volatile or atomic variable has changed: it waits for
somebody to change it. If that somebody is a block that was merged into the same
launched block and waits for its turn, both wait for ever.`,
		Example: `
__global__ void k(float *a, volatile int *flag) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    while (flag[blockIdx.x] == 0) {}
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
End the kernel where it waits and launch a second one for the rest: a kernel's
end is a barrier over the grid.`,
	},
	{
		Code: "grid-sync", Title: "the kernel synchronises the whole grid",
		Help: "split the kernel at the grid barrier",
		Text: `
A barrier over the grid (cooperative launch) needs all blocks on the GPU at once
and counts them. Merged blocks that wait for their turn never reach it.`,
		Example: `
#include <cooperative_groups.h>
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    cooperative_groups::this_grid().sync();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `Launch two kernels, one for each side of the barrier.`,
	},
	{
		Code: "async-copy", Title: "an asynchronous copy or barrier object",
		Help: "use plain copies and __syncthreads() in this kernel",
		Text: `
cp.async, TMA, mbarrier, cuda::barrier and cuda::pipeline move data into shared
memory behind the program's back. A copy may still be in flight when the turn is
handed over, and then lands in the next virtual thread block's data. smux does
not prove that every copy has been waited for.`,
		Example: `
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(float *a) {
    __shared__ float s[64];
    auto cta = cg::this_thread_block();
    cg::memcpy_async(cta, s, a, sizeof(s));
    cg::wait(cta);
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `s[threadIdx.x] = a[threadIdx.x]; __syncthreads();`,
	},
	{
		Code: "tile", Title: "a tile of a cooperative group that a merge would change",
		Help: "use tiles of at most 32 threads with a constant size, cut from the thread block itself",
		Text: `
Tiles of at most a warp stay inside one virtual thread block. A larger tile, or
one whose size is not a constant, could span the merged blocks. The number of a
tile (meta_group_rank, meta_group_size) is known where the tile was cut from the
thread block itself, and not where it was cut from another tile.`,
		Example: `
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a) {
    __shared__ float s[64];
    auto both = cg::tiled_partition<64>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    both.sync();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `cg::this_thread_block().sync();      // or a tile of 32`,
	},
	{
		Code: "group", Title: "the thread-block group is asked for something smux can't answer",
		Help: "use only sync, thread_rank, size, group_index and thread_index of the block's group",
		Text: `
For the cooperative group of the block smux knows sync, thread_rank, size (and
num_threads), group_index, thread_index and group_dim (and dim_threads), and
answers them for the virtual thread block. Other members (barrier_arrive,
barrier_wait, ...) have no equivalent there.`,
		Example: `
#include <cooperative_groups.h>
__global__ void k(float *a) {
    __shared__ float s[64];
    auto cta = cooperative_groups::this_thread_block();
    s[threadIdx.x] = a[threadIdx.x];
    auto token = cta.barrier_arrive();
    cta.barrier_wait(static_cast<decltype(token) &&>(token));
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `cta.sync();`,
	},
	{
		Code: "asm", Title: "inline assembly that a merge would change",
		Help: "use the CUDA built-in instead of assembly for barriers and thread or block numbers",
		Text: `
The assembly names a barrier, a special register that a merged block changes
(%tid, %ctaid, ...), or ends the thread. A barrier number may collide with those
that smux uses, and a register can't be shadowed as the built-in variables are.
Other inline assembly is left as it is.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `__syncthreads();      // and threadIdx.x for %tid.x, blockIdx.x for %ctaid.x`,
	},
	{
		Code: "named-barrier", Title: "a barrier between some warps of the block, or one whose number varies",
		Help: "use __syncthreads(), or __syncwarp() inside a warp; __barrier_sync needs a constant number and no count",
		Text: `
__barrier_sync(id) waits for all threads of the block at the barrier of that
number, and smux takes it for what __syncthreads() is, if the number is a
constant. __barrier_sync_count(id, n) waits for n threads: in a merged block these
may be warps of different virtual thread blocks, and smux uses barriers with
numbers and counts itself. Where the number varies, virtual thread blocks could
wait at different barriers.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __barrier_sync_count(1, 64);
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `__syncthreads();      // or __barrier_sync(1)`,
	},
	{
		Code: "shared-escapes", Title: "an address in shared memory goes where smux can't follow it",
		Help: "keep shared addresses in local pointer variables and in arguments of functions in view",
		Text: `
smux must know of every access to the shared arrays. An address that is stored
in memory or in a struct, turned into a number, or passed to code out of sight
could be used anywhere, also when it is another virtual thread block's turn.`,
		Example: `
struct Tile { float *data; };
__global__ void k(float *a) {
    __shared__ float s[64];
    Tile t;
    t.data = s;
    t.data[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = t.data[63 - threadIdx.x];
}`,
		Fix: `float *data = s;      // a pointer variable is followed, a struct is not`,
	},
	{
		Code: "lambda", Title: "a lambda uses shared memory or a barrier",
		Help: "write the lambda's body where it is called, or as a device function",
		Text: `
A lambda runs where it is called, which need not be where it stands. smux does
not follow one to its calls, so it may hold neither an access to shared memory
nor a barrier.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    auto put = [&](float x) { s[threadIdx.x] = x; };
    put(a[threadIdx.x]);
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
__device__ void put(float *s, float x) { s[threadIdx.x] = x; }`,
	},
	{
		Code: "unknown-call", Title: "a call into code that is not in view",
		Help: "name the file that defines it, or the folder of its header with -I",
		Text: `
What is called may hold a barrier, use blockIdx, or touch shared memory. CUDA's
intrinsics and mathematical functions are known; for everything else smux must
see the definition. CUB and Thrust hold barriers and shared memory of their own
and count among what can't be seen. So do calls through pointers, and new and
delete.`,
		Example: `
__device__ float tune(float x);      // defined in another file
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = tune(a[threadIdx.x]);
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite -I include kernel.cu tune.cu`,
	},
}
