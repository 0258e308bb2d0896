/* y = a*x + y: one loop, its data by clauses of the same directive. */
#include <stdio.h>
#include <stdlib.h>

void saxpy(int n, float a, const float *restrict x, float *restrict y)
{
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    const int n = 10007;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 17);
        y[i] = (float)(i % 5);
    }
    saxpy(n, 2.0f, x, y);
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2.0f * (i % 17) + i % 5;
    printf("y[1000] = %.1f, %d wrong: %s\n", y[1000], wrong, wrong ? "FAILED" : "ok");
    free(x);
    free(y);
    return wrong != 0;
}
