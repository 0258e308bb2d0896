package diag

// verdictDocs are the codes of how two programs differ, and of what stops a
// kernel.
var verdictDocs = []Doc{
	{
		Code: "different-copy", Title: "data copied to the host differs from the original's",
		Help: "look at what writes that element; where sums are in another order, give --atol or --rtol",
		Text: `
Every copy from the device is compared in order: its length and each bit. The
message gives the first difference: the number of the copy, where the program
makes it, the element and both values. Memory that nobody wrote holds the same
garbage in both programs.`,
		Example: `
// a.cu
__global__ void k(int *out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    k<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
// b.cu
__global__ void k(int *out) { out[threadIdx.x] = threadIdx.x & 31; }
int main() {
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    k<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}`,
		Fix: `Make the second program compute the same.`,
	},
	{
		Code: "different-stdout", Title: "the program prints something else than the original",
		Help: "look at the first line that differs",
		Text: `
Standard output is compared line by line. With --atol or --rtol the numbers with
a fraction in it may differ, too; all other words must be equal. Standard error
is not compared.`,
		Example: `
// a.cu
#include <cstdio>
__global__ void k() { printf("block %d\n", blockIdx.x); }
int main() {
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
// b.cu
#include <cstdio>
__global__ void k() { printf("block %d\n", blockIdx.x + 1); }
int main() {
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}`,
		Fix: `Make the second program print the same.`,
	},
	{
		Code: "different-exit", Title: "the program ends with another status than the original",
		Help: "look at the check in the program that fails",
		Text: `
The original ends with one exit status, the rewrite with another. Often it is the
program's own check of its results that fails.`,
		Example: `
// a.cu
__global__ void k() {}
int main() {
    k<<<1, 1>>>();
    return 0;
}
// b.cu
__global__ void k() {}
int main() {
    k<<<1, 1>>>();
    return 1;
}`,
		Fix: `Make the second program's check pass.`,
	},
	{
		Code: "trap", Title: "a thread stops the program",
		Help: "look at the condition that failed",
		Text: `
A __trap(), a failed assert on the device, or an instruction that no processor
executes.`,
		Example: `
#include <cassert>
__global__ void k(int n) { assert(n > 0); }
int main() {
    k<<<1, 1>>>(0);
    cudaDeviceSynchronize();
}`,
		Fix: `Pass what the kernel asks for.`,
	},
	{
		Code: "unwritten", Title: "part of a result was never written",
		Help: "look at the grid and at the guard of the last elements; begin with zeros where that is meant",
		Text: `
The function of a PyTorch extension returned a tensor, or was given one, with an
element that no kernel wrote since torch::empty allocated it. On a GPU it holds
what was there before: often the right result of the last call.`,
		Example: `
#include <torch/extension.h>
__global__ void twice(const float *x, float *y) {
    y[blockIdx.x * 256 + threadIdx.x] = 2 * x[blockIdx.x * 256 + threadIdx.x];
}
torch::Tensor f(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int blocks = x.numel() / 256;                        // and the tail?
    twice<<<blocks, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
    return y;
}`,
		Fix: `Round the grid up, and let threads past the end return.`,
	},
	{
		Code: "launch-error", Title: "the grid or block can't be launched",
		Help: "look at how the grid and block are computed, and at cudaGetLastError()",
		Text: `
The configuration of a launch is one that no GPU takes: a grid without blocks, a
block of more than 1024 threads, too much shared memory. CUDA sets an error and
goes on without the kernel; programs that do not ask for the error then compute
with old data.`,
		Example: `
__global__ void k(int *out) { out[threadIdx.x] = 1; }
int main() {
    int *out, n = 100;
    cudaMalloc(&out, n * sizeof(int));
    k<<<n / 256, 256>>>(out);                    // no block at all
    cudaDeviceSynchronize();
}`,
		Fix: `Round up: (n + 255) / 256.`,
	},
	{
		Code: "not-verified", Title: "the rewrite of the kernel did not pass and was not written",
		Help: "run smux verify to see what differs",
		Text: `
With --verify smux runs the program with its rewritten kernels before it writes
anything. What does not pass is left as it was, kernel by kernel. The messages
above this one say what was found.`,
		Example: `smux rewrite -w --verify a.cu            # and the rewrite adds a race`,
		Fix: `
Look at the finding. If the rewrite is wrong, report it. If the original is at
fault (its output depends on the order of threads, say), mend that first.`,
	},
}
