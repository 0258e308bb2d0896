package diag

// memoryDocs are the codes of wrong accesses that a run on the CPU shows.
var memoryDocs = []Doc{
	{
		Code: "out-of-bounds", Title: "an access outside of every array",
		Help: "check the index against the array's length",
		Text: `
A thread reads or writes bytes that belong to no variable and no allocation, or
to one that was freed. The message names the nearest one. Each array has padding
around it, so an access that misses one array does not hit the next. Of arrays of
a thread and of variables of the device the subscript itself is looked at.`,
		Example: `
__global__ void k(int *out) { out[threadIdx.x + 1] = 1; }
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `if (threadIdx.x + 1 < 64) out[threadIdx.x + 1] = 1;`,
	},
	{
		Code: "canary", Title: "bytes next to an array were overwritten",
		Help: "look for the index that leaves the array; the checked build names the line",
		Text: `
The padding around an array was found changed after a launch. Who did it is not
known: in the plain build, or where code was compiled without the checks (a
library, memcpy), accesses themselves are not looked at.`,
		Example: `
#include <cstring>
__global__ void k(char *out) { memset(out, 1, 65); }
int main() {
    char *out;
    cudaMalloc(&out, 64);
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `memset(out, 1, 64);`,
	},
	{
		Code: "illegal-address", Title: "a thread accesses an address where nothing is",
		Help: "look at where the pointer comes from: null, or of the host",
		Text: `
The access ended in a signal: a null pointer, a wild one, or an index so far off
that it left all of device memory. A GPU gives cudaErrorIllegalAddress. Host code
that reads or writes device memory itself gets this code, too.`,
		Example: `
__global__ void k(int *out) { out[threadIdx.x] = 1; }
int main() {
    k<<<1, 64>>>(nullptr);
    cudaDeviceSynchronize();
}`,
		Fix: `Allocate the array, and look at what cudaMalloc returns.`,
	},
	{
		Code: "constant-write", Title: "a kernel writes to constant memory",
		Help: "make the variable a __device__ one, or let the host write it with cudaMemcpyToSymbol",
		Text: `
Kernels read constant memory by a cache that they cannot write through, and other
threads may still see what was there. Where nvcc sees that the address is that of
a __constant__ variable it warns, and ends the kernel by a trap at that place.`,
		Example: `
__constant__ float factor[32];
__device__ void store(float *at, float v) { *at = v; }
__global__ void k(float *a) { store(factor + threadIdx.x, a[threadIdx.x]); }
int main() {
    float *a;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMemset(a, 0, 32 * sizeof(float));
    k<<<1, 32>>>(a);
    cudaDeviceSynchronize();
}`,
		Fix: `Declare it as __device__ float factor[32].`,
	},
	{
		Code: "misaligned", Title: "a word is accessed at an address that is not a multiple of its size",
		Help: "access bytes, or move the array to a multiple of its elements' size",
		Text: `
GPUs load and store words of 2, 4, 8 and 16 bytes at multiples of that; anything
else ends the kernel with "misaligned address". CPUs do without, so that only
the build that looks at every access can tell. Vectors such as float4 count as
the one word that a GPU's compiler makes of them.`,
		Example: `
__global__ void k(char *bytes, float *out) {
    out[threadIdx.x] = *(float *)(bytes + 1 + 4 * threadIdx.x);
}
int main() {
    char *bytes;
    float *out;
    cudaMalloc(&bytes, 256);
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(bytes, out);
    cudaDeviceSynchronize();
}`,
		Fix: `Copy the bytes of each element with memcpy, into a local variable.`,
	},
	{
		Code: "integer-overflow", Title: "a subscript is computed from an integer that overflows",
		Help: "compute the subscript in 64 bits: cast the first factor to size_t",
		Text: `
A sum, difference or product of a signed type is more than the type holds, and a
subscript or an address comes of it. It wraps to another element, or to memory
that is nobody's. Only what a function computes its own subscripts from counts:
hashes and random numbers overflow on purpose.`,
		Example: `
__global__ void k(float *out, int rows) {
    int t = threadIdx.x, row = t * rows;   // 2 * 2^30
    out[row & 63] = 1;
}
int main() {
    float *out;
    cudaMalloc(&out, 256);
    k<<<1, 3>>>(out, 1 << 30);
    cudaDeviceSynchronize();
}`,
		Fix: `Write size_t row = size_t(t) * rows.`,
	},
	{
		Code: "division-by-zero", Title: "a thread divides an integer by zero",
		Help: "look at where the divisor comes from, and return before it where it may be 0",
		Text: `
A GPU does not stop at it: the quotient has all its bits set, and what comes of
that is anybody's guess. The run goes on with these values. Of processors only
x86 tells, and only the build that looks at every access is asked.`,
		Example: `
__global__ void k(int *out, int n) { out[threadIdx.x] = threadIdx.x / n; }
int main() {
    int *out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out, 0);
    cudaDeviceSynchronize();
}`,
		Fix: `Pass what the kernel asks for.`,
	},
	{
		Code: "stack-overflow", Title: "a thread has used up its stack",
		Help: "make local arrays smaller, or the recursion less deep",
		Text: `
Local variables and calls of one thread take more than its stack holds. GPUs
have less of it than this: 512 kB for each thread at most, 1 kB by default.`,
		Example: `
__device__ int depth(int n) {
    volatile int a[1000];
    a[n & 7] = n;
    return depth(n + 1) + a[n & 7];
}
__global__ void k(int *out) { out[0] = depth(0); }
int main() {
    int *out;
    cudaMalloc(&out, sizeof(int));
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `End the recursion.`,
	},
	{
		Code: "uninitialised", Title: "shared memory is read before the block has written it",
		Help: "write the element before it is read, or read it only where it was written",
		Text: `
A block reads bytes of shared memory that none of its threads has written. What
is there is left over from another block. The value may not matter, so it is
held against a rewrite only if the original does not do the same.`,
		Example: `
__global__ void k(int *out) {
    __shared__ int s[64];
    if (threadIdx.x < 32) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `s[threadIdx.x] = threadIdx.x < 32 ? 1 : 0;`,
	},
	{
		Code: "region-earlier", Title: "a region reads what an earlier region wrote",
		Help: "report it: smux has found too small a region",
		Text: `
In a rewritten kernel a shared array holds no value between two regions, since
another virtual block may use it there. This one reads what was written before
its own region began. The analysis of what is live was wrong, even if the
output happens to be right.`,
		Example: `
vtb.acquire();
s[threadIdx.x] = a[threadIdx.x];
vtb.release();
vtb.acquire();
out[threadIdx.x] = s[threadIdx.x];               // of an earlier region
vtb.release();`,
		Fix: `Keep both in one region: leave the release and acquire between them away.`,
	},
	{
		Code: "region-other", Title: "a virtual block reads what another one wrote",
		Help: "report it: smux has let two virtual blocks into one array at a time",
		Text: `
Merged blocks share one set of arrays and take turns. Here a virtual block reads
shared memory that was last written by another one.`,
		Example: `
if (vtb.id == 0) { vtb.acquire(); s[threadIdx.x] = a[threadIdx.x]; vtb.release(); }
if (vtb.id == 1) { vtb.acquire(); out[threadIdx.x] = s[threadIdx.x]; vtb.release(); }`,
		Fix: `Let each virtual block write what it reads in its own region.`,
	},
	{
		Code: "region-outside", Title: "a multiplexed array is used outside of every region",
		Help: "report it: smux has found too small a region",
		Text: `
A thread accesses an array that virtual blocks take turns with, while it is not
its turn.`,
		Example: `
vtb.acquire();
s[threadIdx.x] = a[threadIdx.x];
vtb.release();
out[threadIdx.x] = s[threadIdx.x];               // another block may have it now`,
		Fix: `Move the release behind the last access.`,
	},
}
