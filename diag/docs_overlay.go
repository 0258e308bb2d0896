package diag

// overlayDocs are the codes of overlay, which lets shared arrays have the same bytes.
var overlayDocs = []Doc{
	{
		Code: "nothing-to-overlay", Title: "no two shared variables could have the same bytes",
		Help: "nothing is to be done: other rewrites may help the kernel",
		Text: `
overlay makes shared variables of a kernel members of one union. It takes
arrays, scalars and structs that the kernel or its device functions declare, of
known size. Dynamic shared memory stays as it is: its bytes are the launch's.
Nor does it where less than 128 bytes would be saved, the smallest unit in which
SMs give out shared memory.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];                               // the only one
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `Declare what is used one after the other as arrays of their own.`,
	},
	{
		Code: "live-together", Title: "a shared array is written while another's values are needed",
		Help: "read the one array for the last time before the other is written",
		Text: `
Two shared arrays can have the same bytes where neither is written while the
other holds values that may still be read. smux enumerates the elements that
threads read and write. What it can't tell is taken to be read: a loop whose
bounds it does not know may leave elements unwritten, and these then hold what
was there before.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64], r[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    r[threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = r[threadIdx.x ^ 1] + s[threadIdx.x]; // needed beside r
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `float x = s[63 - threadIdx.x], y = s[threadIdx.x];
__syncthreads();
r[threadIdx.x] = x;`,
	},
	{
		Code: "not-ordered", Title: "threads may use two shared arrays at the same time",
		Help: "put a barrier where all threads of the block come between the two uses",
		Text: `
Arrays of the same bytes need a barrier between a use of the one and a use of
the other, unless both are reads: else a thread could write what another has not
read yet. Where the kernel has none, overlay adds one, if all threads of the
block come to that place and none has left the kernel before. A barrier of a
warp is not enough. For fewer than 128 bytes none is added, since it would cost
more than they are worth.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64], r[64];
    if (threadIdx.x < a[0]) {                             // some threads
        s[threadIdx.x] = a[threadIdx.x];
        float x = s[threadIdx.x];
        r[threadIdx.x] = x;
        a[threadIdx.x] = r[threadIdx.x];
    }
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `Leave the condition between the two uses, and meet at a barrier there.`,
	},
	{
		Code: "overlay-form", Title: "a shared variable can't become a member of a union",
		Help: "declare it in the kernel, by type, name and dimensions, of numbers or plain structs",
		Text: `
overlay moves the declaration of a variable into a union, and leaves a reference
in its place. It does not where the variable is declared at namespace scope or
in a function that other kernels reach, between the cases of a switch, or of a
type that may have a constructor; where its name stands in a type or an
assertion; and where shared memory is seen through another type, since whether
such accesses are aligned depends on where the variable lies.`,
		Example: `
struct Sum { float v; __device__ Sum() {} };              // may do something
__global__ void k(float *a) {
    __shared__ Sum s[64];
    __shared__ float r[64];
    s[threadIdx.x].v = a[threadIdx.x];
    __syncthreads();
    float x = s[63 - threadIdx.x].v;
    __syncthreads();
    r[threadIdx.x] = x;
    __syncthreads();
    a[threadIdx.x] = r[threadIdx.x ^ 1];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `struct Sum { float v; };`,
	},
	{
		Code: "bytes-shared", Title: "shared arrays have the same bytes now",
		Help: "keep the order of their uses, and the barriers between them",
		Text: `
A remark on a kernel that overlay has rewritten: which variables have the same
bytes, how many bytes of shared memory a thread block takes less for it, and how
many barriers were added. What one of them holds is gone when another one is
written.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64], r[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    float x = s[63 - threadIdx.x];
    __syncthreads();
    r[threadIdx.x] = x;                                   // s is not read any more
    __syncthreads();
    a[threadIdx.x] = r[threadIdx.x ^ 1];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `Nothing is to be done.`,
	},
}
