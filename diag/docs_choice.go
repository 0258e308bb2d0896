package diag

// choiceDocs are the codes of package choose: which rewrite a kernel gets.
var choiceDocs = []Doc{
	{
		Code: "chosen", Title: "the rewrite that the model expects to win was applied",
		Help: "name another with --variant, --sync and --factor if you know better",
		Text: `
A remark, not a refusal. Without --variant smux ranks every legal rewrite of a
kernel for the GPUs of --gpu and applies the one from which it expects most. The
message says what limited the thread blocks per multiprocessor before, how
many original thread blocks run at once after, and the predicted speed-up. It is a
prediction, no measurement: smux analyze shows the whole ranking, and
docs/choice.md what the model leaves out.`,
		Example: `
// smux rewrite -d --gpu gtx480@16 kernel.cu: one thread block at a time has its 12 kB
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
void run(float *a, float *b) { k<<<10000, 64>>>(a, b, 64); }`,
		Fix: `smux rewrite --variant vtb --factor 4 kernel.cu          # another rewrite`,
	},
	{
		Code: "evidence", Title: "how far the rewrite is known to be right",
		Help: "have it run with --verify where it is not proved; smux validate names every condition",
		Text: `
smux rewrite -d says it of each kernel that it would change, after why.
Proved: smux validate, which knows nothing of how the text was made, has proved
that the kernel does the same for all inputs and grids, or for the shape of
blocks that is named; what that assumes follows. Tested: the program and its
rewrite were run, by --verify or when they were measured, with equal outputs.
Not proved: neither, and the first condition that could not be proved follows;
that does not mean that the rewrite is wrong. --certificate writes it all down.`,
		Example: `
// smux rewrite -d --variant vtb kernel.cu: proved for block 64
__global__ void k(const float *in, float *out) {
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a, float *b) { k<<<10000, 64>>>(a, b); }`,
		Fix: `smux rewrite -d --verify kernel.cu          # runs both on the CPU`,
	},
	{
		Code: "expected-loss", Title: "the rewrite that was named is expected to be slower than the original",
		Help: "omit --variant to have smux choose, or measure both with smux tune",
		Text: `
--variant, a pin or .smux.yaml names a rewrite, which is done. The model
expects less of it than of the kernel as it is, on the GPUs that the message
names: 0.80x is 1.25 times the time. The model can be wrong, and only smux tune
measures; but who names a rewrite should know. It is said with -q, too.`,
		Example: `
// smux rewrite -d --variant vtb --gpu t4 kernel.cu: all warps are in use already,
// and merged blocks wait for their turns
#define B 256
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[B];
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        s[threadIdx.x] = in[(blockIdx.x * n + i) * B + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < B; ++j) sum += s[j] * (j ^ threadIdx.x);
        __syncthreads();
    }
    out[blockIdx.x * B + threadIdx.x] = sum;
}
void run(float *a, float *b, int n) { k<<<10000, B>>>(a, b, n); }`,
		Fix: `smux rewrite -d --gpu t4 kernel.cu   # leaves it alone`,
	},
	{
		Code: "no-gain", Title: "no rewrite of the kernel is expected to gain enough",
		Help: "name a rewrite with --variant to have it anyway, or ask for less with --min-gain",
		Text: `
Every legal rewrite of the kernel was ranked for the GPUs of --gpu, and none is
expected to gain the percentage of --min-gain (5 by default) on average without
losing on one of them. That is so for most kernels: more thread blocks help only
where shared memory is what limits them, and where the multiprocessor has time
to spare. The message names the best rewrite and what limits the kernel.`,
		Example: `
// smux rewrite -d --gpu gtx480 kernel.cu: the threads of the SM are all in use
__global__ void k(const float *in, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
void run(float *a, float *b) { k<<<10000, 256>>>(a, b); }`,
		Fix: `smux rewrite -d --variant vtb kernel.cu                  # all the same`,
	},
	{
		Code: "not-ranked", Title: "nothing could be predicted for the kernel, so it was left alone",
		Help: "give --block X,Y,Z or --smem BYTES, whichever is not known, or choose with --variant",
		Text: `
The model needs the size of a thread block, its bytes of shared memory and its
work. One of them is not known, or the kernel can't run on any GPU of --gpu. The
message says which. A rewrite that is named with --variant needs no prediction.`,
		Example: `
// smux rewrite -d --gpu gtx480 kernel.cu
__global__ void k(float *a) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a, int bytes) { k<<<10000, 64, bytes>>>(a); }`,
		Fix: `k<<<10000, 64, 64 * sizeof(float)>>>(a);                 // a constant`,
	},
}
