// What the host orders, in right programs and wrong ones: each function is one. A line that is marked is in a race of that
// kind with an operation before it.
#include <cstdio>
#include <cuda/atomic>
#include <mutex>
#include <thread>
#include <vector>

__global__ void write(int *a, int v) { a[threadIdx.x] = v; } // want: stream-race
__global__ void read(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; } // want: stream-race
__global__ void right_write(int *a, int v) { a[threadIdx.x] = v; }
__global__ void right_read(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }
__managed__ int managed, other_managed;
__global__ void count() { managed = 1; other_managed = 1; }

__global__ void set(int *a) { a[0] = 5; __threadfence_system(); atomicExch_system(&a[1], 1); }

__global__ void set_system(int *a) { a[0] = 5; cuda::atomic_ref<int, cuda::thread_scope_system>(a[1]).store(1, cuda::memory_order_release); }
// What the host must not read when it has polled: nothing was published, not to the host, not yet, or by another thread.
__global__ void set_unfenced(int *a) { a[0] = 5; *(volatile int *)&a[1] = 1; }
__global__ void set_for_the_device(int *a) { a[0] = 5; __threadfence(); *(volatile int *)&a[1] = 1; }
__global__ void set_with_an_atomic_of_the_device(int *a) { a[0] = 5; __threadfence_system(); atomicExch(&a[1], 1); }
__global__ void set_too_early(int *a) { __threadfence_system(); *(volatile int *)&a[1] = 1; a[0] = 5; }
__global__ void set_by_another(int *a) {
    if (threadIdx.x == 1) a[0] = 5;
    if (threadIdx.x == 0) { __threadfence_system(); *(volatile int *)&a[1] = 1; }
}
__global__ void set_for_all(int *a) {
    a[2 + threadIdx.x] = 5;
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence_system(); *(volatile int *)&a[1] = 1; }
}
__global__ void set_after_all_fenced(int *a) {
    a[2 + threadIdx.x] = 5;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile int *)&a[1] = 1;
}
__global__ void set_by_ptx(int *a) { a[0] = 5; asm volatile("st.release.sys.global.s32 [%0], 1;" :: "l"(a + 1) : "memory"); }
__global__ void set_by_ptx_of_the_device(int *a) { a[0] = 5; asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(a + 1) : "memory"); }
__global__ void last_block_sets(int *a) {
    a[8 + blockIdx.x] = 5;
    __threadfence();
    if (atomicAdd(&a[2], 1) == gridDim.x - 1) { __threadfence_system(); *(volatile int *)&a[1] = 1; }
}
__global__ void by_threads(int *a) { a[threadIdx.x]++; }
__global__ void by_threads_unordered(int *a) { atomicExch(&a[threadIdx.x], 1); } // want: stream-race
__global__ void tell(int *a, int *flag) { a[0] = 1; __threadfence(); atomicExch(flag, 1); }
__global__ void hear(int *a, int *flag) { while (atomicAdd(flag, 0) == 0) {} __threadfence(); a[1] = a[0]; }

struct memory {
    int *a, *b, *host, *pinned;
    cudaStream_t one, two, apart;
    cudaEvent_t event;
    memory() {
        cudaMalloc(&a, 256), cudaMalloc(&b, 256), cudaMallocManaged(&host, 256), cudaMallocHost(&pinned, 256);
        cudaMemset(a, 0, 256), cudaMemset(b, 0, 256);
        cudaStreamCreate(&one), cudaStreamCreate(&two), cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
        cudaEventCreate(&event);
        cudaDeviceSynchronize();
    }
    ~memory() { cudaFree(a), cudaFree(b), cudaFree(host), cudaFreeHost(pinned); }
};

