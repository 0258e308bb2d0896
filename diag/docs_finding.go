package diag

// findingDocs are the codes of findings that other tools show, beside refusals.
var findingDocs = []Doc{
	{
		Code: "limiter", Title: "what limits how many thread blocks a multiprocessor runs at once",
		Help: "see what smux occupancy says of the kernel, and what smux rewrite would do",
		Text: `
A remark on a kernel that leaves a GPU room for more threads. For each GPU of
--gpu it names the resource that limits the thread blocks per
multiprocessor (SM), the occupancy, and the smallest change with which one more
fits. Where a rewrite is expected to help, it says which and how much. What the
rewrite gains is a prediction, no measurement (docs/choice.md). A kernel that
fills every GPU gets no remark.`,
		Example: `
// smux analyze --format github --gpu gtx480@16 kernel.cu
__global__ void k(const float *in, float *out) {
    __shared__ float s[3072];
    s[threadIdx.x * 48] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
void run(float *a, float *b) { k<<<10000, 64>>>(a, b); }`,
		Fix: `smux rewrite -d kernel.cu                                # what smux can do`,
	},
	{
		Code: "as-asked", Title: "the rewrite that was named can be applied to the kernel",
		Help: "apply it with smux rewrite -w and the same flags",
		Text: `
A remark in the findings of smux rewrite -d --variant …: the kernel can be
rewritten as the command line says. No model was asked whether that pays;
without --variant the remark is chosen, and says what is expected.`,
		Example: `smux rewrite -d --variant vtb --format sarif kernel.cu`,
		Fix:     `smux rewrite -w --variant vtb kernel.cu`,
	},
	{
		Code: "unreadable-file", Title: "the system did not let the file be read",
		Help: "see what the message says of the file: who may read it, whether the disk is whole",
		Text: `
The file exists, but reading it failed, most often for lack of permission. It is
left out and the others are looked at all the same; the exit code is 3. On
standard error this is an error of the system, without a code; the findings for
other tools have it under this one.`,
		Example: `chmod 000 kernel.cu && smux analyze --format sarif kernel.cu`,
		Fix:     `chmod u+r kernel.cu`,
	},
}
