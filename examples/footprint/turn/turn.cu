// turn: the transpose of a matrix of complex numbers in double precision.
//
// A thread block of 32 x 8 threads turns a tile of 32 x 32: rows are read as they lie in memory, exchanged through
// shared memory, and written as rows again. Each row of the tile has an element more against bank conflicts.
//
// Usage: turn [tiles across] [tiles down]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

const int TILE = 32;
const int ROWS = 8;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__global__ void turn(const double2 *__restrict__ in, double2 *__restrict__ out, int width, int height)
{
    __shared__ double2 tile[TILE][TILE + 1];

    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
        tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(y + i) * width + x];
    }
    __syncthreads();

    const int u = blockIdx.y * TILE + threadIdx.x, v = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
        out[(size_t)(v + i) * height + u] = tile[threadIdx.x][threadIdx.y + i];
    }
}

int main(int argc, char **argv)
{
    const int across = argc > 1 ? atoi(argv[1]) : 3, down = argc > 2 ? atoi(argv[2]) : 2;
    if (argc > 3 || across < 1 || down < 1 || across > 1024 || down > 1024) {
        fprintf(stderr, "usage: %s [tiles across, 1..1024] [tiles down, 1..1024]\n", argv[0]);
        return EXIT_FAILURE;
    }
    const int width = across * TILE, height = down * TILE;
    const size_t count = (size_t)width * height, bytes = count * sizeof(double2);

    std::vector<double2> in(count), out(count);
    for (size_t i = 0; i < count; ++i) {
        in[i].x = (double)i;
        in[i].y = -0.5 * (double)i;
    }

    double2 *deviceIn, *deviceOut;
    CHECK(cudaMalloc(&deviceIn, bytes));
    CHECK(cudaMalloc(&deviceOut, bytes));
    CHECK(cudaMemcpy(deviceIn, in.data(), bytes, cudaMemcpyHostToDevice));
    turn<<<dim3(across, down), dim3(TILE, ROWS)>>>(deviceIn, deviceOut, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), deviceOut, bytes, cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const double2 &got = out[(size_t)x * height + y], &want = in[(size_t)y * width + x];
            wrong += got.x != want.x || got.y != want.y;
        }
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceOut));
    printf("turn: %d x %d tiles, %zu wrong\n", across, down, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
