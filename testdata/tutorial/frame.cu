// Shades a frame from what a renderer knows of each pixel: its depth and its albedo.
//
// A pixel is the brighter the fewer of the pixels in a ring around it are nearer to the eye
// (ambient occlusion), gets some light from those that are not, and is lit by the lamps that
// reach its part of the frame. Which lamps those are is a list for each block of pixels.
//
// Usage: frame [blocks in x] [blocks in y]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

const int WIDE = 32;    // pixels of a thread block in x
const int HIGH = 2;     // and in y
const int RADIUS = 15;  // of the ring
const int ROWS = HIGH + 2 * RADIUS;
const int COLUMNS = 64;  // WIDE + 2 * RADIUS, and two more: one for each thread
const int LAMPS = 64;    // entries of a block's list; lamp 0 is dark and fills it up

// Where the ring is looked at.
__constant__ const int ringX[8] = {15, 26, 30, 26, 15, 4, 0, 4};
__constant__ const int ringY[8] = {0, 4, 15, 26, 30, 26, 15, 4};

// pixels has a border of RADIUS on each side and rows of pitch elements; x is the depth, y the
// albedo. lists holds LAMPS numbers of lamps for each thread block; a lamp is x, y, depth, power.
__global__ void shade(const float2 *pixels, int pitch, const int *lists, const float4 *lamps,
                      float *frame)
{
    __shared__ float2 tile[ROWS][COLUMNS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int column = ty * WIDE + tx;
    const float2 *corner = pixels + blockIdx.y * HIGH * pitch + blockIdx.x * WIDE;

    for (int r = 0; r < ROWS; ++r) {
        tile[r][column] = corner[r * pitch + column];
    }
    __syncthreads();
    const float2 here = tile[ty + RADIUS][tx + RADIUS];
    float open = 0;
#pragma unroll 8
    for (int i = 0; i < 8; ++i) {
        const float2 there = tile[ty + ringY[i]][tx + ringX[i]];
        open += there.x < here.x ? 0.0f : 0.5f + 0.5f * there.y;
    }

    const int x = blockIdx.x * WIDE + tx;
    const int y = blockIdx.y * HIGH + ty;
    const int *list = lists + (blockIdx.y * gridDim.x + blockIdx.x) * LAMPS;
    float light = open / 8;
    for (int i = 0; i < LAMPS; ++i) {
        const float4 lamp = lamps[list[i]];
        const float dx = lamp.x - x;
        const float dy = lamp.y - y;
        const float dz = lamp.z - here.x;
        light += lamp.w / (1 + dx * dx + dy * dy + dz * dz);
    }
    frame[y * gridDim.x * WIDE + x] = light * here.y;
}

// A small linear congruential generator, so that every run sees the same input: 0 up to 1.
static float nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216;
}

// One pixel of the frame by the definition, to compare with.
static float expected(const std::vector<float2> &pixels, int pitch, const int *list,
                      const std::vector<float4> &lamps, int x, int y)
{
    const int dx[8] = {0, 11, 15, 11, 0, -11, -15, -11};
    const int dy[8] = {-15, -11, 0, 11, 15, 11, 0, -11};
    const size_t at = (size_t)(y + RADIUS) * pitch + x + RADIUS;
    const float2 here = pixels[at];
    double light = 0;
    for (int i = 0; i < 8; ++i) {
        const float2 there = pixels[at + (long)dy[i] * pitch + dx[i]];
        light += there.x < here.x ? 0 : (0.5 + 0.5 * there.y) / 8;
    }
    for (int i = 0; i < LAMPS; ++i) {
        const float4 lamp = lamps[list[i]];
        const double a = lamp.x - x, b = lamp.y - y, c = lamp.z - here.x;
        light += lamp.w / (1 + a * a + b * b + c * c);
    }
    return (float)(light * here.y);
}

// Argument number index as a count from 1 to 1024, or fallback where it is not given.
static int countArgument(int argc, char **argv, int index, int fallback)
{
    if (index >= argc) {
        return fallback;
    }
    const int value = atoi(argv[index]);
    if (value < 1 || value > 1024) {
        fprintf(stderr, "usage: %s [blocks in x, 1..1024] [blocks in y, 1..1024]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return value;
}

int main(int argc, char **argv)
{
    const int blocksX = countArgument(argc, argv, 1, 3);
    const int blocksY = countArgument(argc, argv, 2, 2);
    const int width = blocksX * WIDE, height = blocksY * HIGH;
    const int pitch = width + COLUMNS - WIDE;

    unsigned int seed = 1;
    std::vector<float2> pixels((size_t)pitch * (height + 2 * RADIUS));
    for (float2 &p : pixels) {
        const float depth = nextRandom(&seed);
        p = make_float2(10 * depth, nextRandom(&seed));
    }
    std::vector<float4> lamps(256);
    for (float4 &l : lamps) {
        const float x = width * nextRandom(&seed), y = height * nextRandom(&seed);
        const float depth = 10 * nextRandom(&seed);
        l = make_float4(x, y, depth, nextRandom(&seed));
    }
    lamps[0].w = 0;
    std::vector<int> lists((size_t)blocksX * blocksY * LAMPS);
    for (int &l : lists) {
        const float which = nextRandom(&seed);
        l = which < 0.5f ? 0 : (int)(lamps.size() * which);
    }

    float2 *devicePixels;
    int *deviceLists;
    float4 *deviceLamps;
    float *deviceFrame;
    std::vector<float> frame((size_t)width * height);
    CHECK(cudaMalloc(&devicePixels, pixels.size() * sizeof(float2)));
    CHECK(cudaMalloc(&deviceLists, lists.size() * sizeof(int)));
    CHECK(cudaMalloc(&deviceLamps, lamps.size() * sizeof(float4)));
    CHECK(cudaMalloc(&deviceFrame, frame.size() * sizeof(float)));
    CHECK(cudaMemcpy(devicePixels, pixels.data(), pixels.size() * sizeof(float2), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceLists, lists.data(), lists.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceLamps, lamps.data(), lamps.size() * sizeof(float4), cudaMemcpyHostToDevice));

    shade<<<dim3(blocksX, blocksY), dim3(WIDE, HIGH)>>>(devicePixels, pitch, deviceLists, deviceLamps, deviceFrame);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(frame.data(), deviceFrame, frame.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int block = y / HIGH * blocksX + x / WIDE;
            const float want = expected(pixels, pitch, &lists[(size_t)block * LAMPS], lamps, x, y);
            const float got = frame[(size_t)y * width + x];
            wrong += !(fabsf(got - want) <= 1e-4f * (1 + fabsf(want)));
        }
    }
    printf("%d x %d pixels, %d wrong\n", width, height, wrong);

    CHECK(cudaFree(devicePixels));
    CHECK(cudaFree(deviceLists));
    CHECK(cudaFree(deviceLamps));
    CHECK(cudaFree(deviceFrame));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
