package diag

// sliceDocs are the codes of exchanges that are made in rounds.
var sliceDocs = []Doc{
	{
		Code: "slice-type", Title: "no shared array has elements or rows that rounds can be made of",
		Help: "declare the array alone, in the kernel, with elements of 2 to 4 numbers of one type, or use --by window",
		Text: `
slice makes an exchange through a shared array in rounds. By component an element
must be one of CUDA's vectors, such as float2 or double2, or a struct of 2 to 4
numbers of one type, and the array must be declared alone, since its element type
changes. By window the number of rows must be a constant. By array there must be
groups of rows that no access mixes, as far as subscripts are known, or two to
four arrays. The array must be declared in the kernel, and not extern: the bytes
of that are what the launch asks for.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];                               // a component is all of it
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `smux rewrite --variant slice --by window`,
	},
	{
		Code: "slice-access", Title: "a shared array is used in a way that rounds can't follow",
		Help: "write whole elements by = and read them as values; copy what a pointer or an atomic operation is for",
		Text: `
Where slice changes the type or the size of an array, all uses of it must change.
It knows assignments of elements or their components, reads of these, and calls of
functions in view that take the array and do nothing but write it or read it. A
pointer into the array, an atomic operation, an element that is changed by what it
was before, passed by reference or read under a condition inside of an expression,
and a volatile array are left alone.`,
		Example: `
__global__ void k(float2 *a) {
    __shared__ float2 s[64];
    float2 *p = s + threadIdx.x;                          // a pointer to elements
    *p = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float2 *a) { k<<<100, 64>>>(a); }`,
		Fix: `s[threadIdx.x] = a[threadIdx.x];`,
	},
	{
		Code: "no-exchange", Title: "a shared array is not used as an exchange in each place",
		Help: "write the array, then meet a barrier of the thread block, then read it, in one list of statements",
		Text: `
slice makes an exchange in rounds: all threads write a shared array, meet a
barrier, and read it, and what the array holds is not needed any more behind that.
Each use of the array must belong to such a stretch. Sums that are formed in
shared memory, and tiles that are read in a loop of which each turn keeps some
values, are not of this form. An exchange within a warp by __syncwarp is, by
component, where each element is of one warp.`,
		Example: `
__global__ void k(float2 *a) {
    __shared__ float2 s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    float2 v = s[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) s[threadIdx.x] = v;             // the other half stays
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x ^ 1];
}
void run(float2 *a) { k<<<100, 64>>>(a); }`,
		Fix: `s[threadIdx.x] = v;`,
	},
	{
		Code: "crosses-rounds", Title: "a round would compute something from a value that has changed",
		Help: "keep what is needed in a variable of its own, set before the exchange",
		Text: `
Each round of an exchange evaluates the subscripts and conditions anew, and stores
its part of the same values. So these must not change from round to round: not by
what a round reads, and not by statements that stand between the first write and
the last read, which run once, in the last round. smux lets a value wait in a
register where that helps, in loops of a constant number of turns and up to 128
bytes per thread; more, or in a device function, it does not.`,
		Example: `
__global__ void k(float2 *a, int *next) {
    __shared__ float2 s[64];
    int j = threadIdx.x;
    s[j] = a[j];
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
        const float2 v = s[j];
        j = (int)v.x & 63;                                // where the next one is read
    }
    next[threadIdx.x] = j;
}
void run(float2 *a, int *next) { k<<<100, 64>>>(a, next); }`,
		Fix: `const int other = 63 - threadIdx.x;  // before the exchange`,
	},
}
