package diag

// stagingDocs are the codes of arrays of global memory that are staged in shared memory.
var stagingDocs = []Doc{
	{
		Code: "no-reuse", Title: "threads of a block read nothing of global memory again in a form that can be staged",
		Help: "subscript a parameter by sums of threadIdx, counters of loops, and values that are the same for the block",
		Text: `
stage copies to shared memory what the threads of a thread block read again and
again: rows and columns of a matrix product, neighbours in a stencil, the bodies
that all threads go through. The array must be a parameter of the kernel, and
its subscript a sum of threadIdx, counters of for loops that count up by one,
and values that are the same for the block, each times what is the same for the
block. A subscript with / or %, a loop whose bounds differ from thread to
thread, a pointer that moves, and loads in device functions are left as they
are. An array whose elements are read once each is staged only where --array
asks for it, or where neighbours read it far apart.

A table is an array at namespace scope, or behind a parameter, that threads read
at places which data decides. One that a thread block reads less than twice as
often as it has elements is staged only where --array or --scheme table asks for
it. Reads that are the same for all threads are left to the constant cache.`,
		Example: `
__global__ void k(const float *__restrict__ a, float *__restrict__ b) {
    b[threadIdx.x] = 2 * a[threadIdx.x];                  // each element is read once
}
void run(float *a, float *b) { k<<<1, 64>>>(a, b); }`,
		Fix: `smux rewrite --variant stage --array a`,
	},
	{
		Code: "stage-written", Title: "an array may be written while the kernel runs",
		Help: "declare the parameter const and __restrict__, if nothing else that the kernel writes is the same memory",
		Text: `
What is staged is read once, at another time than the original reads it. So
nobody may write the array while the kernel runs. smux takes const __restrict__
for a promise of that, or __restrict__ of every pointer that the kernel writes
through. Without, each thread must have read all that it reads of the array
before it stores anything. Arrays that a kernel changes in place, as in LU
decomposition, can't be staged.`,
		Example: `
__global__ void k(const float *a, float *b, int n) {
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i];                                  // b may be the same memory
        b[j * 64 + threadIdx.x] = sum;
    }
}
void run(float *a, float *b) { k<<<1, 64>>>(a, b, 100); }`,
		Fix: `__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n)`,
	},
	{
		Code: "stage-guard", Title: "which elements the threads of a block read can't be told",
		Help: "compare thread numbers, counters and extents in conditions of their own, all as int",
		Text: `
An element is copied only if a thread reads it, or if it lies between elements
that are read: beyond them the array may end. So each condition around a load
must be a comparison of sums of thread numbers, counters and values that stay
the same, and speak of one dimension at a time where neighbours read the same
element. All loads of one pattern must stand under the same conditions, and
threads beside the thread block are computed with as int, since their numbers
may be negative.

A table is copied as a whole, so all of its elements must exist: it is declared
once with its extent. How many elements lie behind a pointer differs from launch
to launch, and a mask in the subscript says what is read at most, not what there
is. Where no mask, type, remainder or condition shows that a subscript stays
inside, the read asks; a subscript with effects can't be asked twice.

A store can be made by another thread only if its subscript and the conditions
around it can be computed for that thread: sums of thread numbers, counters, and
values that are the same for the block.`,
		Example: `
__global__ void k(const float *__restrict__ a, const int *mask, float *b) {
    const int i = threadIdx.x;
    if (mask[i])                                          // known when the kernel runs
        b[i] = a[i] + a[i + 1] + a[i + 2];
}
void run(float *a, int *mask, float *b) { k<<<1, 64>>>(a, mask, b); }`,
		Fix: `b[i] = mask[i] ? sum : b[i]; with the loads in front of it`,
	},
	{
		Code: "stage-place", Title: "the threads of a block can't meet where an array would be copied",
		Help: "end threads without work by if (…) return; in the kernel's own list of statements, and let all threads run the loop alike",
		Text: `
All threads of a block copy together and then meet at a barrier. Where a
condition or an early return keeps threads away, smux makes a variable of it:
these threads come along and do nothing but copy. That can be done for if (…)
return; in the kernel's own list of statements, and for an if without else
around the loop. Other jumps, a loop that threads run differently often, a
barrier under the condition and two arrays that would have to be copied at
different places are in the way. A store that other threads are to make must be
the last statement under its conditions.

With --scheme resize it is a loop that stages by hand: its body must fill shared
arrays, meet at a barrier, use them, and meet again, and do nothing else. To fill
them must not depend on what an iteration changes, or on memory that the kernel
writes.`,
		Example: `
__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {
    float sum = 0;
    if (threadIdx.x < 10) {
        for (int i = 0; i < n; i++)
            sum += a[i];
    } else {                                              // a condition with two sides
        sum = 1;
    }
    b[threadIdx.x] = sum;
}
void run(float *a, float *b) { k<<<1, 64>>>(a, b, 100); }`,
		Fix: `float sum = 1; if (threadIdx.x < 10) { sum = 0; for (…) … }`,
	},
	{
		Code: "stage-vector", Title: "elements can't be copied several at a time",
		Help: "make the lengths of rows multiples, or omit --vector",
		Text: `
With --vector 4 a thread copies four elements of a row by one load, which must
lie at a multiple of four elements. That the array begins there the kernel
checks when it runs. Where a row of the tile begins, and how far rows lie apart,
must be a multiple whatever the values of the variables are, as in 4 * n or where
the length is a constant. All
four are read, or none: a condition that may hold for some of them is in the
way, but for the end of the loop, where what is left goes element by element.
An array of which that is not known is copied element by element; where there
is no other, nothing is staged.`,
		Example: `
__global__ void k(const float *__restrict__ a, float *__restrict__ b, int first) {
    float sum = 0;
    for (int i = 0; i < 100; i++)
        sum += a[first + i];                              // first may be any number
    b[threadIdx.x] = sum;
}
void run(int first) {
    float *a, *b;
    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&b, 1 << 10);
    k<<<1, 64>>>(a, b, first);
}`,
		Fix: `sum += a[4 * first + i];`,
	},
	{
		Code: "staged", Title: "arrays are staged in shared memory",
		Help: "compare the time: where the L1 cache serves the loads already, staging gains nothing",
		Text: `
The remark names the arrays that a thread block copies to shared memory, how
often each element is used on average, and how many bytes of shared memory a
thread block takes for that. A smaller --tile takes less, and meets at more
barriers.`,
		Example: `
__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];                                      // all threads read it
    b[threadIdx.x] = sum;
}
void run(float *a, float *b) { k<<<1, 64>>>(a, b, 100); }`,
		Fix: `smux rewrite --variant stage --tile 16`,
	},
}
