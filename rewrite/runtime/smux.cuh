// smux:limit-begin
#ifndef SMUX_LIMIT
#define SMUX_LIMIT
namespace smux {
// The most threads that a block can have: a number, or what the kernel's registers and launch bounds
// allow. The answer for a kernel is kept: launches ask often, and all calls for one must agree.
struct thread_limit {
    size_t threads;
    thread_limit(size_t n) : threads(n) {}
    template <class... P> thread_limit(void (*kernel)(P...)) {
        static thread_local void (*asked)(P...);
        static thread_local int on;
        static thread_local size_t answer;
        int device = 0;
        cudaGetDevice(&device);
        if (asked != kernel || on != device) {
            cudaFuncAttributes a;
            bool known = cudaFuncGetAttributes(&a, (const void *)kernel) == cudaSuccess;
            answer = known ? size_t(a.maxThreadsPerBlock) : 0;
            asked = kernel;
            on = device;
        }
        threads = answer;
    }
};
}  // namespace smux
#endif  // SMUX_LIMIT
// smux:limit-end
// smux:reshape-begin
#ifndef SMUX_RESHAPE
#define SMUX_RESHAPE
namespace smux {
// A launch in blocks of X by Y by Z threads, where 0 leaves an extent as it is. It has the threads of the
// original one, with the same numbers: where the new blocks would have others, where their numbers could
// exceed an int, and where a GPU takes only one of the two, the launch stays as it is.
struct shaped {
    dim3 grid, block;
};
inline bool starts(size_t most, dim3 g, dim3 b) {
    return g.x - 1 < 0x7fffff && g.y - 1 < 0xffff && g.z - 1 < 0xffff && b.x - 1 < 1024 && b.y - 1 < 1024 &&
           b.z - 1 < 64 && b.x * b.y * b.z <= most && b.x * b.y * b.z <= 1024;
}
template <unsigned X, unsigned Y = 0, unsigned Z = 0> shaped reshape(thread_limit most, dim3 g, dim3 b) {
    const shaped as_it_is = {g, b};
    if (!starts(most.threads, g, b)) return as_it_is;
    const size_t x = size_t(g.x) * b.x, y = size_t(g.y) * b.y, z = size_t(g.z) * b.z;
    const dim3 to(X ? X : b.x, Y ? Y : b.y, Z ? Z : b.z);
    const shaped other = {dim3(unsigned(x / to.x), unsigned(y / to.y), unsigned(z / to.z)), to};
    const bool same = x % to.x == 0 && y % to.y == 0 && z % to.z == 0 && x < 0x80000000 && y < 0x80000000 && z < 0x80000000;
    return same && starts(most.threads, other.grid, to) ? other : as_it_is;
}
}  // namespace smux
#endif  // SMUX_RESHAPE
// smux:reshape-end
// smux:base-begin
#ifndef SMUX_CUH
#define SMUX_CUH
// smux runtime: N thread blocks of the original launch (virtual thread blocks, v-TBs) run in one
// launched block, stacked along z, and take turns with a single set of shared arrays.
#include <cstdio>
#include <cstdlib>

