// Copies that an mbarrier waits for, and those in bulk: right ones, and what is found at the lines that are marked.
#include <cuda/barrier>
#include <cuda/pipeline>
typedef unsigned long long word;
typedef cuda::barrier<cuda::thread_scope_block> object;

__device__ unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void set_up(word *b, unsigned count) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(address(b)), "r"(count));
    asm volatile("fence.mbarrier_init.release.cluster;");
    __syncthreads();
}
__device__ void wait(word *b, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra END;\nbra AGAIN;\nEND:\n}" :: "r"(address(b)), "r"(parity) : "memory");
}
__device__ void expect(word *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(address(b)), "r"(bytes) : "memory");
}
__device__ void load(void *to, const void *from, unsigned bytes, word *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(address(to)), "l"(from), "r"(bytes), "r"(address(b)) : "memory");  // want: out-of-bounds
}
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to), "r"(address(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Two stages; what was summed goes back in bulk.
__global__ void stages(const int *in, int *out) {
    __shared__ alignas(128) int tile[2][64];
    __shared__ alignas(8) word full[2], empty[2];
    for (int s = 0; s < 2; ++s) set_up(full + s, 1), set_up(empty + s, 64);
    int sum = 0;
    for (int k = -1; k < 8; ++k) {
        if (threadIdx.x == 0 && k + 1 < 8) {
            const int s = (k + 1) % 2;
            if (k + 1 >= 2) wait(empty + s, ((k + 1) / 2 - 1) % 2);
            expect(full + s, sizeof tile[s]);
            load(tile[s], in + (k + 1) * 64, sizeof tile[s], full + s);
        }
        if (k < 0) continue;
        wait(full + k % 2, k / 2 % 2);
        sum += tile[k % 2][63 - threadIdx.x];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(address(empty + k % 2)) : "memory");
    }
    __syncthreads();
    tile[0][threadIdx.x] = sum;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile[0], sizeof tile[0]);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
__global__ void check(const int *out) {
    int want = 0;
    for (int k = 0; k < 8; ++k) want += k * 64 + 63 - threadIdx.x;
    if (out[threadIdx.x] != want) __trap();
}

// Each thread's own copies, and states instead of parities.
__global__ void own_copies(const int *in) {
    __shared__ int tile[64];
    __shared__ word b;
    set_up(&b, 64);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(address(tile + threadIdx.x)), "l"(in + threadIdx.x), "r"(threadIdx.x < 32 ? 4 : 0) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(address(&b)) : "memory");
    word state;
    unsigned done = 0;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(&b)) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address(&b)), "l"(state) : "memory");
    const int at = 63 - threadIdx.x;
    if (tile[at] != (at < 32 ? in[at] : 0)) __trap();
}

__global__ void objects(const int *in) {
    __shared__ alignas(128) int tile[64];
    __shared__ object b;
    static_assert(sizeof b == sizeof(word), "");
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    object::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in, sizeof tile, b);
        token = cuda::device::barrier_arrive_tx(b, 1, sizeof tile);
    } else {
        token = b.arrive();
    }
    b.wait(std::move(token));
    if (tile[63 - threadIdx.x] != in[63 - threadIdx.x]) __trap();
}

// A thread's own pipeline: to wait is enough.
__global__ void own_pipeline(const int *in) {
    __shared__ int tile[64];
    auto pipe = cuda::make_pipeline();
    for (int k = 0; k < 3; ++k) {
        pipe.producer_acquire();
        cuda::memcpy_async(tile + threadIdx.x, in + k * 64 + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        __syncthreads();
        if (tile[63 - threadIdx.x] != in[k * 64 + 63 - threadIdx.x]) __trap();
        __syncthreads();
    }
}

__global__ void read_too_early(const int *in, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ word b;
    set_up(&b, 1);
    if (threadIdx.x == 0) {
        expect(&b, sizeof tile);
        load(tile, in, sizeof tile, &b);
        out[0] = tile[5];  // want: in-flight
    }
    wait(&b, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void never_waits(const int *in, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ word b;
    set_up(&b, 1);
    if (threadIdx.x == 0) {
        expect(&b, sizeof tile);
        load(tile, in, sizeof tile, &b);
        wait(&b, 0);
    }
    out[threadIdx.x] = tile[threadIdx.x];  // want: race
}

__global__ void overwrites(int *out) {
    __shared__ alignas(128) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, sizeof tile);
        tile[3] = 5;  // want: in-flight
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        tile[4] = 5;
    }
}

__global__ void beyond(const int *in) {
    __shared__ alignas(128) int tile[64];
    __shared__ word b;
    set_up(&b, 1);
    if (threadIdx.x == 0) {
        expect(&b, 256);
        load(tile, in + 512 - 60, 256, &b);
    }
    wait(&b, 0);
}

// Ends the program.
__global__ void too_many() {
    __shared__ word b;
    set_up(&b, 1);
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], 2;" :: "r"(address(&b)) : "memory");  // want: bad-barrier
}

int main() {
    int host[512], *in, *out;
    for (int i = 0; i < 512; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    stages<<<1, 64>>>(in, out);
    check<<<1, 64>>>(out);
    own_copies<<<1, 64>>>(in);
    objects<<<1, 64>>>(in);
    own_pipeline<<<1, 64>>>(in);
    read_too_early<<<1, 64>>>(in, out);
    never_waits<<<1, 64>>>(in, out);
    overwrites<<<1, 64>>>(out);
    beyond<<<1, 64>>>(in);
    too_many<<<1, 32>>>();
    cudaDeviceSynchronize();
}
