package diag

// raceDocs are the codes of what a run of a program on the CPU shows about the
// order of its threads.
var raceDocs = []Doc{
	{
		Code: "race", Title: "two threads access the same memory, and nothing orders them",
		Help: "put a barrier between the two accesses, or make both atomic",
		Text: `
Two threads access the same bytes of shared or global memory, at least one of
them writes, and no barrier, warp operation or named barrier lies between the
two. Which comes first is up to the hardware. The message names both places. It
is found by what is ordered before what, not by what happened to come first, so
it is found in nearly every order of threads.

Blocks of one launch are never ordered, two launches always are. A race in which
both threads write the same value is only a note, unless --strict is given.`,
		Example: `
#include <cstdio>
__global__ void k(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];      // written by another thread
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `Put __syncthreads(); between the write and the read.`,
	},
	{
		Code: "in-flight", Title: "shared memory is accessed while an asynchronous copy to it is under way",
		Help: "commit the copies, and wait for them before the barrier behind which they are read",
		Text: `
A copy that __pipeline_memcpy_async, cuda::memcpy_async or cp.async asks for is
made at any moment between the call and the wait that covers it: a thread waits
for its own copies, by groups that it has committed, and a barrier behind that
lets others see them. In between nobody may read or write the bytes. smux makes
the copy at the wait, the latest moment, so that what is read too early is what
stood there before.`,
		Example: `
#include <cuda_pipeline.h>
__global__ void k(const int *in, int *out) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];      // nobody has waited
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
    k<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
}`,
		Fix: `Put __pipeline_wait_prior(0); before __syncthreads();.`,
	},
	{
		Code: "deadlock", Title: "no thread of a block can go on",
		Help: "let every thread that a barrier counts on arrive at it",
		Text: `
All threads of a block wait, and none of them for something that can still
come. The message says which threads wait where, and for how many of how many.
On a GPU the kernel would hang, or go on with wrong data.`,
		Example: `
__global__ void k(int *out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `Give both sides the same barrier, or as many threads as use it.`,
	},
	{
		Code: "barrier-divergence", Title: "the threads of a block meet at different barriers",
		Help: "move the barrier out of the branch",
		Text: `
Some threads of a block wait at one __syncthreads(), others at another one or
nowhere. CUDA allows a barrier in a branch only if all threads take the same
one. Some GPUs let threads pass whichever barrier they are at; the program then
runs, and what it reads behind the barrier is up to chance.`,
		Example: `
__global__ void k(int *out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
    }
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `One __syncthreads() behind both branches.`,
	},
	{
		Code: "warp-divergence", Title: "lanes of a warp meet in different warp operations",
		Help: "pass the mask of the lanes that really get there",
		Text: `
A __shfl_sync, vote or __syncwarp names lanes in its mask that are in another
operation, or that have ended. What such a lane brings is undefined.`,
		Example: `
__global__ void k(int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_down_sync(0xffffffff, v, 1);
    else v = __ballot_sync(0xffffffff, v & 1);
    out[threadIdx.x] = v;
}
int main() {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    k<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `Pass 0x0000ffff and 0xffff0000, or do the operation outside of the branch.`,
	},
	{
		Code: "bad-barrier", Title: "a barrier is used in a way that the hardware does not allow",
		Help: "use ids from 0 to 15, and counts that are multiples of 32",
		Text: `
A named barrier has an id beyond 15, a number of threads that is not a multiple of
32, more threads than the block has, or gets other numbers from different
threads.`,
		Example: `
__global__ void k(int *out) {
    asm volatile("bar.sync 1, 48;");
    out[threadIdx.x] = 1;
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `Count whole warps: bar.sync 1, 64.`,
	},
	{
		Code: "no-progress", Title: "a kernel makes no progress",
		Help: "let threads wait at barriers, and blocks not at all for one another",
		Text: `
For some seconds (--watchdog) no thread of the kernel has ended, passed a barrier
or taken part in a warp operation: a thread waits in a loop for something that
no other thread will do. Blocks run one after another here, so a block that
waits for a later one waits for ever, as it may on a GPU that has no room for
both. A loop that is merely long is reported as well: give more --watchdog.`,
		Example: `
__global__ void k(volatile int *flag) {
    if (threadIdx.x == 0)
        while (*flag == 0) {}                    // nobody sets it
}
int main() {
    int *flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    k<<<1, 32>>>(flag);
    cudaDeviceSynchronize();
}`,
		Fix: `Set the flag before, or wait for it on the host, between two launches.`,
	},
	{
		Code: "order-dependent", Title: "the output depends on the order of threads and blocks",
		Help: "compare with --atol and --rtol, or sort what comes in any order",
		Text: `
The same program, run again with its threads and blocks in another order, has
copied other data to the host or printed something else. CUDA promises no order,
so both outputs are right, or the program is wrong. A rewrite changes the order
and can't be shown equal to such a program, so that it is not judged. Sums of
floats by atomicAdd are the usual cause: tolerances help there.`,
		Example: `
#include <cstdio>
__global__ void k(int *out, int *count) {
    out[atomicAdd(count, 1)] = threadIdx.x;      // a list in any order
}
int main() {
    int *out, *count, host[64];
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    k<<<1, 64>>>(out, count);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}`,
		Fix: `Write to out[threadIdx.x], or sort the list before it is used.`,
	},
	{
		Code: "not-deterministic", Title: "two equal runs of the program differ",
		Help: "give the program a fixed seed",
		Text: `
The original was run twice, in the same order and with the same arguments, and
did not do the same. Then nothing can be compared with it. Time is no cause,
since clocks are the same in every run here; random numbers from the system,
addresses that are printed and data that other programs change are.`,
		Example: `
#include <cstdio>
#include <random>
__global__ void k(unsigned *out) { out[threadIdx.x] += threadIdx.x; }
int main() {
    std::random_device random;
    unsigned *out, host = random();
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(out, &host, sizeof host, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%u\n", host);
}`,
		Fix: `std::mt19937 random(1); or an option of the program for the seed.`,
	},
}