namespace smux {

// Host side: what a merged launch says.
struct launch {
    dim3 grid, block;  // of the launch
    dim3 whole;        // the grid of the original launch
    unsigned blocks;   // how many blocks that has in the dimension in which they are merged
    size_t bytes;      // of dynamic shared memory, where it holds several sets
    unsigned set;      // and those of one set
};
// grid<N, A> merges neighbours along dimension A of the grid; block<N, X, Y, Z> checks that blocks
// have the shape that the kernel was rewritten for. A grid that no GPU takes stays one.
inline dim3 dim(dim3 d) { return d; }
template <char A> unsigned &along(dim3 &g) { return A == 'x' ? g.x : A == 'y' ? g.y : g.z; }
template <char A> bool taken(dim3 g) { return along<A>(g) <= (A == 'x' ? 0x7fffffff : 0xffff); }
template <int N, char A = 'x'> dim3 grid(dim3 g) {
    if (taken<A>(g)) along<A>(g) = (along<A>(g) + N - 1) / N;
    return g;
}
template <int N, unsigned X, unsigned Y = 1, unsigned Z = 1> dim3 block(dim3 b) {
    if (b.x != X || b.y != Y || b.z != Z) {
        fprintf(stderr, "smux: %d blocks of %ux%ux%u threads can't be merged\n", N, b.x, b.y, b.z);
        abort();
    }
    return dim3(b.x, b.y, b.z * N);
}
template <int N, unsigned X, unsigned Y = 1, unsigned Z = 1, char A = 'x'> launch merge(dim3 g, dim3 b) {
    launch l = {grid<N, A>(g), block<N, X, Y, Z>(b), g, along<A>(g), 0, 0};
    return l;
}
// smux:try-begin

// Launches whose blocks are not all of one shape: where N blocks, each of a multiple of W threads,
// fit into one they are merged, and left as they are where not. bytes is the dynamic shared memory
// that each of N sets takes, beside S bytes of static shared memory.
template <int N, int W, char A, int S> bool fits(thread_limit most, dim3 g, dim3 b, size_t bytes) {
    size_t blocks = along<A>(g), threads = size_t(b.x) * b.y * b.z;
    return blocks > 1 && taken<A>(g) && threads % W == 0 && threads * N <= 1024 && threads * N <= most.threads &&
           b.z <= 64 / N && bytes <= 48 * 1024 && (bytes + 15) / 16 * 16 * N + S <= 48 * 1024;
}
template <int N, int W = 1, char A = 'x', int S = 0>
launch try_merge(thread_limit most, dim3 g, dim3 b, size_t bytes = 0) {
    const bool fit = fits<N, W, A, S>(most, g, b, bytes);
    const size_t set = (bytes + 15) / 16 * 16;
    launch l = {fit ? grid<N, A>(g) : g, fit ? dim3(b.x, b.y, b.z * N) : b, g, along<A>(g),
                fit ? set * N : bytes, unsigned(set)};
    return l;
}
// The same where blocks of some shapes alone may be merged.
template <int N, int W = 1, char A = 'x', int S = 0, int M>
launch try_merge(thread_limit most, dim3 g, dim3 b, size_t bytes, const dim3 (&shapes)[M]) {
    for (int i = 0; i < M; ++i)
        if (b.x == shapes[i].x && b.y == shapes[i].y && b.z == shapes[i].z) return try_merge<N, W, A, S>(most, g, b, bytes);
    return try_merge<N, W, A, S>(0, g, b, bytes);
}
// smux:try-end
// smux:sets-begin

// A launch with N sets of dynamic shared memory, and on the device the i-th of them. sets<N, S> checks
// that they fit into a block beside S bytes of static shared memory.
template <int N, int S = 0> launch sets(launch l, size_t bytes) {
    const size_t set = (bytes + 15) / 16 * 16;
    if (bytes > 48 * 1024 || set * N + S > 48 * 1024) {
        fprintf(stderr, "smux: a block can't have %d times %llu bytes of shared memory\n", N,
                (unsigned long long)bytes);
        abort();
    }
    l.bytes = set * N;
    l.set = unsigned(set);
    return l;
}
template <class T> __device__ __forceinline__ T *set(T *first, unsigned i, unsigned bytes) {
    static_assert(alignof(T) <= 16, "a set begins at a multiple of 16 bytes");
    return (T *)((const volatile char *)first + i * bytes);
}
// smux:sets-end
// smux:calls-begin

// Launches by calls of the runtime. arguments<I, N> is an array of the addresses of N arguments with
// that of one more, of type T, in front of the I-th.
template <int I, int N, class T> struct argument_list {
    T more;
    void *all[N + 1];
    argument_list(void **args, T m) : more(m) {
        for (int i = 0; i < N; ++i) all[i < I ? i : i + 1] = args[i];
    }
    operator void **() {
        all[I] = &more;
        return all;
    }
};
template <int I, int N, class T> argument_list<I, N, T> arguments(void **args, T more) {
    return argument_list<I, N, T>(args, more);
}
// A cudaLaunchConfig_t with the grid, the block and the sets of dynamic shared memory of a merged launch.
template <class C> struct merged_config {
    C config;
    operator const C *() const { return &config; }
};
template <class C> merged_config<C> configured(C config, launch l) {
    config.gridDim = l.grid;
    config.blockDim = l.block;
    if (l.bytes) config.dynamicSmemBytes = l.bytes;
    merged_config<C> m = {config};
    return m;
}
// smux:calls-end

// Device side: which v-TB a thread belongs to and what the built-ins of the original launch were.
// X, Y, Z is blockDim where the source fixes it: counts of threads are constants then. Where it does
// not (X is 0), a launch that is not merged has a v-TB in each block. A is the dimension of the grid
// in which v-TBs are neighbours.
template <int N, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'> struct vtb {
    dim3 dim;        // blockDim
    dim3 grid;       // gridDim
    unsigned id;     // number of the v-TB in this block, 0 ... N-1
    unsigned count;  // v-TBs in this block: N, or fewer at the end of the grid
    bool active;     // false: the grid has no block left for this v-TB
    uint3 block;     // blockIdx
    uint3 thread;    // threadIdx

