/* Gangs, workers and vectors by name, with sizes of their own; a sum of the vector lanes for
   each row, an inner loop that stays sequential, and variables of a thread. */
#include <stdio.h>

#define N 96

static float lower[N][N], x[N], y[N];

int main(void)
{
    float scale = 0.5f, shift = 3;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 11);
        for (int j = 0; j <= i; j++)
            lower[i][j] = (float)((i + j) % 13);
    }

    /* Each row of a triangular matrix: its length depends on the row. */
#pragma acc parallel num_gangs(12) num_workers(4) vector_length(32) firstprivate(scale) copyin(lower, x) copyout(y)
    {
#pragma acc loop gang worker
        for (int i = 0; i < N; i++) {
            float sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (int j = 0; j <= i; j++)
                sum += lower[i][j] * x[j];
            y[i] = sum * scale;
        }
    }

    float last[3], t;
#pragma acc parallel loop gang vector private(last, t) copy(y) copyin(shift)
    for (int i = 0; i < N; i++) {
        last[0] = y[i];
#pragma acc loop seq
        for (int k = 1; k < 3; k++) {
            t = last[k - 1] + shift;
            last[k] = t;
        }
        y[i] = last[2];
    }

    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int j = 0; j <= i; j++)
            sum += (i + j) % 13 * (j % 11);
        wrong += y[i] != sum * 0.5f + 6;
    }
    printf("y[50] = %.1f, %d wrong: %s\n", y[50], wrong, wrong ? "FAILED" : "ok");
    return wrong != 0;
}