// ---- between streams
void two_streams(memory &m) { write<<<1, 64, 0, m.one>>>(m.a, 1); read<<<1, 64, 0, m.two>>>(m.a, m.b); }
void two_writers(memory &m) { right_write<<<1, 64, 0, m.one>>>(m.a, 1); write<<<1, 64, 0, m.two>>>(m.a, 2); }
void one_stream(memory &m) { right_write<<<1, 64, 0, m.one>>>(m.a, 1); right_read<<<1, 64, 0, m.one>>>(m.a, m.b); }
void two_readers(memory &m) { right_read<<<1, 64, 0, m.one>>>(m.a, m.b); right_read<<<1, 64, 0, m.two>>>(m.a, m.host); cudaDeviceSynchronize(); }
void other_words(memory &m) { right_write<<<1, 32, 0, m.one>>>(m.a, 1); right_write<<<1, 32, 0, m.two>>>(m.a + 32, 1); }
void by_an_event(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.two, m.event);
    right_read<<<1, 64, 0, m.two>>>(m.a, m.b);
}
void event_too_early(memory &m) {
    cudaEventRecord(m.event, m.one);
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    cudaStreamWaitEvent(m.two, m.event);
    cudaMemcpyAsync(m.pinned, m.a, 256, cudaMemcpyDeviceToHost, m.two); // want: stream-race
}
void event_of_another_stream(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    cudaEventRecord(m.event, m.two);
    cudaStreamWaitEvent(m.two, m.event);
    cudaMemsetAsync(m.a, 0, 256, m.two); // want: stream-race
}
void by_the_host(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    cudaStreamSynchronize(m.one);
    right_read<<<1, 64, 0, m.two>>>(m.a, m.b);
}
void by_the_legacy_stream(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    right_write<<<1, 64>>>(m.b, 1);
    right_read<<<1, 64, 0, m.two>>>(m.a, m.b);
}
void legacy_then_blocking(memory &m) { right_write<<<1, 64>>>(m.a, 1); right_read<<<1, 64, 0, m.two>>>(m.a, m.b); }
void legacy_and_nonblocking(memory &m) {
    right_write<<<1, 64>>>(m.a, 1);
    cudaMemcpyAsync(m.b, m.a, 256, cudaMemcpyDeviceToDevice, m.apart); // want: stream-race
}
void through_a_third_stream(memory &m) {
    cudaEvent_t second;
    cudaEventCreate(&second);
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.apart, m.event);
    cudaEventRecord(second, m.apart);
    cudaStreamWaitEvent(m.two, second);
    right_read<<<1, 64, 0, m.two>>>(m.a, m.b);
}

// ---- copies
void copies_in_one_stream(memory &m) {
    cudaMemcpyAsync(m.a, m.pinned, 256, cudaMemcpyHostToDevice, m.one);
    right_read<<<1, 64, 0, m.one>>>(m.a, m.b);
    cudaMemcpyAsync(m.pinned, m.b, 256, cudaMemcpyDeviceToHost, m.one);
    cudaStreamSynchronize(m.one);
    m.pinned[0]++;
}
void changed_too_early(memory &m) {
    cudaMemcpyAsync(m.a, m.pinned, 256, cudaMemcpyHostToDevice, m.one);
    m.pinned[3] = 7; // want: stream-race
}
void looked_at_too_early(memory &m) {
    cudaMemcpyAsync(m.pinned, m.a, 256, cudaMemcpyDeviceToHost, m.one);
    printf("%d\n", m.pinned[3]); // want: stream-race
}
void looked_at_while_it_is_read(memory &m) {
    cudaMemcpyAsync(m.a, m.pinned, 256, cudaMemcpyHostToDevice, m.one);
    printf("%d\n", m.pinned[3]);
}
void pageable_memory_is_done_on_return(memory &m) {
    int local[64];
    cudaMemcpyAsync(local, m.a, 256, cudaMemcpyDeviceToHost, m.one);
    printf("%d\n", local[3]);
}
void filled_in_another_stream(memory &m) {
    cudaMemsetAsync(m.a, 0, 256, m.apart);
    cudaMemcpy(m.b, m.a, 256, cudaMemcpyDeviceToDevice); // want: stream-race
}
void chunks(memory &m) {
    for (int i = 0; i < 2; i++) {
        cudaStream_t s = i ? m.two : m.one;
        cudaMemcpyAsync(m.a + 32 * i, m.pinned + 32 * i, 128, cudaMemcpyHostToDevice, s);
        right_read<<<1, 32, 0, s>>>(m.a + 32 * i, m.b + 32 * i);
        cudaMemcpyAsync(m.pinned + 32 * i, m.b + 32 * i, 128, cudaMemcpyDeviceToHost, s);
    }
    cudaDeviceSynchronize();
    printf("%d\n", m.pinned[40]);
}