    // blocks: how many blocks the original grid has along A.
    __device__ __forceinline__ explicit vtb(unsigned blocks)
        : dim(X ? dim3(X, Y, Z) : dim3(blockDim.x, blockDim.y, blockDim.z / most(blocks))),
          grid(A == 'x' ? blocks : gridDim.x, A == 'y' ? blocks : gridDim.y, A == 'z' ? blocks : gridDim.z),
          id(dim.z == 1 ? threadIdx.z : threadIdx.z / dim.z),
          count(left(blocks) < most(blocks) ? left(blocks) : most(blocks)), active(id < count),
          block(make_uint3(A == 'x' ? blocks - left(blocks) + id : blockIdx.x,
                           A == 'y' ? blocks - left(blocks) + id : blockIdx.y,
                           A == 'z' ? blocks - left(blocks) + id : blockIdx.z)),
          thread(make_uint3(threadIdx.x, threadIdx.y, threadIdx.z - id * dim.z)) {}
    __device__ __forceinline__ unsigned size() const { return dim.x * dim.y * dim.z; }
    __device__ __forceinline__ unsigned thread_rank() const {
        return (thread.z * dim.y + thread.y) * dim.x + thread.x;
    }

    // Whether the launch was merged: a merged grid is shorter.
    __device__ __forceinline__ bool merged() const {
        return most(A == 'x' ? grid.x : A == 'y' ? grid.y : grid.z) > 1;
    }

private:
    // v-TBs that a block has room for, and blocks of the original grid from its first one on.
    static __device__ __forceinline__ unsigned most(unsigned blocks) {
        return X || (A == 'x' ? gridDim.x : A == 'y' ? gridDim.y : gridDim.z) != blocks ? N : 1;
    }
    static __device__ __forceinline__ unsigned left(unsigned blocks) {
        return blocks - most(blocks) * (A == 'x' ? blockIdx.x : A == 'y' ? blockIdx.y : blockIdx.z);
    }
};
// smux:own-begin

// One of the barriers First ... First+Count-1. The number must be a constant: a barrier number in
// a register makes the compiler reserve all sixteen.
template <int First, int Count> struct barriers {
    static __device__ __forceinline__ void sync(unsigned i, unsigned threads) {
        if (i == 0) barriers<First, 1>::sync(0, threads);
        else barriers<First + 1, Count - 1>::sync(i - 1, threads);
    }
    static __device__ __forceinline__ void arrive(unsigned i, unsigned threads) {
        if (i == 0) barriers<First, 1>::arrive(0, threads);
        else barriers<First + 1, Count - 1>::arrive(i - 1, threads);
    }
    static __device__ __forceinline__ int popc(unsigned i, unsigned threads, int p) {
        return i == 0 ? barriers<First, 1>::popc(0, threads, p)
                      : barriers<First + 1, Count - 1>::popc(i - 1, threads, p);
    }
};
template <int First> struct barriers<First, 1> {
    static __device__ __forceinline__ void sync(unsigned, unsigned threads) {
        asm volatile("bar.sync %0, %1;" ::"n"(First), "r"(threads) : "memory");
    }
    static __device__ __forceinline__ void arrive(unsigned, unsigned threads) {
        asm volatile("bar.arrive %0, %1;" ::"n"(First), "r"(threads) : "memory");
    }
    static __device__ __forceinline__ int popc(unsigned, unsigned threads, int p) {
        int r;
        asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; bar.red.popc.u32 %0, %2, %3, q; }"
                     : "=r"(r) : "r"(p), "n"(First), "r"(threads) : "memory");
        return r;
    }
};

