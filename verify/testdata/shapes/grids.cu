// ways: vtb named, vtb lock, vtb block, merge named
// Grids that can be evaluated once only, and ones made by functions that call each other.
#include <cstdio>

struct Pair {
    int x, y;
};
inline int smaller(int a, int b) { return a < b ? a : b; }
inline Pair smaller(Pair a, Pair b) {
    Pair p;
    p.x = smaller(a.x, b.x);
    p.y = smaller(a.y, b.y);
    return p;
}
inline int levels(int n) { return n > 1 ? levels(n / 2) + 1 : 0; }

static int asked = 0;
static int next() { return ++asked; }

__global__ void turn(const int *in, int *out, int add) {
    __shared__ int s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = in[i] + add + gridDim.x;
    __syncthreads();
    out[i] += s[63 - threadIdx.x] * (threadIdx.x + 1);
}

int main() {
    const int blocks = 9;
    static int h[blocks * 64];
    for (int i = 0; i < blocks * 64; i++) h[i] = i * 5 % 97;
    int *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    for (int first = 1; first < blocks;)
        if (first % 2)
            turn<<<first++, 64>>>(in, out, 1);
        else
            turn<<<next(), dim3(64), 0, 0>>>(in, out, first++);
    for (int done = 0; done < blocks; done += 4) turn<<<smaller(4, blocks - done), 64>>>(in + done * 64, out + done * 64, done);
    turn<<<levels(blocks * 16), 64>>>(in, out, 3);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    unsigned sum = asked;
    for (int i = 0; i < blocks * 64; i++) sum = sum * 31 + h[i];
    printf("%u\n", sum);
}