// ---- the host and managed memory
void host_reads_too_early(memory &m) {
    right_write<<<1, 64>>>(m.host, 1);
    printf("%d\n", m.host[0]); // want: stream-race
}
void host_writes_too_early(memory &m) {
    right_read<<<1, 64>>>(m.host, m.a);
    m.host[5] = 1; // want: stream-race
}
void host_waits_for_another_stream(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaStreamSynchronize(m.two);
    printf("%d\n", m.host[1]); // want: stream-race
}
void host_waits(memory &m) {
    right_write<<<1, 64>>>(m.host, 1);
    cudaDeviceSynchronize();
    printf("%d\n", m.host[2]);
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaEventRecord(m.event, m.one);
    cudaEventSynchronize(m.event);
    printf("%d\n", m.host[2]);
    right_write<<<1, 64>>>(m.host, 1);
    cudaMemcpy(m.pinned, m.host, 256, cudaMemcpyDefault);
    printf("%d\n", m.host[2]);
}
void event_before_the_launch(memory &m) {
    cudaEventRecord(m.event, m.one);
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaEventSynchronize(m.event);
    printf("%d\n", m.host[2]); // want: stream-race
}
void managed_variable(memory &m) {
    count<<<1, 1>>>();
    printf("%d\n", managed); // want: stream-race
}
void managed_variable_after_waiting(memory &m) {
    count<<<1, 1>>>();
    cudaDeviceSynchronize();
    printf("%d\n", other_managed);
}
void host_function(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaLaunchHostFunc(m.one, [](void *p) { ((int *)p)[1]++; }, m.host);
}
void host_function_of_another_stream(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaLaunchHostFunc(m.two, [](void *p) { ((int *)p)[1]++; }, m.host); // want: stream-race
}

void host_polls(memory &m) {
    set<<<1, 1>>>(m.host);
    while (*(volatile int *)&m.host[1] == 0) {}
    printf("%d\n", m.host[0]);
}
void host_polls_atomically(memory &m) {
    set_system<<<1, 1>>>(m.host);
    while (cuda::atomic_ref<int, cuda::thread_scope_system>(m.host[1]).load(cuda::memory_order_acquire) == 0) {}
    printf("%d\n", m.host[0]);
}
template <class Set> int polled(memory &m, Set *set, int threads = 1, int blocks = 1) {
    set<<<blocks, threads, 0, m.one>>>(m.host);
    while (*(volatile int *)&m.host[1] == 0) {}
    return threads;
}
void polls_without_a_fence(memory &m) { polled(m, set_unfenced); printf("%d\n", m.host[0]); } // want: stream-race
void polls_with_a_fence_of_the_device(memory &m) { polled(m, set_for_the_device); printf("%d\n", m.host[0]); } // want: stream-race
void polls_an_atomic_of_the_device(memory &m) { polled(m, set_with_an_atomic_of_the_device); printf("%d\n", m.host[0]); } // want: stream-race
void polls_a_release_of_the_device(memory &m) { polled(m, set_by_ptx_of_the_device); printf("%d\n", m.host[0]); } // want: stream-race
void polls_before_the_data(memory &m) { polled(m, set_too_early); printf("%d\n", m.host[0]); } // want: stream-race
void polls_for_another_thread(memory &m) { polled(m, set_by_another, 2); printf("%d\n", m.host[0]); } // want: stream-race
void polls_for_another_kernel(memory &m) {
    set<<<1, 1, 0, m.one>>>(m.host);
    right_write<<<1, 32, 0, m.one>>>(m.pinned, 1);
    while (*(volatile int *)&m.host[1] == 0) {}
    printf("%d %d\n", m.host[0], m.pinned[0]); // want: stream-race
}
void polls_once_it_is_published(memory &m) {
    polled(m, set_for_all, 32);
    polled(m, set_by_ptx);
    printf("%d %d\n", m.host[9], m.host[0]);
    memory other, third, fourth;
    polled(other, set_after_all_fenced, 32);
    polled(third, last_block_sets, 1, 4);
    printf("%d %d\n", other.host[9], third.host[10]);
    // What came before in its stream is done, and what is published stays so when the next kernel has begun.
    right_write<<<1, 32, 0, m.one>>>(m.pinned, 1);
    set<<<1, 1, 0, m.one>>>(fourth.host);
    right_write<<<1, 32, 0, m.one>>>(m.a, 1);
    while (*(volatile int *)&fourth.host[1] == 0) {}
    printf("%d %d\n", m.pinned[0], fourth.host[0]);
}

