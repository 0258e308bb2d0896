
// Launches. What a launch evaluates is evaluated once, by the call of smux_begin in front of it.
namespace smux_launch {

// Launch is the configuration of a launch.
struct Launch {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *kernel;
    cudaEvent_t start, stop;
    bool timed, checked;
};

inline Launch &smux_now() {
    static thread_local Launch now;
    return now;
}

inline int threads_of(const Launch &l) { return (int)(l.block.x * l.block.y * l.block.z); }

inline void *&flush_buffer() {
    static void *one;
    return one;
}

// Writes so much memory that nothing else is left in the L2 cache.
inline cudaError_t flush(cudaStream_t stream) {
    static int turn = 0;
    const size_t count = environment().flush;
    if (count == 0) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    if (!flush_buffer()) error = cudaMalloc(&flush_buffer(), count);
    if (error == cudaSuccess) error = cudaMemsetAsync(flush_buffer(), ++turn & 0xff, count, stream);
    return error;
}

// Hold keeps a stream from going on until the launch and the events around it are in its queue: else the time between the
// events is also what the host takes for the launch, which is many times the kernel's own the first time. It
// ends by itself, for what stands in a launch's arguments may wait for the stream. Nobody knows when the
// stream is done with it, so it is never freed.
struct Hold {
    volatile int let_go;
    uint64_t until;  // microseconds
};
inline uint64_t microseconds() {
    timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
inline void CUDART_CB wait_for_host(void *data) {
    Hold *hold = (Hold *)data;
    while (!hold->let_go && microseconds() < hold->until) {
    }
}
inline Hold &hold_of_thread() {
    static thread_local Hold *one = (Hold *)calloc(1, sizeof(Hold));
    return *one;
}
inline cudaError_t hold(const Launch &l) {
    const uint64_t longest = environment().hold;
    if (longest == 0) return cudaSuccess;
    // A kernel that was never asked for is loaded now and not by its launch.
    int blocks = 0;
    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.kernel, threads_of(l), l.shared);
    (void)cudaGetLastError();
    Hold &h = hold_of_thread();
    h.let_go = 0;
    h.until = microseconds() + longest;
    return cudaLaunchHostFunc(l.stream, wait_for_host, &h);
}

// The kernel's address. Of functions of the same name that return something a launch can't mean any.
template <class F> inline const void *smux_kernel(F *kernel) { return (const void *)kernel; }
template <class... P> inline const void *smux_kernel(void (*kernel)(P...)) { return (const void *)kernel; }

inline void smux_begin(const void *kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
    Launch &l = smux_now();
    const Environment &e = environment();
    l.grid = grid;
    l.block = block;
    l.shared = shared;
    l.stream = stream;
    l.kernel = kernel;
    l.timed = l.checked = false;
    if ((!e.out && !e.check) || (e.threads > 0 && e.threads != threads_of(l))) return;
    if (cudaPeekAtLastError() != cudaSuccess) return;  // an error that the program has yet to ask for
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capturing) != cudaSuccess || capturing != cudaStreamCaptureStatusNone) {
        (void)cudaGetLastError();
        say("captured");
        return;
    }
    l.checked = restore();
    if (!e.out) return;
    l.shared += e.bytes;
    cudaError_t error = cudaSuccess;
    if (e.bytes > 0 && l.shared > 48 * 1024)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.shared);
    if (error == cudaSuccess && e.carveout >= 0)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, e.carveout);
    if (error == cudaSuccess) error = flush(stream);
    if (error == cudaSuccess) error = cudaEventCreate(&l.start);
    if (error == cudaSuccess) error = cudaEventCreate(&l.stop);
    if (error == cudaSuccess) error = hold(l);
    if (error == cudaSuccess) error = cudaEventRecord(l.start, stream);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        say(cudaGetErrorName(error));
        l.shared = shared;
        return;
    }
    l.timed = true;
}

// Waits for the launch: what the program would let overlap with it comes after it.
inline void time_launch(Launch &l) {
    cudaError_t error = cudaPeekAtLastError();  // the launch's own error stays for the program
    float milliseconds = 0;
    int blocks = 0;
    if (error == cudaSuccess) error = cudaEventRecord(l.stop, l.stream);
    hold_of_thread().let_go = 1;
    if (error == cudaSuccess) error = cudaEventSynchronize(l.stop);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, l.start, l.stop);
    const int threads = threads_of(l);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.kernel, threads, l.shared);
    if (error != cudaSuccess) {
        say(cudaGetErrorName(error));
        return;
    }
    (void)cudaEventDestroy(l.start);
    (void)cudaEventDestroy(l.stop);
    fprintf(environment().out, "launch %.6f %d %d %lu\n", milliseconds, blocks, threads, (unsigned long)l.shared);
    fflush(environment().out);
}

inline void smux_end() {
    Launch &l = smux_now();
    if (l.timed) time_launch(l);
    if (l.checked && cudaPeekAtLastError() == cudaSuccess) log_all();
    l.timed = l.checked = false;
}

// Launches by address.
template <class F> inline cudaError_t smux_cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    smux_begin((const void *)kernel, grid, block, shared, stream);
    const cudaError_t error = cudaLaunchKernel((const void *)kernel, grid, block, arguments, smux_now().shared, stream);
    smux_end();
    return error;
}
template <class F> inline cudaError_t smux_cudaLaunchCooperativeKernel(F *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    smux_begin((const void *)kernel, grid, block, shared, stream);
    const cudaError_t error = cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, smux_now().shared, stream);
    smux_end();
    return error;
}

}  // namespace smux_launch