// v-TBs with barriers 1 ... Own: one for each, or a single one for all if no two of them can be
// at it at once.
template <int Own, int N, unsigned X, unsigned Y, unsigned Z, char A>
struct vtb_own : vtb<N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_own(unsigned blocks) : vtb<N, X, Y, Z, A>(blocks) {}
    // __syncthreads and its kin for the threads of this v-TB alone.
    __device__ __forceinline__ void sync() const {
        if (this->merged()) own::sync(number(), this->size());
        else __syncthreads();
    }
    __device__ __forceinline__ int sync_count(int p) const {
        return this->merged() ? own::popc(number(), this->size(), p) : __syncthreads_count(p);
    }
    __device__ __forceinline__ int sync_and(int p) const { return sync_count(!p) == 0; }
    __device__ __forceinline__ int sync_or(int p) const { return sync_count(p) != 0; }

private:
    typedef barriers<1, Own> own;
    __device__ __forceinline__ unsigned number() const { return Own == 1 ? 0 : this->id; }
};
// smux:own-end
// smux:apart-begin

// v-TBs with a barrier each and nothing in common.
template <int N, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'>
struct vtb_apart : vtb_own<N, N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_apart(unsigned blocks)
        : vtb_own<N, N, X, Y, Z, A>(blocks) {}
};
// smux:apart-end
// smux:named-begin

// Turns go round in a ring of hand-over barriers (Own+1 ... Own+N): for each region, v-TB k waits
// at barrier Own+1+k, at which its predecessor arrives on leaving.
template <int Own, int N, unsigned X, unsigned Y, unsigned Z, char A>
struct vtb_ring : vtb_own<Own, N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_ring(unsigned blocks)
        : vtb_own<Own, N, X, Y, Z, A>(blocks) {}
    // start gives the first turn to v-TB 0, finish takes back the last hand-over; all threads pass
    // both exactly once, before the first and after the last region.
    __device__ __forceinline__ void start() const {
        if (this->count > 1 && this->id == this->count - 1) hand_over(0);
    }
    // The threads of this v-TB wait for each other, too.
    __device__ __forceinline__ void acquire() const {
        unsigned threads = this->size();
        if (this->merged()) barriers<Own + 1, N>::sync(this->id, this->count > 1 ? 2 * threads : threads);
        else __syncthreads();
    }
    __device__ __forceinline__ void release() const {
        if (this->count > 1) hand_over(this->id + 1 < this->count ? this->id + 1 : 0);
    }
    __device__ __forceinline__ void finish() const {
        if (this->count > 1 && this->id == 0) barriers<Own + 1, 1>::sync(0, 2 * this->size());
    }

private:
    __device__ __forceinline__ void hand_over(unsigned next) const {
        barriers<Own + 1, N>::arrive(next, 2 * this->size());
    }
};

// All barriers are inside regions, where one v-TB is at a time, so that they share a number.
template <int N, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'>
struct vtb_named : vtb_ring<1, N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_named(unsigned blocks)
        : vtb_ring<1, N, X, Y, Z, A>(blocks) {}
};

// Barriers are outside of regions as well.
template <int N, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'>
struct vtb_named_own : vtb_ring<N, N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_named_own(unsigned blocks)
        : vtb_ring<N, N, X, Y, Z, A>(blocks) {}
};
// smux:named-end
// smux:numbered-begin

