package diag

// ladderDocs are the codes of what the ladder found: how a kernel's registers come
// down to the next occupancy step, or why they don't.
var ladderDocs = []Doc{
	{
		Code: "demoted", Title: "the kernel's registers were brought down to the next occupancy step",
		Help: "name the rungs that may be tried with --rungs, or write a --recipe yourself",
		Text: `
A remark, not a refusal. Registers limited how many thread blocks an SM runs at
once. smux tried, one after the other, a cap on the registers, smaller unroll
factors, pins, words in shared memory and the compiler's own spilling to shared
memory, had each compiled, and took the first that reaches the step and keeps the
rules: it spills nothing, or so little that the compiler's own way is cheaper;
accesses to shared memory are at most 1.5 times those to local memory whose place
they take; and the code grows by at most 5 %, the words that the cap spills aside.
The message names the rung and what the compiler says before and after. More
occupancy is no promise of less time: measure it.`,
		Example: `
// smux rewrite -d --variant demote --gpu a100 kernel.cu
__global__ void k(const float *in, float *out, int n) {
    float a = in[threadIdx.x], sum = 0;
    for (int i = 0; i < n; ++i) {
        float x = in[i] * a, y = in[i + n] * a;
        sum += __expf(x) / (1 + y * y) + __sinf(x * y) * __cosf(x - y);
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void run(float *a, float *b, int n) { k<<<1000, 256>>>(a, b, n); }`,
		Fix: `smux rewrite --variant demote --rungs cap,unroll kernel.cu   # less than all`,
	},
	{
		Code: "no-step", Title: "fewer registers would not let more thread blocks run",
		Help: "name the GPU that matters with --gpu; smux occupancy shows what limits the kernel",
		Text: `
demote brings registers down to where one more thread block fits on an SM. On none
of the GPUs of --gpu is there such a step: something else limits the thread blocks
(all threads of the SM are in use, shared memory, or the number of thread blocks),
alone or as much as registers do; or a stress test has shown that more of them
gain nothing. The kernel is left alone.`,
		Example: `
// smux rewrite -d --variant demote --gpu a100 kernel.cu: the SM is full
__global__ void k(const float *in, float *out) {
    out[blockIdx.x * 256 + threadIdx.x] = 2 * in[blockIdx.x * 256 + threadIdx.x];
}
void run(float *a, float *b) { k<<<1000, 256>>>(a, b); }`,
		Fix: `smux occupancy --gpu a100 kernel.cu                     # what limits it`,
	},
	{
		Code: "not-demoted", Title: "no way of bringing the kernel's registers down keeps the rules",
		Help: "allow more with the thresholds of --variant demote, or leave the kernel as it is",
		Text: `
Registers limit the thread blocks and there is a step to bring them down to, but
each rung that was tried fails: a cap makes the compiler spill too much, unrolling
less or pins do not help enough, words in shared memory are accessed too often or
make the code too long, or another GPU of --gpu would run fewer thread blocks. The
message says of each rung what it lacks and by how much; the kernel is left alone.`,
		Example: `
// smux rewrite -d --variant demote --gpu a100 --block 256 kernel.cu: the launch is
// out of view, so that nobody knows how large a block may be (before CUDA 12.4)
__global__ void k(const float *in, float *out) {
    float x[64];
    for (int i = 0; i < 64; ++i) x[i] = in[i * 256 + threadIdx.x];
    for (int i = 0; i < 64; ++i) out[i * 256 + threadIdx.x] = x[i] * x[(i * 7) % 64];
}`,
		Fix: `__global__ void __launch_bounds__(256) k(const float *in, float *out)`,
	},
	{
		Code: "no-nvcc", Title: "nothing can be tried without a compiler",
		Help: "install the CUDA toolkit, or put nvcc on PATH; no GPU is needed",
		Text: `
What brings registers down is known only when the kernel was compiled: a cap may
spill or not, a word in shared memory may save three registers or none. Without
nvcc smux estimates the registers, says what it would try and in which order, and
changes nothing. A recipe that is given with --recipe needs no compiler.`,
		Example: `
// smux rewrite -d --variant demote --gpu a100 kernel.cu, where there is no nvcc
__global__ void k(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[i * 256 + threadIdx.x];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void run(float *a, float *b, int n) { k<<<1000, 256>>>(a, b, n); }`,
		Fix: `smux rewrite --variant demote --recipe 'bounds=256,5' kernel.cu`,
	},
}
