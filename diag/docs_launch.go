package diag

// launchDocs are the codes of package rewrite about what surrounds a kernel:
// its signature, its launches, its other names, its files.
var launchDocs = []Doc{
	{
		Code: "signature", Title: "the kernel's parameter list can't be given another parameter",
		Help: "write the parameter list in plain C++, or define its macros with -D or -I",
		Text: `
A rewritten kernel gets the width of the original grid as another parameter
(behind the last one, but before default arguments and packs), since an odd grid
leaves the last virtual thread block without work. Every declaration of the kernel
must follow. That needs parameter lists that smux can read. Parameters that take
all bytes that a kernel can have, 4096, or 32764 from CUDA 12.1 on for compute
capability 7.0 and later, leave no room for another one.`,
		Example: `
__global__ void k(float *a, int n OPTIONAL(int m));      // OPTIONAL: out of sight
__global__ void k(float *a, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x] * n;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a, 2); }`,
		Fix: `__global__ void k(float *a, int n);`,
	},
	{
		Code: "no-launch", Title: "no launch of the kernel is in view",
		Help: "name the file that launches it, too, or give --block X,Y,Z if its launches are out of sight",
		Text: `
A kernel and its launches must change together: the merged kernel launched as
before would run with the wrong grid, the wrong block and one argument too few.
Kernels that are never called by name in the given files may be launched from
another file, through a pointer, or by its name in a string.

With --block smux takes the block's shape from there, rewrites the kernel and
reports what the launch must say. A launch that was missed does not compile or
link any more, because the signature has changed; for a kernel with C linkage it
would link, so that stays refused.`,
		Example: `
// smux rewrite kernel.cu, and main.cu launches k
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite -d kernel.cu main.cu`,
	},
	{
		Code: "launch-by-hand", Loose: true, Title: "a kernel was rewritten whose launch is out of sight",
		Help: "change the launch as the message says; until then it does not compile or link",
		Text: `
A remark, not a refusal: with --block the kernel was rewritten although nothing in
view launches it. Its launch must merge grid and block and pass the grid's width.`,
		Example: `
// smux rewrite -d --block 64 kernel.cu, and k<<<grid, 64>>>(a) stands elsewhere
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
const auto m = smux::merge<2, 64>(grid, 64);
k<<<m.grid, m.block>>>(a, m.blocks);`,
	},
	{
		Code: "launch", Title: "a launch of the kernel can't be rewritten",
		Help: "put grid and block into dim3 variables and launch with k<<<grid, block>>>(...)",
		Text: `
smux turns k<<<g, b>>>(x) into const auto m = smux::merge<N, X>(g, b) and
k<<<m.grid, m.block>>>(x, m.blocks): grid and block are evaluated once, before the
launch. A launch is refused where that could matter (the grid's expression assigns
or calls what smux can't see through, and the block or another part depends on
it), where such a launch is a part of a statement, where it does not parse or has
no block size, and where it is not certain which kernel it reaches.`,
		Example: `
int blocks(int &threads);
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) {
    int threads;
    k<<<blocks(threads), threads>>>(a);
}`,
		Fix: `
int threads;
int grid = blocks(threads);
k<<<grid, threads>>>(a);`,
	},
	{
		Code: "launch-call", Title: "a call of the CUDA runtime launches the kernel in a way that can't change",
		Help: "launch it with <<<...>>>, or set the cudaLaunchConfig_t in the function that launches",
		Text: `
cudaLaunchKernel, cudaLaunchKernelEx and cudaLaunchKernelExC that name the kernel
follow it as <<<...>>> does. What has no such form is refused: a cooperative
launch, which fails where not all blocks are resident at once; attributes of a
launch that say something of its blocks, such as clusters, or that smux does not
know; a cudaLaunchConfig_t whose attributes can't be seen, because it comes from
another function; and an array of arguments for a kernel whose number of
parameters differs from instance to instance.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) {
    void *args[] = {&a};
    cudaLaunchCooperativeKernel((void *)k, dim3(100), dim3(64), args, 0, 0);
}`,
		Fix: `cudaLaunchKernel((void *)k, dim3(100), dim3(64), args, 0, 0);`,
	},
	{
		Code: "kernel-address", Title: "the kernel's address is taken",
		Help: "launch the kernel by name with <<<...>>> or cudaLaunchKernel",
		Text: `
Whoever holds a kernel's address can launch it, with the original grid and
arguments. That is what pointers, function tables and kernels given as
template arguments do, and cuModuleGetFunction by the kernel's name or by its
symbol, which is another one when the parameters change. A launch by
cudaLaunchKernel that names the kernel is no such use. Calls that
only set or read attributes of the kernel (cudaFuncSetAttribute and its kin) are
fine, and so are those that ask for its occupancy: their answers differ from GPU
to GPU anyway.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void (*const table[])(float *) = {k};
void run(float *a, int i) {
    k<<<100, 64>>>(a);
    table[i]<<<100, 64>>>(a);
}`,
		Fix: `if (i == 0) k<<<100, 64>>>(a);`,
	},
	{
		Code: "overload", Title: "another kernel of the same name can't be rewritten",
		Help: "see the other kernel's reason, or give the kernels different names",
		Text: `
Kernels of one name (overloads, specialisations, both branches of an #if) are
rewritten together or not at all, since a launch may mean any of them. This one
could be rewritten; the reason that another one can't is reported there.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void k(int *a) { a[threadIdx.x] *= 2; }      // no shared memory
void run(float *f, int *i) {
    k<<<100, 64>>>(f);
    k<<<100, 64>>>(i);
}`,
		Fix: `__global__ void scale(int *a) { a[threadIdx.x] *= 2; }`,
	},
	{
		Code: "out-of-reach", Title: "a file that was not named would have to change",
		Help: "name that file on the command line, too",
		Text: `
The kernel, a declaration of it, or a device function that needs another form
is in a header that smux read but was not asked to rewrite. smux edits only files
that were named. Or a file that is left out of the tree (by .gitignore, --exclude,
its folder or its extension) names the kernel: a launch there would keep the
arguments and the grid of the original.`,
		Example: `
// smux rewrite kernel.cu, and kernel.h declares k
#include "kernel.h"
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `smux rewrite -d kernel.cu kernel.h`,
	},
}