// ---- threads of the host
void threads_that_wait_for_their_own(memory &m) {
    auto launch = [&m](cudaStream_t s) { by_threads_unordered<<<1, 32, 0, s>>>(m.a); cudaMemcpyAsync(m.b, m.a, 128, cudaMemcpyDeviceToDevice, s); cudaStreamSynchronize(s); }; // want: stream-race
    std::thread first(launch, m.one), second(launch, m.two);
    first.join(), second.join();
}
void threads_with_a_stream_each(memory &m) {
    auto launch = [&m] { cudaMemcpyAsync(m.b, m.a, 128, cudaMemcpyDeviceToDevice, cudaStreamPerThread); cudaStreamSynchronize(cudaStreamPerThread); }; // want: stream-race
    std::thread first(launch), second(launch);
    first.join(), second.join();
}
void threads_that_take_turns(memory &m) {
    std::mutex turn;
    auto launch = [&](cudaStream_t s) {
        std::lock_guard<std::mutex> mine(turn);
        by_threads<<<1, 32, 0, s>>>(m.a);
        cudaStreamSynchronize(s);
    };
    std::thread first(launch, m.one), second(launch, m.apart);
    first.join(), second.join();
    by_threads<<<1, 32, 0, m.two>>>(m.a);
}
void thread_that_is_joined(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    std::thread([&m] { cudaStreamSynchronize(m.one); }).join();
    printf("%d\n", m.host[0]);
}
void thread_that_waits_late(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cuda::std::atomic<int> begun{0}, done{0};
    std::thread other([&] { begun = 1; while (!done) {} cudaStreamSynchronize(m.one); });
    while (!begun) {}
    printf("%d\n", m.host[0]); // want: stream-race
    done = 1;
    other.join();
}
void thread_that_says_so(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    volatile bool done = false;
    std::thread other([&] { cudaStreamSynchronize(m.one); done = true; });
    while (!done) {}
    printf("%d\n", m.host[0]);
    other.join();
}

// ---- host functions
void host_function_is_not_waited_for(memory &m) {
    cudaLaunchHostFunc(m.one, [](void *p) { ((int *)p)[1] = 1; }, m.pinned);
    printf("%d\n", m.pinned[1]); // want: stream-race
}
void host_function_before_another_stream(memory &m) {
    cudaStreamAddCallback(m.one, [](cudaStream_t, cudaError_t, void *p) { ((int *)p)[1] = 1; }, m.pinned, 0);
    cudaMemcpyAsync(m.a, m.pinned, 256, cudaMemcpyHostToDevice, m.two); // want: stream-race
}
void host_function_is_waited_for(memory &m) {
    cudaLaunchHostFunc(m.one, [](void *p) { ((int *)p)[1] = 1; }, m.pinned);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.two, m.event);
    right_read<<<1, 64, 0, m.two>>>(m.pinned, m.a);
    cudaStreamSynchronize(m.one);
    printf("%d\n", m.pinned[1]);
}
void host_function_sets_a_flag(memory &m) {
    right_write<<<1, 64, 0, m.one>>>(m.host, 1);
    cudaLaunchHostFunc(m.one, [](void *p) { *(volatile int *)p = 1; }, m.pinned);
    while (*(volatile int *)m.pinned == 0) {}
    printf("%d\n", m.host[1]);
}

