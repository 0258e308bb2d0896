// The same computation in sequential C++: product SIZE REPEATS.
#include <cstdio>
#include <cstdlib>
#include <vector>

__attribute__((noinline)) void product(const float *a, const float *b, float *c, int n) {
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}

int main(int, char **argv) {
    const int n = atoi(argv[1]), repeats = atoi(argv[2]);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = i * 7 % 13;
        b[i] = i * 5 % 11;
    }
    for (int i = 0; i < repeats; ++i) product(a.data(), b.data(), c.data(), n);
    printf("%.0f\n", repeats ? c[n + 1] : 0);
    return 0;
}
