/* C = A*B: two parallel loops made one, a sum of its own for each element, and rows and
   columns that neighbours read again: work for shared memory. */
#include <stdio.h>
#include <stdlib.h>

// ACC_CHECK ends the program where a call of CUDA fails.
#define ACC_CHECK(call) \
    do { \
        cudaError_t acc_error = (call); \
        if (acc_error != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(acc_error)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

// acc_apart ends the program where two arrays share memory: each has a copy of its own on
// the device.
static inline void acc_apart(const void *a, size_t bytes_of_a, const void *b, size_t bytes_of_b)
{
    if ((const char *)a < (const char *)b + bytes_of_b && (const char *)b < (const char *)a + bytes_of_a) {
        fprintf(stderr, "two arrays of a data region share memory\n");
        exit(EXIT_FAILURE);
    }
}

// acc_blocks is the number of thread blocks for some iterations: at least one, in which no
// thread has anything to do where there are none.
static inline unsigned acc_blocks(long long iterations, int threads)
{
    return iterations > 0 ? (unsigned)((iterations + threads - 1) / threads) : 1;
}

// acc_blocks_up_to is the same for threads that go on with further iterations, at most a number.
static inline unsigned acc_blocks_up_to(unsigned most, long long iterations, int threads)
{
    unsigned blocks = acc_blocks(iterations, threads);
    return blocks < most ? blocks : most;
}

// product.c:8: parallel loop: each thread does one iteration of i, j.
__global__ void product_9_kernel(const float *__restrict__ a, const float *__restrict__ b,
        float *__restrict__ c, int n, int m, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n; i += gridDim.y * blockDim.y) {
        if (j < m) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * m + j];
            c[i * m + j] = sum;
        }
    }
}

void product(int n, int m, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    {
        float *d_a;
        ACC_CHECK(cudaMalloc(&d_a, sizeof(*d_a) * (n * k)));
        float *d_b;
        ACC_CHECK(cudaMalloc(&d_b, sizeof(*d_b) * (k * m)));
        float *d_c;
        ACC_CHECK(cudaMalloc(&d_c, sizeof(*d_c) * (n * m)));
        acc_apart(a, sizeof(*d_a) * (n * k), c, sizeof(*d_c) * (n * m));
        acc_apart(b, sizeof(*d_b) * (k * m), c, sizeof(*d_c) * (n * m));
        ACC_CHECK(cudaMemcpy(d_a, a, sizeof(*d_a) * (n * k), cudaMemcpyHostToDevice));
        ACC_CHECK(cudaMemcpy(d_b, b, sizeof(*d_b) * (k * m), cudaMemcpyHostToDevice));
        ACC_CHECK(cudaMemcpy(d_c, c, sizeof(*d_c) * (n * m), cudaMemcpyHostToDevice));
        product_9_kernel<<<dim3(acc_blocks(m, 32), acc_blocks_up_to(65535, n, 8)), dim3(32, 8)>>>(d_a, d_b, d_c, n, m, k);
        ACC_CHECK(cudaGetLastError());
        ACC_CHECK(cudaMemcpy(c, d_c, sizeof(*d_c) * (n * m), cudaMemcpyDeviceToHost));
        ACC_CHECK(cudaFree(d_a));
        ACC_CHECK(cudaFree(d_b));
        ACC_CHECK(cudaFree(d_c));
    }
}

int main(void)
{
    const int n = 70, m = 65, k = 50;
    float *a = (float *)malloc(n * k * sizeof *a), *b = (float *)malloc(k * m * sizeof *b), *c = (float *)malloc(n * m * sizeof *c);
    int wrong = 0;

    for (int i = 0; i < n * k; i++)
        a[i] = (float)(i % 7 - 2);
    for (int i = 0; i < k * m; i++)
        b[i] = (float)(i % 5 - 1);
    product(n, m, k, a, b, c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int sum = 0;
            for (int l = 0; l < k; l++)
                sum += ((i * k + l) % 7 - 2) * ((l * m + j) % 5 - 1);
            wrong += c[i * m + j] != (float)sum;
        }
    printf("c[3][4] = %.0f, %d wrong: %s\n", c[3 * m + 4], wrong, wrong ? "FAILED" : "ok");
    free(a);
    free(b);
    free(c);
    return wrong != 0;
}
