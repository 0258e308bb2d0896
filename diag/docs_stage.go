package diag

// stageDocs are the codes of the rewriters that merge no thread blocks, and of
// what could be done with more locks.
var stageDocs = []Doc{
	{
		Code: "nothing-to-stage", Title: "no load of the kernel can be made ahead",
		Help: "write definitions as array[i] = pointer[j], first thing in the stretch that uses the array",
		Text: `
stage-loads makes the global loads that fill shared arrays before the first of the
stores. It takes the run of definitions at the start of each region: assignments
to elements of numbers or vectors, alone, under a condition that is computed from
registers, or in a loop from 0 in constant steps whose trip count is known. What
reads shared memory, stores elsewhere, calls a function or meets a barrier ends
the run.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = 0;                                   // no load
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `s[threadIdx.x] = a[threadIdx.x];`,
	},
	{
		Code: "block-shape", Title: "the launches of the kernel do not have one block shape",
		Help: "launch with constant block sizes, the same everywhere, or omit this rewrite",
		Text: `
With assume-shape the kernel tells the compiler its block's shape, which must then
be that of every launch: another one would be undefined behaviour. So each launch
must name a constant shape, and all of them the same. A shape given with --block
is for launches that smux does not see, and can't be assumed. It is also refused
where the shape would tell nothing, because the kernel asks for no thread id.

With stage, which elements a thread block reads follows from its shape, so that
must be one constant, too.

With demote, words go to dynamic shared memory where nothing bounds the threads
of a block. Only 4-byte words of the kernel itself can: doubles, pointers and
words of device functions need constant shapes or launch bounds.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x ^ 1];
}
void run(float *a) {
    k<<<100, 64>>>(a);
    k<<<100, 128>>>(a);
}`,
		Fix: `template <int THREADS> __global__ void k(float *a);  // and one kernel for each`,
	},
	{
		Code: "shape-assumed", Loose: true, Title: "a launch that is not in view must keep to what those in view do",
		Help: "make the kernel static if no other file launches it, or check that they agree",
		Text: `
A remark, not a refusal. Rewritten kernels check the shape of their blocks, and
the values of macros, constants and template arguments that the proof used. With
demote, words in shared memory also rest on how many bytes of dynamic shared
memory a launch asks for: a launch in a file that was not named must ask for
them, too.`,
		Example: `
__global__ __launch_bounds__(64) void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<1, 64>>>(a); }
// smux rewrite --variant demote --recipe 'spill=shared'`,
		Fix: `static __global__ __launch_bounds__(64) void k(float *a)`,
	},
	{
		Code: "persistent", Loose: true, Title: "a launched block can't run one group of thread blocks after the other",
		Help: "rewrite without --persistent, copy parameters that change into variables, or give all launches blocks of one shape",
		Text: `
With --persistent the launch starts as many blocks as the GPU holds at once, and
what the kernel does stands in a loop over the thread blocks of the grid. Each of
them must find what the first one finds: parameters that the kernel changes, and
static variables, would hold what the thread block before has left. A return goes
on with the next thread block, which it can't from inside of a loop or a switch.
All launches must have blocks of one shape, name the kernel that they start, and
give the bytes of dynamic shared memory as a number, since they ask how many
blocks are resident.`,
		Example: `
__global__ void k(float *a) {                             // rewritten with --persistent
    __shared__ float s[64];
    a += blockIdx.x * 64;                                 // where the next one begins
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `float *mine = a + blockIdx.x * 64;`,
	},
	{
		Code: "separate-locks", Loose: true, Title: "groups of shared arrays are never in use together",
		Help: "split the kernel, or leave it: one lock for all arrays is right, and may wait more",
		Text: `
A remark, not a refusal. The regions of the kernel concern one group of shared
arrays or another, never both. Virtual thread blocks take turns with all of them
at once, since that is one lock; with a lock for each group one of them could be
in a region of the first while another is in one of the second. smux does not emit
that. The groups are those of the regions as they are found for all arrays
together.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64], r[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    float x = s[63 - threadIdx.x];
    r[threadIdx.x] = x * x;
    __syncthreads();
    a[threadIdx.x] = r[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `nothing to do: the rewrite is right as it is`,
	},
}