// Fences and atomics order kernels of two streams as they do two blocks.
void by_memory(memory &m) {
    cudaMemset(m.b, 0, 256);
    cudaDeviceSynchronize();
    tell<<<1, 1, 0, m.one>>>(m.a, m.b);
    hear<<<1, 1, 0, m.two>>>(m.a, m.b);
}
void copy_on_the_device_is_not_waited_for(memory &m) {
    cudaMemcpy(m.b, m.a, 256, cudaMemcpyDeviceToDevice);
    cudaMemsetAsync(m.b, 0, 256, m.apart); // want: stream-race
}

// ---- frees
void freed_in_its_stream(memory &m) {
    int *p;
    cudaMallocAsync(&p, 256, m.one);
    right_write<<<1, 64, 0, m.one>>>(p, 1);
    cudaFreeAsync(p, m.one);
}
void freed_in_another_stream(memory &m) {
    int *p;
    cudaMallocAsync(&p, 256, m.one);
    right_write<<<1, 64, 0, m.one>>>(p, 1);
    cudaFreeAsync(p, m.two); // want: stream-race
}

// ---- allocations in streams
__global__ void write_new(int *a) { a[threadIdx.x] = 1; } // want: stream-race
void allocated_in_another_stream(memory &m) {
    int *p;
    cudaMallocAsync(&p, 256, m.one);
    write_new<<<1, 64, 0, m.two>>>(p);
    cudaDeviceSynchronize();
    cudaMallocAsync(&p, 256, m.one);
    cudaMemsetAsync(p, 0, 256, m.apart); // want: stream-race
}
void allocated_before(memory &m) {
    int *p, *q, *r;
    cudaMallocAsync(&p, 256, m.one);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.two, m.event);
    right_write<<<1, 64, 0, m.two>>>(p, 1);
    cudaMallocAsync(&q, 256, m.one);
    cudaStreamSynchronize(m.one);
    right_write<<<1, 64, 0, m.apart>>>(q, 1);
    cudaMalloc(&r, 256);
    cudaMallocAsync(&p, 256, m.one);
    right_write<<<1, 64, 0, m.two>>>(r, 1);
    cudaMemsetAsync(p, 0, 256, m.one);
}

// ---- constants
__constant__ int constants[64], other_constants[64];
__global__ void use_constants(int *a) { a[threadIdx.x] = constants[threadIdx.x]; }
__global__ void use_constants_early(int *a) { a[threadIdx.x] = constants[threadIdx.x]; } // want: stream-race
void constants_change_in_another_stream(memory &m) {
    use_constants<<<1, 64, 0, m.one>>>(m.a);
    cudaMemcpyToSymbolAsync(constants, m.pinned, 256, 0, cudaMemcpyHostToDevice, m.two); // want: stream-race
    use_constants_early<<<1, 64, 0, m.one>>>(m.a);
}
void constants_change_in_order(memory &m) {
    cudaMemcpyToSymbolAsync(constants, m.pinned, 256, 0, cudaMemcpyHostToDevice, m.one);
    use_constants<<<1, 64, 0, m.one>>>(m.a);
    cudaMemcpyToSymbolAsync(other_constants, m.pinned, 256, 0, cudaMemcpyHostToDevice, m.two);
    cudaStreamSynchronize(m.one);
    cudaMemcpyToSymbolAsync(constants, m.pinned, 256, 0, cudaMemcpyHostToDevice, m.two);
}

