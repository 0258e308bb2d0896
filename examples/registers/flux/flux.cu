// Flux: the flow through the faces of an unstructured mesh of tetrahedra.
//
// One thread takes one cell: for each of its four faces it reads the neighbour's state (or makes
// one for a wall or the far field), takes the flux of Rusanov's scheme for the Euler equations, and
// adds it up; beside it the gradients of pressure and density, from the same faces (Green and
// Gauss), and the largest speed of a wave, which bounds the step in time.
//
// The shape is that of solvers for unstructured meshes: more than 64 registers, no shared memory;
// blocks of 192 threads.
//
// Usage: flux [thread blocks]

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

#define FACES 4
#define WALL (-1)  // in place of a neighbour
#define FAR (-2)

struct State {
    float density, x, y, z, energy;  // mass, momentum and energy per volume
};

__host__ __device__ inline float pressureOf(State s)
{
    return 0.4f * (s.energy - 0.5f * (s.x * s.x + s.y * s.y + s.z * s.z) / s.density);
}

// Sums up what leaves each of n cells. state holds the five conserved quantities one after the
// other, residual likewise; normal three components per face, as long as the face is large.
__global__ void flux(const float *__restrict__ state, const int *__restrict__ neighbour,
                     const float *__restrict__ normal, float *__restrict__ residual,
                     float *__restrict__ gradient, float *__restrict__ fastest, int n, State far)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const State a = {state[i], state[n + i], state[2 * n + i], state[3 * n + i], state[4 * n + i]};
    const float ux = a.x / a.density, uy = a.y / a.density, uz = a.z / a.density;
    const float pressure = pressureOf(a);
    const float sound = sqrtf(1.4f * pressure / a.density);
    float mass = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f, energy = 0.0f;
    float3 slope = make_float3(0.0f, 0.0f, 0.0f);  // of pressure
    float3 heap = make_float3(0.0f, 0.0f, 0.0f);   // of density
    float speed = 0.0f;

#pragma unroll
    for (int f = 0; f < FACES; ++f) {
        const int j = neighbour[f * n + i];
        const float nx = normal[3 * f * n + i];
        const float ny = normal[(3 * f + 1) * n + i];
        const float nz = normal[(3 * f + 2) * n + i];
        const float area = sqrtf(nx * nx + ny * ny + nz * nz);
        State b = far;
        if (j >= 0) {
            b = {state[j], state[n + j], state[2 * n + j], state[3 * n + j], state[4 * n + j]};
        } else if (j == WALL) {
            const float in = 2.0f * (a.x * nx + a.y * ny + a.z * nz) / (area * area);
            b = {a.density, a.x - in * nx, a.y - in * ny, a.z - in * nz, a.energy};
        }
        const float vx = b.x / b.density, vy = b.y / b.density, vz = b.z / b.density;
        const float other = pressureOf(b);
        const float through = ux * nx + uy * ny + uz * nz, back = vx * nx + vy * ny + vz * nz;
        const float wave = fmaxf(fabsf(through) + sound * area,
                                 fabsf(back) + sqrtf(1.4f * other / b.density) * area);
        const float both = pressure + other, dense = a.density + b.density;
        speed = fmaxf(speed, wave);
        mass += 0.5f * (a.density * through + b.density * back - wave * (b.density - a.density));
        x += 0.5f * (a.x * through + b.x * back + both * nx - wave * (b.x - a.x));
        y += 0.5f * (a.y * through + b.y * back + both * ny - wave * (b.y - a.y));
        z += 0.5f * (a.z * through + b.z * back + both * nz - wave * (b.z - a.z));
        energy += 0.5f * ((a.energy + pressure) * through + (b.energy + other) * back -
                          wave * (b.energy - a.energy));
        slope.x += 0.5f * both * nx;
        slope.y += 0.5f * both * ny;
        slope.z += 0.5f * both * nz;
        heap.x += 0.5f * dense * nx;
        heap.y += 0.5f * dense * ny;
        heap.z += 0.5f * dense * nz;
    }

    residual[i] = mass;
    residual[n + i] = x;
    residual[2 * n + i] = y;
    residual[3 * n + i] = z;
    residual[4 * n + i] = energy;
    gradient[i] = slope.x;
    gradient[n + i] = slope.y;
    gradient[2 * n + i] = slope.z;
    gradient[3 * n + i] = heap.x;
    gradient[4 * n + i] = heap.y;
    gradient[5 * n + i] = heap.z;
    fastest[i] = speed;
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// A number in [low, high).
static float uniform(unsigned int *state, float low, float high)
{
    return low + (high - low) * (float)(nextRandom(state) & 0xffff) / (float)65536;
}

