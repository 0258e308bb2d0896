// The last error of the runtime API.
#include "smux_cpu/error.h"
#include "smux_cpu/host_abi.h"

namespace {

cudaError_t last = cudaSuccess;

// Errors after which a context is lost: every later call would give them again.
bool ends_context(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure: return true;
        default: return false;
    }
}

}  // namespace

extern "C" {

void smux_cpu_set_error(int code) { smux_cpu_error(cudaError_t(code)); }

cudaError_t smux_cpu_error(cudaError_t code) {
    if (code != cudaSuccess && code != cudaErrorNotReady && !ends_context(last)) last = code;
    return code;
}

cudaError_t cudaPeekAtLastError() { return last; }

cudaError_t cudaGetLastError() {
    const cudaError_t code = last;
    if (!ends_context(code)) last = cudaSuccess;
    return code;
}

const char *cudaGetErrorName(cudaError_t error) {
    switch (int(error)) {
#define NAME(number, name, text) \
    case number: return #name;
        SMUX_CPU_ERRORS(NAME)
#undef NAME
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (int(error)) {
#define TEXT(number, name, text) \
    case number: return text;
        SMUX_CPU_ERRORS(TEXT)
#undef TEXT
    }
    return "unrecognized error code";
}

}  // extern "C"
