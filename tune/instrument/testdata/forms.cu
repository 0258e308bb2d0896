// Every way in which memory is allocated and comes to the host.
#include <cstdio>
#include <memory>
#include <vector>

using namespace std;

#define begin(x) x
#define record 1
#define CHECK(x) do { if ((x) != cudaSuccess) { printf("%s failed\n", #x); exit(1); } } while (0)

enum class Colour : short { red, green };
struct Pair { int a; float b; };

__device__ int counter;
static __device__ double table[3][4];
namespace inner { namespace { __device__ volatile float hidden = 3; } }
#ifdef NEVER
__device__ int never;
#endif

__global__ void k(float *a, int n) {
    if (threadIdx.x < n) a[threadIdx.x] += 1 + inner::hidden;
    if (threadIdx.x == 0) ++counter;
}

extern "C" cudaError_t elsewhere(void *to, const void *from, size_t bytes);

template <class T> struct Array {
    T *p;
    explicit Array(size_t n) { CHECK(cudaMalloc<T>(&p, n * sizeof(T))); CHECK(cudaMemset(p, 0, n * sizeof(T))); }
    ~Array() { cudaFree(p); }
    void get(vector<T> &to) const { CHECK(::cudaMemcpy(to.data(), p, to.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
};

int main() {
    Array<float> a(64);
    Array<Pair> pairs(2);
    vector<float> h(64);
    vector<Pair> hp(2);
    a.get(h);                                                                                    // 1: 64 float
    pairs.get(hp);                                                                               // 2: 16 byte
    void *raw = nullptr;
    float *pitched, **pointers, *managed, rows[2][4];
    Colour *colours, c[2];
    size_t pitch;
    CHECK(cudaMalloc(&raw, 16));
    CHECK(cudaMalloc((void **)&colours, sizeof c));
    CHECK(cudaMemset(raw, 0, 16));
    CHECK(cudaMemset(colours, 0, sizeof c));
    CHECK(cudaMallocPitch(&pitched, &pitch, 16, 2));
    CHECK(cudaMemset2D(pitched, pitch, 0, 16, 2));
    CHECK(cudaMalloc(&pointers, 2 * sizeof *pointers));
    CHECK(cudaMallocManaged(&managed, 16));
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(8, 2, 2)));
    CHECK(cudaMemset3D(box, 0, make_cudaExtent(8, 2, 2)));

    for (int i = 0; i < 2; ++i) k<<<1, 64>>>(a.p, 64);
    void *arguments[] = {&a.p, nullptr};
    int n = 32;
    arguments[1] = &n;
    CHECK(cudaLaunchKernel((const void *)k, dim3(1), dim3(64), arguments, 0, 0));
    k<<<1, 32>>>(a.p, 32);

    CHECK(cudaMemcpy2D(rows, 16, pitched, pitch, 16, 2, cudaMemcpyDeviceToHost));                // 3: 8 float
    CHECK(cudaMemcpy2DAsync(rows[0], 16, pitched, pitch, 8, 2, cudaMemcpyDeviceToHost));         // 4 and 5: 2 float
    CHECK(cudaMemcpyAsync(c, colours, sizeof c, cudaMemcpyDefault, 0));                          // 6: 2 int16
    CHECK(cudaMemcpy(h.data(), raw, 16, cudaMemcpyDeviceToHost));                                // 7: 4 float
    CHECK(cudaMemcpy(&raw, pointers, 0, cudaMemcpyDeviceToHost));                                // of pointers
    CHECK(cudaMemcpy(raw, h.data(), 16, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(raw, a.p, 16, cudaMemcpyDefault));
    int count;
    double t[3][4];
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));                                  // 8: 1 int32
    CHECK(cudaMemcpyFromSymbolAsync(t, table, sizeof t, 0, cudaMemcpyDeviceToHost, 0));          // 9: 12 double
    cudaMemcpy3DParms p = cudaMemcpy3DParms();
    char cube[2][2][8];
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(cube, 8, 8, 2);
    p.extent = make_cudaExtent(8, 2, 2);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));                                                                     // 10: 32 byte
    CHECK(elsewhere(h.data(), a.p, 8));                                                          // 11: 8 byte
    printf("%d %g %g, line %d\n", count, h[0], h[1], __LINE__);
    unique_ptr<void, cudaError_t (*)(void *)> owned(raw, cudaFree);
    cudaFree(colours);
    cudaFree(pitched);
    cudaFree(pointers);
    cudaFree(managed);
    cudaFree(box.ptr);
    CHECK(cudaDeviceReset());
    return 0;
}