// Copies a vector to memory of the device that it allocates.
template <typename T>
static T *toDevice(const std::vector<T> &from)
{
    T *to;
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

// Copies memory of the device to a vector, and frees it.
template <typename T>
static void fromDevice(std::vector<T> &to, T *from)
{
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
}

// Argument number index as a count from 1 to max, or fallback where it is not given.
static int countArgument(int argc, char **argv, int index, int fallback, int max)
{
    if (index >= argc) {
        return fallback;
    }
    char *end = NULL;
    const long value = strtol(argv[index], &end, 10);
    if (argc > 3 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int block = 192;
    const int blocks = countArgument(argc, argv, 1, 3, 65535);
    const int n = blocks * block - 11;

    // Cells with neighbours near and far in memory, faces that close each cell, and a flow with
    // waves in it.
    unsigned int seed = 1;
    std::vector<float> state(5 * (size_t)n), normal(3 * FACES * (size_t)n);
    std::vector<float> residual(5 * (size_t)n), gradient(6 * (size_t)n), fastest(n);
    std::vector<int> neighbour(FACES * (size_t)n);
    const int steps[FACES] = {1, -1, 37, -37};
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            float sum = 0;
            for (int f = 0; f < FACES; ++f) {
                const float side = f < FACES - 1 ? uniform(&seed, -1, 1) + (f == d ? 1.5f : 0.0f) : -sum;
                normal[(size_t)(3 * f + d) * n + i] = side;
                sum += side;
            }
        }
        for (int f = 0; f < FACES; ++f) {
            const int j = i + steps[f];
            neighbour[(size_t)f * n + i] = j < 0 ? WALL : j >= n ? FAR : j;
        }
        const float density = uniform(&seed, 0.8f, 1.2f);
        float kinetic = 0;
        for (int d = 0; d < 3; ++d) {
            const float momentum = density * uniform(&seed, -0.5f, 1);
            state[(size_t)(1 + d) * n + i] = momentum;
            kinetic += 0.5f * momentum * momentum / density;
        }
        state[i] = density;
        state[(size_t)4 * n + i] = kinetic + uniform(&seed, 1, 2) / 0.4f;
    }
    const State far = {1.0f, 0.5f, 0.0f, 0.0f, 3.0f};

    float *deviceState = toDevice(state), *deviceNormal = toDevice(normal);
    int *deviceNeighbour = toDevice(neighbour);
    float *deviceResidual = toDevice(residual), *deviceGradient = toDevice(gradient);
    float *deviceFastest = toDevice(fastest);
    flux<<<blocks, 192>>>(deviceState, deviceNeighbour, deviceNormal, deviceResidual, deviceGradient,
                          deviceFastest, n, far);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(residual, deviceResidual);
    fromDevice(gradient, deviceGradient);
    fromDevice(fastest, deviceFastest);
    CHECK(cudaFree(deviceState));
    CHECK(cudaFree(deviceNormal));
    CHECK(cudaFree(deviceNeighbour));

    // The same sums in double, quantity by quantity.
    size_t wrong = 0;
    for (int i = 0; i < n; ++i) {
        double sums[11] = {}, speed = 0;
        for (int f = 0; f < FACES; ++f) {
            double u[2][5], normals[3], p[2], through[2], area = 0;
            const int j = neighbour[(size_t)f * n + i];
            for (int d = 0; d < 3; ++d) {
                normals[d] = normal[(size_t)(3 * f + d) * n + i];
                area += normals[d] * normals[d];
            }
            area = sqrt(area);
            for (int v = 0; v < 5; ++v) {
                u[0][v] = state[(size_t)v * n + i];
                u[1][v] = j >= 0 ? state[(size_t)v * n + j] : u[0][v];
            }
            if (j == FAR) {
                u[1][0] = far.density, u[1][1] = far.x, u[1][2] = far.y, u[1][3] = far.z;
                u[1][4] = far.energy;
            }
            if (j == WALL) {
                double in = 0;
                for (int d = 0; d < 3; ++d) {
                    in += u[0][1 + d] * normals[d] / area;
                }
                for (int d = 0; d < 3; ++d) {
                    u[1][1 + d] -= 2 * in * normals[d] / area;
                }
            }
            double wave = 0;
            for (int s = 0; s < 2; ++s) {
                const double *m = &u[s][1];
                p[s] = 0.4 * (u[s][4] - 0.5 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / u[s][0]);
                through[s] = (m[0] * normals[0] + m[1] * normals[1] + m[2] * normals[2]) / u[s][0];
                wave = fmax(wave, fabs(through[s]) + sqrt(1.4 * p[s] / u[s][0]) * area);
            }
            speed = fmax(speed, wave);
            for (int v = 0; v < 5; ++v) {
                double both = -wave * (u[1][v] - u[0][v]);
                for (int s = 0; s < 2; ++s) {
                    both += (u[s][v] + (v == 4 ? p[s] : 0)) * through[s];
                    both += v >= 1 && v <= 3 ? p[s] * normals[v - 1] : 0;
                }
                sums[v] += 0.5 * both;
            }
            for (int d = 0; d < 3; ++d) {
                sums[5 + d] += 0.5 * (p[0] + p[1]) * normals[d];
                sums[8 + d] += 0.5 * (u[0][0] + u[1][0]) * normals[d];
            }
        }
        bool right = fabs(fastest[i] - speed) <= 1e-4 * (1 + speed);
        for (int v = 0; v < 11; ++v) {
            const double got = v < 5 ? residual[(size_t)v * n + i] : gradient[(size_t)(v - 5) * n + i];
            right = right && fabs(got - sums[v]) <= 1e-4 * (10 + fabs(sums[v]));
        }
        wrong += !right;
    }
    printf("flux: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
