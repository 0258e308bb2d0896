// Box: forces, energy and stress of particles in a periodic box, and a step in time.
//
// The particles lie sorted by cells at least as wide as the reach of the force (Lennard-Jones,
// with a radius of its own for each particle), so that a particle looks into 27 cells. Across a
// face of the box it sees the nearest image. One thread takes one particle: its force, its share of
// the potential energy and of the stress tensor are summed up in registers, while its velocity
// waits for the end.
//
// The shape of Hayes and Zhang's particles: 50 registers, no shared memory; here in blocks of 256
// threads.
//
// Usage: box [thread blocks] [cells along an edge]

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

// Moves each of n particles by dt. A position holds x, y, z and the radius, a velocity x, y, z and
// the mass; the particles of cell c are those from firstOf[c] up to firstOf[c + 1]. stress holds
// the six components one after the other, n numbers each.
__global__ void advance(const float4 *__restrict__ position, const float4 *__restrict__ velocity,
                        const int *__restrict__ firstOf, float4 *__restrict__ newPosition,
                        float4 *__restrict__ newVelocity, float *__restrict__ energy,
                        float *__restrict__ stress, int n, int cells, float box, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float4 p = position[i];
    const float4 v = velocity[i];
    const float cell = box / cells, inverse = 1.0f / box;
    const int cx = (int)(p.x / cell), cy = (int)(p.y / cell), cz = (int)(p.z / cell);
    float3 force = make_float3(0.0f, 0.0f, 0.0f);
    float potential = 0.0f;
    float xx = 0.0f, yy = 0.0f, zz = 0.0f, xy = 0.0f, xz = 0.0f, yz = 0.0f;

    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                const int c = ((cz + dz + cells) % cells * cells + (cy + dy + cells) % cells) * cells +
                              (cx + dx + cells) % cells;
                const int end = firstOf[c + 1];
                float3 pull = make_float3(0.0f, 0.0f, 0.0f);  // of this cell: small sums keep digits
                for (int j = firstOf[c]; j < end; ++j) {
                    const float4 q = position[j];
                    float rx = p.x - q.x, ry = p.y - q.y, rz = p.z - q.z;
                    rx -= box * rintf(rx * inverse);
                    ry -= box * rintf(ry * inverse);
                    rz -= box * rintf(rz * inverse);
                    const float r2 = rx * rx + ry * ry + rz * rz;
                    if (j == i || r2 >= cell * cell) {
                        continue;
                    }
                    const float s2 = p.w * q.w / r2, s6 = s2 * s2 * s2;
                    const float k = 24.0f * s6 * (2.0f * s6 - 1.0f) / r2;
                    pull.x += k * rx;
                    pull.y += k * ry;
                    pull.z += k * rz;
                    potential += 4.0f * s6 * (s6 - 1.0f);
                    xx += k * rx * rx;
                    yy += k * ry * ry;
                    zz += k * rz * rz;
                    xy += k * rx * ry;
                    xz += k * rx * rz;
                    yz += k * ry * rz;
                }
                force.x += pull.x;
                force.y += pull.y;
                force.z += pull.z;
            }
        }
    }

    const float kick = dt / v.w;
    const float3 w = make_float3(v.x + force.x * kick, v.y + force.y * kick, v.z + force.z * kick);
    float3 r = make_float3(p.x + w.x * dt, p.y + w.y * dt, p.z + w.z * dt);
    r.x -= box * floorf(r.x * inverse);
    r.y -= box * floorf(r.y * inverse);
    r.z -= box * floorf(r.z * inverse);
    newPosition[i] = make_float4(r.x, r.y, r.z, p.w);
    newVelocity[i] = make_float4(w.x, w.y, w.z, v.w);
    energy[i] = 0.5f * potential + 0.5f * v.w * (w.x * w.x + w.y * w.y + w.z * w.z);
    stress[i] = xx;
    stress[n + i] = yy;
    stress[2 * n + i] = zz;
    stress[3 * n + i] = xy;
    stress[4 * n + i] = xz;
    stress[5 * n + i] = yz;
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
        fprintf(stderr, "usage: %s [thread blocks, 1..4096] [cells along an edge, 3..64]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

// a and b are equal but for rounding in sums whose terms are as large as scale.
static bool close(double a, double b, double scale)
{
    return fabs(a - b) <= 2e-4 * (1.0 + scale);
}

int main(int argc, char **argv)
{
    const int block = 256;
    const int blocks = countArgument(argc, argv, 1, 1, 4096);
    const int cells = countArgument(argc, argv, 2, 4, 64);
    if (cells < 3) {
        fprintf(stderr, "%s: the box must be at least 3 cells wide\n", argv[0]);
        return EXIT_FAILURE;
    }
    const int n = blocks * block - 9, count = cells * cells * cells;
    const float box = 2.5f * cells, dt = 0.001f;

    // As many particles to each cell as the next, on a jittered lattice of 4x4x4 places in it.
    unsigned int seed = 1;
    std::vector<float4> position(n), velocity(n), newPosition(n), newVelocity(n);
    std::vector<float> energy(n), stress(6 * (size_t)n);
    std::vector<int> firstOf(count + 1);
    for (int c = 0; c < count; ++c) {
        firstOf[c + 1] = (int)((long long)n * (c + 1) / count);
        for (int i = firstOf[c]; i < firstOf[c + 1]; ++i) {
            const int place = (i - firstOf[c]) * 11 % 64;
            const float x = c % cells + (place % 4 + uniform(&seed, 0.4f, 0.6f)) / 4;
            const float y = c / cells % cells + (place / 4 % 4 + uniform(&seed, 0.4f, 0.6f)) / 4;
            const float z = c / cells / cells + (place / 16 + uniform(&seed, 0.4f, 0.6f)) / 4;
            position[i] = make_float4(2.5f * x, 2.5f * y, 2.5f * z, uniform(&seed, 0.4f, 0.6f));
            velocity[i] = make_float4(uniform(&seed, -1, 1), uniform(&seed, -1, 1),
                                      uniform(&seed, -1, 1), uniform(&seed, 1, 2));
        }
    }

    float4 *devicePosition = toDevice(position), *deviceVelocity = toDevice(velocity);
    float4 *deviceNewPosition = toDevice(newPosition), *deviceNewVelocity = toDevice(newVelocity);
    float *deviceEnergy = toDevice(energy), *deviceStress = toDevice(stress);
    int *deviceFirst = toDevice(firstOf);
    advance<<<blocks, 256>>>(devicePosition, deviceVelocity, deviceFirst, deviceNewPosition,
                             deviceNewVelocity, deviceEnergy, deviceStress, n, cells, box, dt);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(newPosition, deviceNewPosition);
    fromDevice(newVelocity, deviceNewVelocity);
    fromDevice(energy, deviceEnergy);
    fromDevice(stress, deviceStress);
    CHECK(cudaFree(devicePosition));
    CHECK(cudaFree(deviceVelocity));
    CHECK(cudaFree(deviceFirst));

    // Every particle against every other, for as many particles as there is time for.
    size_t wrong = 0;
    for (int i = 0; i < n; i += 1 + n / 4096) {
        double f[3] = {0, 0, 0}, s[6] = {0, 0, 0, 0, 0, 0}, potential = 0, size = 0;
        for (int j = 0; j < n; ++j) {
            double r[3] = {(double)position[i].x - position[j].x, (double)position[i].y - position[j].y,
                           (double)position[i].z - position[j].z};
            double r2 = 0;
            for (int d = 0; d < 3; ++d) {
                r[d] -= box * rint(r[d] / box);
                r2 += r[d] * r[d];
            }
            if (j == i || r2 >= 2.5 * 2.5) {
                continue;
            }
            const double s6 = pow((double)position[i].w * position[j].w / r2, 3);
            const double k = 24 * s6 * (2 * s6 - 1) / r2;
            for (int d = 0; d < 3; ++d) {
                f[d] += k * r[d];
                s[d] += k * r[d] * r[d];
            }
            s[3] += k * r[0] * r[1];
            s[4] += k * r[0] * r[2];
            s[5] += k * r[1] * r[2];
            potential += 4 * s6 * (s6 - 1);
            size += fabs(k) * r2 + 4 * s6 * (s6 + 1);
        }
        const double m = velocity[i].w;
        const double w[3] = {velocity[i].x + f[0] * dt / m, velocity[i].y + f[1] * dt / m,
                             velocity[i].z + f[2] * dt / m};
        const double to[3] = {position[i].x + w[0] * dt, position[i].y + w[1] * dt,
                              position[i].z + w[2] * dt};
        const double kinetic = 0.5 * m * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        bool right = close(newVelocity[i].x, w[0], size * dt) && close(newVelocity[i].y, w[1], size * dt) &&
                     close(newVelocity[i].z, w[2], size * dt) &&
                     close(energy[i], 0.5 * potential + kinetic, size);
        right = right && close(newPosition[i].x, to[0] - box * floor(to[0] / box), size * dt) &&
                close(newPosition[i].y, to[1] - box * floor(to[1] / box), size * dt) &&
                close(newPosition[i].z, to[2] - box * floor(to[2] / box), size * dt);
        for (int d = 0; d < 6; ++d) {
            right = right && close(stress[(size_t)d * n + i], s[d], size);
        }
        wrong += !right;
    }
    printf("box: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