// Turns in the same ring, by barriers whose number is in a register: there are no branches on the
// v-TB, but the compiler reserves all sixteen barriers. Own is 1 where all barriers are inside
// regions, else N: each v-TB has one of its own.
template <int Own, int N, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'>
struct vtb_numbered : vtb<N, X, Y, Z, A> {
    __device__ __forceinline__ explicit vtb_numbered(unsigned blocks)
        : vtb<N, X, Y, Z, A>(blocks) {}
    __device__ __forceinline__ void sync() const {
        if (!this->merged()) __syncthreads();
        else if (Own == 1) asm volatile("bar.sync 1, %0;" ::"r"(this->size()) : "memory");
        else wait(1 + this->id, this->size());
    }
    __device__ __forceinline__ int sync_count(int p) const {
        if (!this->merged()) return __syncthreads_count(p);
        int r;
        asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; bar.red.popc.u32 %0, %2, %3, q; }"
                     : "=r"(r) : "r"(p), "r"(Own == 1 ? 1 : 1 + this->id), "r"(this->size()) : "memory");
        return r;
    }
    __device__ __forceinline__ int sync_and(int p) const { return sync_count(!p) == 0; }
    __device__ __forceinline__ int sync_or(int p) const { return sync_count(p) != 0; }
    __device__ __forceinline__ void start() const {
        if (this->count > 1 && this->id + 1 == this->count) give(0);
    }
    __device__ __forceinline__ void acquire() const {
        unsigned all = this->count > 1 ? 2 * this->size() : this->size();
        if (this->merged()) wait(Own + 1 + this->id, all);
        else __syncthreads();
    }
    __device__ __forceinline__ void release() const {
        if (this->count > 1) give(this->id + 1 == this->count ? 0 : this->id + 1);
    }
    __device__ __forceinline__ void finish() const {
        if (this->count > 1 && this->id == 0) wait(Own + 1, 2 * this->size());
    }

private:
    static __device__ __forceinline__ void wait(unsigned number, unsigned threads) {
        asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
    }
    __device__ __forceinline__ void give(unsigned next) const {
        asm volatile("bar.arrive %0, %1;" ::"r"(Own + 1 + next), "r"(2 * this->size()) : "memory");
    }
};
// smux:numbered-end
// smux:lock-begin

// Each region takes one of M sets of shared arrays, its slot, in no order. The leader of a v-TB
// asks for it; the v-TB's own barrier follows that, and comes before the slot is given back.
template <int N, int M = 1, unsigned X = 0, unsigned Y = 1, unsigned Z = 1, char A = 'x'>
struct vtb_lock : vtb_own<N, N, X, Y, Z, A> {
    static_assert(M >= 1 && M <= N && N <= 15, "a block has barriers for 15 v-TBs");
    // All threads of the block must come by: the slots are free from here on.
    __device__ __forceinline__ explicit vtb_lock(unsigned blocks)
        : vtb_own<N, N, X, Y, Z, A>(blocks) {
        if (this->id == 0 && leads()) taken() = 0;
        __syncthreads();
    }
    __device__ __forceinline__ void acquire() const {
        if (leads()) {
            unsigned s = M > 1 ? this->id % M : 0;
            while (atomicOr(&taken(), 1u << s) >> s & 1) s = s + 1 < M ? s + 1 : 0;
            __threadfence_block();
            if (M > 1) slots()[this->id] = s;
        }
        this->sync();
    }
    __device__ __forceinline__ void release() const {
        this->sync();
        if (leads()) {
            __threadfence_block();
            atomicAnd(&taken(), ~(1u << slot()));
        }
    }
    // The slot that this v-TB holds, from acquire to release.
    __device__ __forceinline__ unsigned slot() const { return M > 1 ? slots()[this->id] : 0; }

private:
    __device__ __forceinline__ bool leads() const {
        return (threadIdx.x | threadIdx.y | this->thread.z) == 0;
    }
    // One bit for each slot that is taken, and which one each v-TB holds.
    static __device__ __forceinline__ unsigned &taken() {
        __shared__ unsigned word;
        return word;
    }
    static __device__ __forceinline__ unsigned *slots() {
        __shared__ unsigned words[N];
        return words;
    }
};
// smux:lock-end
// smux:persistent-begin

