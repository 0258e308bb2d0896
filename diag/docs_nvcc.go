package diag

// nvccDocs are the codes of what nvcc reports of a file, where it is asked for registers.
var nvccDocs = []Doc{
	{
		Code: "nvcc-refused", Title: "nvcc does not compile the file, so its kernels' registers are not known",
		Help: "compile the file with nvcc as your build does, and give smux the same -I and -D",
		Text: `
smux occupancy, simulate, analyze and rewrite ask nvcc for the registers of each
kernel, where nvcc is installed. The message is nvcc's own, with its place; it is
told once, though the file is compiled for several architectures. Registers are
then estimated from the source, and marked so. With --resources nvcc there is no
result, and the exit code is 2.`,
		Example: `
#include "not/there.h"
__global__ void k(float *a) { a[threadIdx.x] = 0; }
void run(float *a) { k<<<1, 64>>>(a); }`,
		Fix: `
smux occupancy -I include kernel.cu             # where the header is
smux occupancy -p build kernel.cu               # as compile_commands.json says
smux occupancy --resources estimate kernel.cu   # without asking nvcc`,
	},
	{
		Code: "not-compiled", Title: "nvcc compiles the program and not its rewrite, so the kernel is left alone",
		Help: "report this, with the input, at https://github.com/smux-cuda/smux/issues",
		Text: `
smux rewrite parses what it is about to write, and where nvcc is installed
compiles it for the GPUs of --gpu. The message is the first one about the
rewritten text. Such a kernel is a defect of smux: its file keeps its text, others
are rewritten, and the exit code is 1. With --resources estimate nvcc is not
asked.`,
		Example: `
// no such kernel is known: each one that is found is mended
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `smux rewrite --variant vtb --sync block kernel.cu   # another form may compile`,
	},
	{
		Code: "registers", Title: "what the compiler made of the original and of the rewrite",
		Help: "leave it out with --resources estimate, or name the GPUs with --gpu",
		Text: `
A remark on a rewritten kernel, where nvcc is at hand: registers per thread,
bytes per thread that the compiler spills, and original thread blocks that run at
once on a multiprocessor (SM), each before and after the rewrite, for the GPUs of
--gpu.
Both texts are compiled for the GPU's architecture, or the nearest that this nvcc
knows; the answers are kept in the user's cache folder. Thread blocks per SM are
left out where no launch says how large a block is.`,
		Example: `
// smux rewrite -d --variant vtb --gpu a100 kernel.cu
__global__ void k(const float *in, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
void run(float *a, float *b) { k<<<10000, 256>>>(a, b); }`,
		Fix: `smux rewrite -d --variant vtb --resources estimate kernel.cu   # without asking nvcc`,
	},
	{
		Code: "occupancy-lost", Title: "the rewrite runs fewer thread blocks at once than the original",
		Help: "try another --factor or --sync, or omit --variant to have smux choose",
		Text: `
The rewritten kernel takes so many registers, or its blocks are so large, that
fewer of the original thread blocks run at once on a multiprocessor of that GPU. A
rewrite is there to run more of them, so this one will most likely be slower. It
is written all the same: --variant says so. Without --variant smux weighs what is
lost against what is gained.`,
		Example: `
// smux rewrite -d --variant vtb --gpu t4 kernel.cu: 1024 threads per SM hold three
// blocks of 320 threads, but only one of 640
__global__ void k(const float *in, float *out) {
    __shared__ float s[320];
    s[threadIdx.x] = in[blockIdx.x * 320 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 320 + threadIdx.x] = s[319 - threadIdx.x];
}
void run(float *a, float *b) { k<<<10000, 320>>>(a, b); }`,
		Fix: `smux rewrite -d --variant vtb --factor 3 --gpu t4 kernel.cu     # blocks of 960 threads`,
	},
	{
		Code: "spills", Title: "the compiler keeps more of the rewrite in local memory than of the original",
		Help: "merge fewer blocks with --factor, or give --stage-loads 0 where loads are made ahead of a region",
		Text: `
ptxas spills registers of the rewritten kernel to local memory, or gives it a
larger stack frame, as it does not for the original. As a rule the merged block
has so many threads that each may have fewer registers than it needs, or too many
values are loaded ahead of a region. Local memory is as far away as
global memory; what the turns gain is soon lost there.`,
		Example: `
// smux rewrite -d --variant vtb --factor 4 --gpu a100 kernel.cu: blocks of 1024
// threads leave 64 registers for each
__global__ void __launch_bounds__(256) k(const float *in, float *out) {
    __shared__ float s[256];
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; ++i) v[i] = in[i * 256 + threadIdx.x];
    s[threadIdx.x] = v[0];
    __syncthreads();
    float sum = s[255 - threadIdx.x];
#pragma unroll
    for (int i = 0; i < 96; ++i) out[i * 256 + threadIdx.x] = v[i] * (sum += v[95 - i]);
}
void run(float *a, float *b) { k<<<10000, 256>>>(a, b); }`,
		Fix: `smux rewrite -d --variant vtb --factor 2 --gpu a100 kernel.cu   # 128 registers for each`,
	},
}
