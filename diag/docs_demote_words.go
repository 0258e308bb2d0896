package diag

// wordsDocs are the codes of words that move to shared memory.
var wordsDocs = []Doc{
	{
		Code: "word-type", Title: "the variable's type is not one that can move to shared memory",
		Help: "leave the variable in registers, or write its type out",
		Text: `
A variable moves word by word: numbers of four and eight bytes, pointers, CUDA's
vectors of them by component, and small arrays by element. Shorter numbers,
classes, references and matrix fragments don't move, nor does what has a type that
the compiler deduces. A constant has no register to save.`,
		Example: `
__global__ void k(float *a) {
    short n = a[threadIdx.x];
    for (int i = 0; i < n; ++i) a[i * 64 + threadIdx.x] += n;
}
void run(float *a) { k<<<100, 64>>>(a); }
// smux rewrite --variant demote --recipe 'demote=n'`,
		Fix: `    int n = a[threadIdx.x];`,
	},
	{
		Code: "word-use", Title: "a use of the variable needs a plain variable",
		Help: "leave the variable in registers, or use a copy of it at that place",
		Text: `
The variable's name becomes that of a volatile word in shared memory, or of an
object that reads and writes one. That means the same where a number is read or
assigned. It does not where the variable's address is taken, where a reference is
bound to it (std::max takes its arguments so), in a lambda, in decltype, as an
operand of inline assembly, and where the function that it is passed to is not in
view. A vector is used as a whole only where it is converted to its own type.`,
		Example: `
__device__ void add(float &sum, float v) { sum += v; }
__global__ void k(float *a) {
    float sum = 0;
    for (int i = 0; i < 8; ++i) add(sum, a[i * 64 + threadIdx.x]);
    a[threadIdx.x] = sum;
}
void run(float *a) { k<<<100, 64>>>(a); }
// smux rewrite --variant demote --recipe 'demote=sum'`,
		Fix: `
__device__ float added(float sum, float v) { return sum + v; }
    for (int i = 0; i < 8; ++i) sum = added(sum, a[i * 64 + threadIdx.x]);`,
	},
	{
		Code: "word-place", Title: "the variable's declaration can't become that of a word",
		Help: "declare the variable in a statement of its own",
		Text: `
The declaration of a variable that moves becomes two statements: one that says
which word it is, and one that assigns what it was initialised with. There is no
place for that in the head of a for statement or in a condition, none between the
cases of a switch and none that smux could edit in a macro. A goto could jump over
the first of them.`,
		Example: `
__global__ void k(float *a, int n) {
    for (int i = 0; i < n; ++i) a[i * 64 + threadIdx.x] *= 2;
}
void run(float *a) { k<<<100, 64>>>(a, 8); }
// smux rewrite --variant demote --recipe 'demote=i'`,
		Fix: `
    int i;
    for (i = 0; i < n; ++i) a[i * 64 + threadIdx.x] *= 2;`,
	},
	{
		Code: "word-index", Title: "an array's subscripts are not known to the compiler",
		Help: "leave the array where it is, or unroll the loop that computes the subscript",
		Text: `
The elements of a small array are in registers where all subscripts are constants,
or counters of loops between constants, which the compiler unrolls. An array with
any other subscript is in local memory: it takes no registers that could be saved.`,
		Example: `
__global__ void k(float *a, int n) {
    float tap[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; ++i) a[i * 64 + threadIdx.x] *= tap[i % 4];
}
void run(float *a) { k<<<100, 64>>>(a, 8); }
// smux rewrite --variant demote --recipe 'demote=tap'`,
		Fix: `
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; ++j) a[(i + j) * 64 + threadIdx.x] *= tap[j];`,
	},
	{
		Code: "word-function", Title: "other kernels would pay for words of this device function",
		Help: "name variables of the kernel itself, or give it a function of its own",
		Text: `
Words of a device function lie in shared memory that the function declares. Every
kernel that calls it has them in its blocks, and no block may be larger than their
number. So the function must be in the kernel's file, be called by this kernel
alone, and not call itself. Templates and members of classes are left alone: who
calls them is not always seen.`,
		Example: `
__device__ float total(const float *a, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i * 64];
    return sum;
}
__global__ void k(float *a) { a[threadIdx.x] = total(a + threadIdx.x, 8); }
__global__ void other(float *a) { a[threadIdx.x] = -total(a + threadIdx.x, 4); }
void run(float *a) { k<<<100, 64>>>(a); other<<<100, 512>>>(a); }
// smux rewrite --variant demote --recipe 'demote=sum' --kernel k`,
		Fix: `__device__ float totalOfK(const float *a, int n) { … }  // called by k alone`,
	},
	{
		Code: "word-form", Title: "a use of the variable would not convert from a class",
		Help: "use the default form, volatile, in which the variable stays an lvalue of its type",
		Text: `
In the form asm a variable is an object of a class that converts to its type and
is assigned as one. Where the type is deduced that class would be seen instead:
by auto, by templates, by the other branch of ?:, by printf.`,
		Example: `
__global__ void k(float *a) {
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += a[i * 64 + threadIdx.x];
    a[threadIdx.x] = sum > 0 ? sum : 0;
}
void run(float *a) { k<<<100, 64>>>(a); }
// smux rewrite --variant demote --recipe 'demote=sum form=asm'`,
		Fix: `// smux rewrite --variant demote --recipe 'demote=sum'`,
	},
}
