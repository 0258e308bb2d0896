package diag

// nvccDocs are what nvcc says of a file, where it is asked for registers.
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
}
