// What programs take from helper_cuda.h of the CUDA samples, for those that come without it. It is looked for after all
// folders of the program's own.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "helper_string.h"

template <class Status> inline const char *_cudaGetErrorEnum(Status) { return "<unknown>"; }
inline const char *_cudaGetErrorEnum(cudaError_t e) { return cudaGetErrorName(e); }

template <class Status> inline void check(Status status, const char *call, const char *file, int line) {
    if (!status) return;
    fprintf(stderr, "%s:%d: %s returns %u (%s)\n", file, line, call, unsigned(status), _cudaGetErrorEnum(status));
    exit(EXIT_FAILURE);
}

inline void __getLastCudaError(const char *what, const char *file, int line, bool ends = true) {
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, what, cudaGetErrorString(e), int(e));
    if (ends) exit(EXIT_FAILURE);
}
inline void __printLastCudaError(const char *what, const char *file, int line) { __getLastCudaError(what, file, line, false); }

#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(what) __getLastCudaError(what, __FILE__, __LINE__)
#define printLastCudaError(what) __printLastCudaError(what, __FILE__, __LINE__)

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

inline int ftoi(float x) { return int(x >= 0 ? x + 0.5f : x - 0.5f); }
inline int _ConvertSMVer2Cores(int major, int minor) {
    return major == 6 && minor == 0 || major == 7 || major == 8 && minor == 0 ? 64 : 128;
}
inline const char *_ConvertSMVer2ArchName(int, int) { return "CPU"; }

inline int gpuDeviceInit(int device) {
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char **argv) {
    return gpuDeviceInit(checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device=") : 0);
}
inline int findCudaDevice(int argc, char **argv) { return findCudaDevice(argc, const_cast<const char **>(argv)); }
inline bool checkCudaCapabilities(int major, int minor) {
    int have[2];
    checkCudaErrors(cudaDeviceGetAttribute(&have[0], cudaDevAttrComputeCapabilityMajor, 0));
    checkCudaErrors(cudaDeviceGetAttribute(&have[1], cudaDevAttrComputeCapabilityMinor, 0));
    return have[0] > major || have[0] == major && have[1] >= minor;
}
