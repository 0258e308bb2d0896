#define log(x) x
#define line 7
#include "common.cuh"
extern "C" {
#include <string.h>
cudaError_t elsewhere(void *to, const void *from, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost); }
}
