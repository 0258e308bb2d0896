/* C = A*B: two parallel loops made one, a sum of its own for each element, and rows and
   columns that neighbours read again: work for shared memory. */
#include <stdio.h>
#include <stdlib.h>

void product(int n, int m, int k, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n * k], b[0:k * m]) copyout(c[0:n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
#pragma acc loop seq
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * m + j];
            c[i * m + j] = sum;
        }
}

int main(void)
{
    const int n = 70, m = 65, k = 50;
    float *a = malloc(n * k * sizeof *a), *b = malloc(k * m * sizeof *b), *c = malloc(n * m * sizeof *c);
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