// Blocks that stay: resident<T> shortens the grid of a merged launch to as many blocks of T threads
// as the GPU holds at once, and each runs one group of N v-TBs after the other. A grid that no GPU takes
// stays one.
template <int T, char A = 'x', class... P>
launch resident(void (*kernel)(P...), launch l, size_t bytes = 0) {
    int device = 0, processors = 0, each = 0;
    const dim3 g = l.grid;
    const size_t beside = size_t(A == 'x' ? 1 : g.x) * (A == 'y' ? 1 : g.y) * (A == 'z' ? 1 : g.z);
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)kernel, T, bytes + l.bytes) != cudaSuccess)
        return l;
    const size_t most = size_t(processors) * each / (beside ? beside : 1);
    if (most > 0 && taken<A>(g) && along<A>(l.grid) > most) along<A>(l.grid) = unsigned(most);
    return l;
}
// V is the type of v-TBs that run one group: it goes on with the next group of this block, until there
// is none and no v-TB is active. Each thread comes by once for each group.
template <class V, int N, char A = 'x'> struct persistent : V {
    __device__ __forceinline__ explicit persistent(unsigned blocks)
        : V(blocks), rest(blocks - N * (A == 'x' ? blockIdx.x : A == 'y' ? blockIdx.y : blockIdx.z)) {}
    __device__ __forceinline__ void next() {
        const unsigned step = N * (A == 'x' ? gridDim.x : A == 'y' ? gridDim.y : gridDim.z);
        __syncwarp();
        // What is computed of thread numbers is to be computed again, not kept in registers.
        asm volatile("" : "+r"(this->thread.x), "+r"(this->thread.y), "+r"(this->thread.z));
        this->active = rest > step;
        if (!this->active) return;
        rest -= step;
        (A == 'x' ? this->block.x : A == 'y' ? this->block.y : this->block.z) += step;
        if (rest == 1) alone(*this, 0);
        if (rest < N) {
            this->count = rest;
            this->active = this->id < rest;
        }
    }

private:
    unsigned rest;  // blocks of the grid from this group's first one on
    // A v-TB without others takes the turn back that the last one of the group before hands over.
    template <class R> static __device__ __forceinline__ auto alone(const R &v, int) -> decltype(v.finish()) { v.finish(); }
    static __device__ __forceinline__ void alone(const V &, long) {}
};
// smux:persistent-end
// smux:pins-begin

// Values that a turn reads are computed before they are pinned, and not where they are used: an
// empty asm reads them. Of other types than these it reads nothing.
template <class T> struct pinned {
    static __device__ __forceinline__ void read(const T &) {}
};
template <> struct pinned<float> {
    static __device__ __forceinline__ void read(float v) { asm volatile("" ::"f"(v)); }
};
template <> struct pinned<double> {
    static __device__ __forceinline__ void read(double v) { asm volatile("" ::"d"(v)); }
};
template <> struct pinned<int> {
    static __device__ __forceinline__ void read(int v) { asm volatile("" ::"r"(v)); }
};
template <> struct pinned<unsigned> {
    static __device__ __forceinline__ void read(unsigned v) { asm volatile("" ::"r"(v)); }
};
template <> struct pinned<short> {
    static __device__ __forceinline__ void read(short v) { asm volatile("" ::"h"(v)); }
};
template <> struct pinned<unsigned short> {
    static __device__ __forceinline__ void read(unsigned short v) { asm volatile("" ::"h"(v)); }
};
template <> struct pinned<long long> {
    static __device__ __forceinline__ void read(long long v) { asm volatile("" ::"l"(v)); }
};
template <> struct pinned<unsigned long long> {
    static __device__ __forceinline__ void read(unsigned long long v) { asm volatile("" ::"l"(v)); }
};
template <> struct pinned<long> : pinned<long long> {};
template <> struct pinned<unsigned long> : pinned<unsigned long long> {};
template <class T, int N> struct pinned<T[N]> {
    static __device__ __forceinline__ void read(const T (&v)[N]) {
#pragma unroll
        for (int i = 0; i < N; ++i) pinned<T>::read(v[i]);
    }
};
template <class T> __device__ __forceinline__ void pin(const T &v) { pinned<T>::read(v); }
template <class T, class... More>
__device__ __forceinline__ void pin(const T &v, const More &...more) {
    pin(v);
    pin(more...);
}
template <class V> struct pinned2 {
    static __device__ __forceinline__ void read(const V &v) { pin(v.x, v.y); }
};
template <class V> struct pinned3 {
    static __device__ __forceinline__ void read(const V &v) { pin(v.x, v.y, v.z); }
};
template <class V> struct pinned4 {
    static __device__ __forceinline__ void read(const V &v) { pin(v.x, v.y, v.z, v.w); }
};
template <> struct pinned<float2> : pinned2<float2> {};
template <> struct pinned<float3> : pinned3<float3> {};
template <> struct pinned<float4> : pinned4<float4> {};
template <> struct pinned<double2> : pinned2<double2> {};
template <> struct pinned<int2> : pinned2<int2> {};
template <> struct pinned<int3> : pinned3<int3> {};
template <> struct pinned<int4> : pinned4<int4> {};
template <> struct pinned<uint2> : pinned2<uint2> {};
template <> struct pinned<uint3> : pinned3<uint3> {};
template <> struct pinned<uint4> : pinned4<uint4> {};
// smux:pins-end

}  // namespace smux
#endif  // SMUX_CUH
// smux:base-end
// smux:slot_bytes-begin
#ifndef SMUX_SLOT_BYTES
#define SMUX_SLOT_BYTES
#include <cstdio>
#include <cstdlib>

