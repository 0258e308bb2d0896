package diag

// translateDocs are the codes of remarks: parts of a program that run on the
// CPU but are checked less.
var translateDocs = []Doc{
	{
		Code: "shared-static", Title: "a shared variable is run as a static one",
		Help: "declare it outside of the macro",
		Text: `
The declaration of the shared variable stands in a macro, where it can't be
translated, and becomes a static variable. The program runs as before, but
accesses to this variable are not checked for races and bounds.`,
		Example: `
#define TILE(T, name) __shared__ T name[64]
__global__ void k(float *a) {
    TILE(float, s);
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `__shared__ float s[64];`,
	},
	{
		Code: "host-device-overload", Title: "a host and a device function have the same signature",
		Help: "keep one of the two, for host and device both",
		Text: `
CUDA tells two functions of one signature apart by __host__ and __device__. C++
can't, so host code and kernels call the same one here.`,
		Example: `
__host__ int f(int x) { return x; }
__device__ int f(int x) { return x + 1; }
__global__ void k(int *a) { a[0] = f(a[0]); }`,
		Fix: `__host__ __device__ int f(int x), with #ifdef __CUDA_ARCH__ where they differ.`,
	},
	{
		Code: "unsupported-asm", Title: "inline PTX that can't be run on the CPU",
		Help: "write it in CUDA C++, or verify the kernels that don't use it",
		Text: `
The instruction is not one of those that smux knows (barriers, fences, special
registers, prefetches, some arithmetic). A thread that gets there ends the
program with not-supported.`,
		Example: `
__global__ void k(int *a) {
    asm volatile("mma.sync.aligned.m8n8k4 {%0}, %1;" : "=r"(a[0]) : "r"(a[1]));
}`,
		Fix: `Use an intrinsic where there is one.`,
	},
	{
		Code: "partly-checked", Title: "some launches touched too much memory to be looked at as a whole",
		Help: "run a smaller problem: a few blocks show the same races",
		Text: `
The race check remembers who accessed each word last. A launch that touches
hundreds of megabytes has more words than it remembers, and races on the rest went
unseen. The output was compared all the same.`,
		Example: `smux check a.cu -- 100000000`,
		Fix:     `smux check a.cu -- 10000`,
	},
	{
		Code: "partly-explored", Title: "not every order of threads that matters was run",
		Help: "run a smaller problem, or more orders with --most-schedules",
		Text: `
--all-schedules was asked for. Either there are more orders than it runs, and then
the intervals between barriers are named that have too many, or a launch has more
than 64 threads, or a thread waited without end in one that no defect explains, or
equal orders did not do the same. What was found stands, but orders that were not
run may show more. Where no launch is small enough, the program counts as not
judged.`,
		Example: `smux check --all-schedules a.cu -- 1000`,
		Fix:     `smux check --all-schedules a.cu -- 8`,
	},
	{
		Code: "never-merged", Title: "a merged kernel ran, but never with two of its blocks in one",
		Help: "run a problem with several blocks along the merged dimension of the grid",
		Text: `
The rewritten kernel was launched and gave what the original gives. But each of
its grids had one block along the merged dimension, or blocks that don't fit into
one and are left as they are, so that no two blocks took turns: the part of the
rewrite that matters was not run.`,
		Example: `smux verify a.cu -- 64        # one block of 64 threads`,
		Fix:     `smux verify a.cu -- 1000      # 16 blocks`,
	},
	{
		Code: "directives-differ", Title: "directives of OpenACC change what a C program does",
		Help: "look for branches that ask for _OPENACC or for the device, and at directives that GCC reads otherwise",
		Text: `
A C program with directives of OpenACC was run twice: with its directives ignored,
which is what the CUDA program is compared with, and as GCC makes it of them, on
the host (-fopenacc). The two print different things, or GCC does not take the
directives. So a part of it is for compilers that follow them only, or GCC reads a
directive otherwise; the verdict does not depend on it.`,
		Example: `
#ifdef _OPENACC
    n = 512; /* whole thread blocks */
#endif`,
		Fix: `leave n as it is: the number of iterations need not be that of threads`,
	},
}
