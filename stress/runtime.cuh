// smux stress: times the launches of one kernel, and takes shared memory that it doesn't use.
#ifndef SMUX_STRESS_RUNTIME
#define SMUX_STRESS_RUNTIME
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

namespace smux_stress {
namespace {

// What the environment asks for, read once: the bytes that each launch takes in addition, the carve-out in
// per cent (below 0: the driver's choice), the threads of the blocks that are meant (0: all), and the file that
// gets a line for each launch.
struct Options {
    size_t bytes;
    int carveout, threads;
    FILE *out;
    Options() : bytes(0), carveout(-1), threads(0), out(nullptr) {
        if (const char *text = getenv("SMUX_STRESS_BYTES")) bytes = (size_t)atol(text);
        if (const char *text = getenv("SMUX_STRESS_CARVEOUT")) carveout = atoi(text);
        if (const char *text = getenv("SMUX_STRESS_THREADS")) threads = atoi(text);
        if (const char *name = getenv("SMUX_STRESS_OUT")) out = fopen(name, "a");
    }
};

// Launch is the configuration of a launch, evaluated once.
struct Launch {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *kernel;
    cudaEvent_t start, stop;
    bool timed;
};

inline Options &options() {
    static Options all;
    return all;
}

inline Launch &launch() {
    static thread_local Launch now;
    return now;
}

inline void say(const char *text) {
    if (!options().out) return;
    fprintf(options().out, "%s\n", text);
    fflush(options().out);
}

inline void begin(const void *kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
    Launch &l = launch();
    l.grid = grid;
    l.block = block;
    l.shared = shared;
    l.stream = stream;
    l.kernel = kernel;
    l.timed = false;
    const int threads = (int)(block.x * block.y * block.z);
    if (!options().out || (options().threads > 0 && options().threads != threads)) return;
    if (cudaPeekAtLastError() != cudaSuccess) return;  // an error that the program has yet to ask for
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capturing) != cudaSuccess || capturing != cudaStreamCaptureStatusNone) {
        (void)cudaGetLastError();
        say("captured");
        return;
    }
    l.shared += options().bytes;
    cudaError_t error = cudaSuccess;
    if (options().bytes > 0 && l.shared > 48 * 1024)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.shared);
    if (error == cudaSuccess && options().carveout >= 0)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, options().carveout);
    if (error == cudaSuccess) error = cudaEventCreate(&l.start);
    if (error == cudaSuccess) error = cudaEventCreate(&l.stop);
    if (error == cudaSuccess) error = cudaEventRecord(l.start, stream);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        say(cudaGetErrorName(error));
        l.shared = shared;
        return;
    }
    l.timed = true;
}

// end waits for the launch: what the program would let overlap with it comes after it.
inline void end() {
    Launch &l = launch();
    if (!l.timed) return;
    l.timed = false;
    cudaError_t error = cudaPeekAtLastError();  // the launch's own error stays for the program
    const bool launched = error == cudaSuccess;
    float milliseconds = 0;
    int blocks = 0;
    if (launched) error = cudaEventRecord(l.stop, l.stream);
    if (error == cudaSuccess) error = cudaEventSynchronize(l.stop);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, l.start, l.stop);
    const int threads = (int)(l.block.x * l.block.y * l.block.z);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.kernel, threads, l.shared);
    if (error != cudaSuccess) {
        say(cudaGetErrorName(error));
        return;
    }
    (void)cudaEventDestroy(l.start);
    (void)cudaEventDestroy(l.stop);
    if (!options().out) return;
    fprintf(options().out, "launch %.6f %d %d %lu\n", milliseconds, blocks, threads, (unsigned long)l.shared);
    fflush(options().out);
}

}  // namespace
}  // namespace smux_stress
#endif