namespace smux {
// Host side: the bytes of dynamic shared memory of a launch whose kernel keeps W words of 32 bits
// per thread there, behind its own. slot_bytes<W, S> checks that they fit into a block beside S
// bytes of static shared memory. Where arrays of several alignments up to 128 are about, their
// first addresses differ by up to 124 bytes, which lie between the two.
template <int W, int S = 0> size_t slot_bytes(dim3 b, size_t own = 0) {
    size_t all = (own ? (own + 3) / 4 * 4 + 124 : 0) + size_t(b.x) * b.y * b.z * W * 4;
    if (own > 48 * 1024 || all + S > 48 * 1024) {
        fprintf(stderr, "smux: a block of %ux%ux%u threads can't have %llu bytes of dynamic shared memory\n",
                b.x, b.y, b.z, (unsigned long long)all);
        abort();
    }
    return all;
}

// Device side: the W words of the thread with this number in its block, at the end of dynamic shared
// memory.
template <int W> __device__ __forceinline__ unsigned *slots(unsigned thread) {
    extern __shared__ unsigned smux_dynamic[];
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return smux_dynamic + (bytes / 4 - blockDim.x * blockDim.y * blockDim.z * W + thread * W);
}

}  // namespace smux
#endif  // SMUX_SLOT_BYTES
// smux:slot_bytes-end
// smux:slots-begin
#ifndef SMUX_SLOTS
#define SMUX_SLOTS
// smux runtime: variables of a thread that lie in shared memory.

namespace smux {

// Loads and stores that the compiler neither joins nor leaves out, of a word at an address within
// shared memory.
template <unsigned Bytes> struct bits;
template <> struct bits<4> {
    typedef unsigned type;
    static __device__ __forceinline__ type load(unsigned at) {
        type v;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(at));
        return v;
    }
    static __device__ __forceinline__ void store(unsigned at, type v) {
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(v));
    }
};
template <> struct bits<8> {
    typedef unsigned long long type;
    static __device__ __forceinline__ type load(unsigned at) {
        type v;
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(v) : "r"(at));
        return v;
    }
    static __device__ __forceinline__ void store(unsigned at, type v) {
        asm volatile("st.volatile.shared.u64 [%0], %1;" ::"r"(at), "l"(v));
    }
};
template <class T> __device__ __forceinline__ void load(unsigned at, T &v) {
    v = (T)bits<sizeof(T)>::load(at);
}
template <class T> __device__ __forceinline__ void store(unsigned at, T v) {
    bits<sizeof(T)>::store(at, (typename bits<sizeof(T)>::type)v);
}
__device__ __forceinline__ void load(unsigned at, float &v) {
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
}
__device__ __forceinline__ void store(unsigned at, float v) {
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(v));
}
__device__ __forceinline__ void load(unsigned at, double &v) {
    asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(v) : "r"(at));
}
__device__ __forceinline__ void store(unsigned at, double v) {
    asm volatile("st.volatile.shared.f64 [%0], %1;" ::"r"(at), "d"(v));
}