// ---- graphs
__global__ void node_write(int *a) { a[threadIdx.x] = 1; }
__global__ void node_read(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }
__global__ void loose_read(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; } // want: stream-race
__global__ void loose_write(int *a) { a[threadIdx.x] = 1; } // want: stream-race
struct graph {
    cudaGraph_t nodes;
    graph() { cudaGraphCreate(&nodes, 0); }
    cudaGraphNode_t add(void *kernel, std::vector<cudaGraphNode_t> after, std::vector<void *> arguments) {
        cudaKernelNodeParams p = {};
        p.func = kernel, p.gridDim = dim3(1), p.blockDim = dim3(64), p.kernelParams = arguments.data();
        cudaGraphNode_t node;
        cudaGraphAddKernelNode(&node, nodes, after.data(), after.size(), &p);
        return node;
    }
    void run(cudaStream_t s, int times = 1) {
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, nodes, nullptr, nullptr, 0);
        for (int i = 0; i < times; i++) cudaGraphLaunch(exec, s); // want: stream-race
    }
};
void graph_without_an_edge(memory &m) {
    graph g;
    const cudaGraphNode_t first = g.add((void *)node_write, {}, {&m.a});
    g.add((void *)loose_read, {}, {&m.a, &m.b});
    g.add((void *)node_read, {first}, {&m.a, &m.pinned}), g.add((void *)loose_write, {first}, {&m.pinned});
    g.run(m.one);
}
void graph_as_a_diamond(memory &m) {
    graph g;
    const cudaGraphNode_t first = g.add((void *)node_write, {}, {&m.a}), left = g.add((void *)node_read, {first}, {&m.a, &m.b}),
                          right = g.add((void *)node_read, {first}, {&m.a, &m.pinned}), late = g.add((void *)node_write, {}, {&m.pinned});
    g.add((void *)node_write, {left, right}, {&m.a});
    cudaGraphAddDependencies(g.nodes, &right, &late, 1);
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
    g.run(m.one, 2);
    right_write<<<1, 64, 0, m.one>>>(m.a, 1);
}
void graph_and_another_stream(memory &m) {
    graph g;
    g.add((void *)node_write, {}, {&m.a}), g.add((void *)node_write, {}, {&m.b});
    g.run(m.one);
    cudaMemsetAsync(m.b, 0, 256, m.apart); // want: stream-race
}
void graph_that_is_captured(memory &m, bool joins) {
    graph g;
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaStreamBeginCapture(m.one, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(m.a, 0, 256, m.one);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.two, m.event);
    node_write<<<1, 64, 0, m.two>>>(m.a);
    cudaEventRecord(done, m.two);
    if (joins) cudaStreamWaitEvent(m.one, done), node_read<<<1, 64, 0, m.one>>>(m.a, m.b);
    else cudaMemcpyAsync(m.b, m.a, 256, cudaMemcpyDeviceToDevice, m.one), cudaStreamWaitEvent(m.one, done);
    cudaStreamEndCapture(m.one, &g.nodes);
    g.run(m.one); // the copy is asked for here
}
void captured_with_a_join(memory &m) { graph_that_is_captured(m, true); }
void captured_with_a_late_join(memory &m) { graph_that_is_captured(m, false); }

int main() {
    memory m;
    for (auto run : {two_streams, two_writers, one_stream, two_readers, other_words, by_an_event, event_too_early, event_of_another_stream,
                     by_the_host, by_the_legacy_stream, legacy_then_blocking, legacy_and_nonblocking, through_a_third_stream,
                     copies_in_one_stream, changed_too_early, looked_at_too_early, looked_at_while_it_is_read,
                     pageable_memory_is_done_on_return, filled_in_another_stream, chunks, host_reads_too_early, host_writes_too_early,
                     host_waits_for_another_stream, host_waits, event_before_the_launch, managed_variable, managed_variable_after_waiting,
                     host_polls, host_polls_atomically, polls_without_a_fence, polls_with_a_fence_of_the_device, polls_an_atomic_of_the_device,
                     polls_a_release_of_the_device, polls_before_the_data, polls_for_another_thread, polls_for_another_kernel, polls_once_it_is_published,
                     threads_that_wait_for_their_own, threads_with_a_stream_each, threads_that_take_turns, thread_that_is_joined, thread_that_waits_late,
                     thread_that_says_so, host_function_is_not_waited_for, host_function_before_another_stream, host_function_is_waited_for,
                     host_function_sets_a_flag, by_memory, copy_on_the_device_is_not_waited_for,
                     host_function, host_function_of_another_stream, freed_in_its_stream, freed_in_another_stream,
                     allocated_in_another_stream, allocated_before, constants_change_in_another_stream, constants_change_in_order,
                     graph_without_an_edge, graph_as_a_diamond, graph_and_another_stream, captured_with_a_join, captured_with_a_late_join}) {
        memory fresh;
        run(fresh);
        cudaDeviceSynchronize();
    }
}
