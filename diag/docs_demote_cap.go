package diag

// capDocs are the codes of caps, unroll factors and pins.
var capDocs = []Doc{
	{
		Code: "launch-bounds", Title: "a cap on registers can't be set, or not as the recipe says",
		Help: "give every launch a constant block size of no more threads than the recipe's",
		Text: `
__launch_bounds__(T, B) makes launches with more than T threads fail, so it is
set only where no launch has more: the kernel's own launch bounds say so, or all
launches are in view with a block size that is a constant. __maxnreg__ can't
stand beside launch bounds, and needs CUDA 12.4. A forward declaration or an
explicit instantiation with a cap of its own may count in place of the
definition's. As a note: the kernel's own number of threads is smaller than the
recipe's and stays, or what a launch in another file must keep.

Merged blocks of more than 256 threads get launch bounds, so that an SM has the
registers for them; __maxnreg__ may allow too many for that. As a note: a launch
whose block size is not known, of a kernel that its arguments choose, can't ask it
for its registers, and merges no more than 256 threads.`,
		Example: `
static __global__ void k(float *a) { a[threadIdx.x] *= 2; }
void run(float *a, int n) { k<<<1, n>>>(a); }
// smux rewrite --variant demote --recipe 'bounds=128,8'`,
		Fix: `k<<<n / 128, 128>>>(a);`,
	},
	{
		Code: "unroll", Title: "the unroll factor of a loop can't be chosen",
		Help: "leave the loop out of the recipe, or write its #pragma unroll right before it",
		Text: `
The loop is written in a macro, or in a function that other kernels or the host
use too and that is left alone for their sake; or the #pragma that is there
already stands under an #if, goes on in a second line, or has something between
itself and the loop.`,
		Example: `
__device__ float sum(const float *a) {
    float s = 0;
    for (int i = 0; i < 8; i++) s += a[i];
    return s;
}
static __global__ void k(float *a) { a[threadIdx.x] = sum(a); }
__global__ void other(float *a) { a[threadIdx.x] = sum(a + 8); }
void run(float *a) { k<<<1, 64>>>(a); }
// smux rewrite --variant demote --kernel k --recipe 'unroll=4:1'`,
		Fix: `#pragma unroll 1
    for (int i = 0; i < 8; i++) s += a[i];`,
	},
	{
		Code: "pin", Title: "a variable can't be pinned",
		Help: "leave the variable out of the recipe",
		Text: `
A pin is an empty asm with the variable as an operand that it may change. That
takes an integer of 32 or 64 bits or a pointer in a register of its own: no
reference, no variable whose address is taken, no constant that the compiler
needs to know, no pointer to shared memory or to an array of the thread's own
(the compiler would no longer know what it points to); and a place where the
variable has a value for certain. long is left out, since its size depends on
the host. Functions that other kernels use too are left alone.`,
		Example: `
static __global__ void k(float *a) {
    __shared__ float s[64];
    float *p = s + threadIdx.x;
    *p = a[threadIdx.x];
    a[threadIdx.x] = *p * 2;
}
void run(float *a) { k<<<1, 64>>>(a); }
// smux rewrite --variant demote --recipe 'pin=p'`,
		Fix: `// smux rewrite --variant demote --recipe 'bounds=64,16'`,
	},
	{
		Code: "shared-spill", Title: "the compiler may not spill to shared memory in this kernel",
		Help: "omit spill=shared, or give the kernel launch bounds and no dynamic shared memory",
		Text: `
CUDA 13 can spill registers to shared memory (PTX ISA 9.0, .pragma
"enable_smem_spilling"). That needs launch bounds, without which it would count
on the largest block; no dynamic shared memory, neither the kernel's nor a
launch's; and that the compiler sees all that is called: no recursion, no calls
through pointers or of functions in other files, no launch from the device. -rdc
and -G exclude it, too.`,
		Example: `
static __global__ void k(float *a) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[threadIdx.x] * 2;
}
void run(float *a) { k<<<1, 64, 256>>>(a); }
// smux rewrite --variant demote --recipe 'bounds=64,16 spill=shared'`,
		Fix: `    __shared__ float s[64];`,
	},
}
