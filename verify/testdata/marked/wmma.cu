// Products of fragments, of all shapes and types, against plain loops.
#include <mma.h>
#include <cstdio>
#include <type_traits>
#include <vector>
using namespace nvcuda;

template <class T> struct held { typedef T type; };
template <> struct held<wmma::precision::tf32> { typedef float type; };

__global__ void wrong(int shape) { if (blockIdx.x == shape) __trap(); }

// All of A, B and C are scaled where they are held.
template <int M, int N, int K, class T, class S, class LA, class LB, wmma::layout_t LC>
__global__ void product(const typename held<T>::type *a, const typename held<T>::type *b, const S *c, S *d) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc, fd;
    static_assert(fc.num_elements == M * N / 32, "");
    wmma::load_matrix_sync(fa, a, std::is_same<LA, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(fb, b, std::is_same<LB, wmma::row_major>::value ? N : K);
    wmma::load_matrix_sync(fc, c, LC == wmma::mem_row_major ? N : M, LC);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = fa.x[i] + fa.x[i];
    for (auto &x : fc.x) x = x + x;
    wmma::fill_fragment(fd, 0);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, LC == wmma::mem_row_major ? N : M, LC);
}

template <int M, int N, int K, class T, class S, class LA, class LB, wmma::layout_t LC> int products(int shape) {
    typedef typename held<T>::type H;
    std::vector<H> a(M * K), b(K * N);
    std::vector<S> c(M * N), d(M * N);
    auto at = [](bool rows, int height, int width, int r, int k) { return rows ? r * width + k : k * height + r; };
    auto A = [](int r, int k) { return (r * 3 + k * 5 + r * k) % 7; };
    auto B = [](int k, int n) { return (k * 2 + n * 3 + k * n) % 5; };
    const bool ra = std::is_same<LA, wmma::row_major>::value, rb = std::is_same<LB, wmma::row_major>::value, rc = LC == wmma::mem_row_major;
    for (int r = 0; r < M; ++r) for (int k = 0; k < K; ++k) a[at(ra, M, K, r, k)] = H(float(A(r, k)));
    for (int k = 0; k < K; ++k) for (int n = 0; n < N; ++n) b[at(rb, K, N, k, n)] = H(float(B(k, n)));
    for (int r = 0; r < M; ++r) for (int n = 0; n < N; ++n) c[at(rc, M, N, r, n)] = S(float(r + n));
    H *da, *db;
    S *dc;
    cudaMalloc(&da, M * K * sizeof(H)); cudaMalloc(&db, K * N * sizeof(H)); cudaMalloc(&dc, M * N * sizeof(S));
    cudaMemcpy(da, a.data(), M * K * sizeof(H), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), K * N * sizeof(H), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), M * N * sizeof(S), cudaMemcpyHostToDevice);
    product<M, N, K, T, S, LA, LB, LC><<<1, 32>>>(da, db, dc, dc);
    cudaMemcpy(d.data(), dc, M * N * sizeof(S), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int r = 0; r < M; ++r) for (int n = 0; n < N; ++n) {
        int sum = 2 * (r + n);
        for (int k = 0; k < K; ++k) sum += 2 * A(r, k) * B(k, n);
        bad += float(d[at(rc, M, N, r, n)]) != float(sum);
    }
    if (bad) wrong<<<shape + 1, 1>>>(shape);
    return bad;
}

template <int M, int N, int K, class T, class S> void layouts(int shape) {
    using namespace wmma;
    products<M, N, K, T, S, row_major, col_major, mem_row_major>(shape);
    products<M, N, K, T, S, col_major, row_major, mem_col_major>(shape);
}
template <class T, class S> void shapes(int shape) {
    layouts<16, 16, 16, T, S>(shape);
    layouts<32, 8, 16, T, S>(shape + 1);
    layouts<8, 32, 16, T, S>(shape + 2);
}

int main() {
    shapes<half, half>(0);
    shapes<half, float>(3);
    shapes<__nv_bfloat16, float>(6);
    shapes<signed char, int>(9);
    shapes<unsigned char, int>(12);
    layouts<16, 16, 8, wmma::precision::tf32, float>(15);
    layouts<8, 8, 4, double, double>(16);
}