// A number or a pointer at such an address: it reads and is assigned as one of type T.
template <class T> struct word {
    __device__ __forceinline__ explicit word(T &slot)
        : at(unsigned(__cvta_generic_to_shared(&slot))) {}
    __device__ __forceinline__ operator T() const {
        T v;
        load(at, v);
        return v;
    }
    __device__ __forceinline__ T operator=(T v) const {
        store(at, v);
        return v;
    }
    __device__ __forceinline__ T operator=(const word &v) const { return *this = T(v); }
    template <class U> __device__ __forceinline__ T operator+=(U u) const { return *this = T(T(*this) + u); }
    template <class U> __device__ __forceinline__ T operator-=(U u) const { return *this = T(T(*this) - u); }
    template <class U> __device__ __forceinline__ T operator*=(U u) const { return *this = T(T(*this) * u); }
    template <class U> __device__ __forceinline__ T operator/=(U u) const { return *this = T(T(*this) / u); }
    template <class U> __device__ __forceinline__ T operator%=(U u) const { return *this = T(T(*this) % u); }
    template <class U> __device__ __forceinline__ T operator&=(U u) const { return *this = T(T(*this) & u); }
    template <class U> __device__ __forceinline__ T operator|=(U u) const { return *this = T(T(*this) | u); }
    template <class U> __device__ __forceinline__ T operator^=(U u) const { return *this = T(T(*this) ^ u); }
    template <class U> __device__ __forceinline__ T operator<<=(U u) const { return *this = T(T(*this) << u); }
    template <class U> __device__ __forceinline__ T operator>>=(U u) const { return *this = T(T(*this) >> u); }
    __device__ __forceinline__ T operator++() const { return *this += 1; }
    __device__ __forceinline__ T operator--() const { return *this -= 1; }
    __device__ __forceinline__ T operator++(int) const {
        const T v = *this;
        *this = v + 1;
        return v;
    }
    __device__ __forceinline__ T operator--(int) const {
        const T v = *this;
        *this = v - 1;
        return v;
    }

private:
    const unsigned at;
};

// Vectors and arrays whose components lie N words apart, one for each thread. M is what stands for
// a component: volatile T & or word<T>.
template <class V, class M, unsigned N> struct vector2 {
    M x, y;
    template <class T> __device__ __forceinline__ explicit vector2(T &p)
        : x(p), y((&p)[N]) {}
    __device__ __forceinline__ operator V() const {
        V v;
        v.x = x; v.y = y;
        return v;
    }
    __device__ __forceinline__ void operator=(const V &v) const { x = v.x; y = v.y; }
    __device__ __forceinline__ void operator=(const vector2 &v) const { *this = V(v); }
};
template <class V, class M, unsigned N> struct vector3 {
    M x, y, z;
    template <class T> __device__ __forceinline__ explicit vector3(T &p)
        : x(p), y((&p)[N]), z((&p)[2 * N]) {}
    __device__ __forceinline__ operator V() const {
        V v;
        v.x = x; v.y = y; v.z = z;
        return v;
    }
    __device__ __forceinline__ void operator=(const V &v) const { x = v.x; y = v.y; z = v.z; }
    __device__ __forceinline__ void operator=(const vector3 &v) const { *this = V(v); }
};
template <class V, class M, unsigned N> struct vector4 {
    M x, y, z, w;
    template <class T> __device__ __forceinline__ explicit vector4(T &p)
        : x(p), y((&p)[N]), z((&p)[2 * N]), w((&p)[3 * N]) {}
    __device__ __forceinline__ operator V() const {
        V v;
        v.x = x; v.y = y; v.z = z; v.w = w;
        return v;
    }
    __device__ __forceinline__ void operator=(const V &v) const { x = v.x; y = v.y; z = v.z; w = v.w; }
    __device__ __forceinline__ void operator=(const vector4 &v) const { *this = V(v); }
};
template <class T, class M, unsigned N> struct array {
    __device__ __forceinline__ explicit array(T &slot) : first(&slot) {}
    __device__ __forceinline__ M operator[](int i) const { return M(first[i * int(N)]); }

private:
    T *const first;
};

}  // namespace smux
#endif  // SMUX_SLOTS
// smux:slots-end
