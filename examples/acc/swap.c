/* Two arrays of a stencil that change places on the host while a data region keeps both on the
   device: what is there belongs to the memory, not to the pointer. */
#include <stdio.h>
#include <stdlib.h>

static double *now, *before;

static void turn(void)
{
    double *t = now;
    now = before;
    before = t;
}

static double run(int n, int steps)
{
    const double *first = now;
    double most = 0;

#pragma acc data copy(now[0:n]) copyin(before[0:n])
    {
        for (int k = 0; k < steps; k++) {
            turn();
#pragma acc parallel loop
            for (int i = 1; i < n - 1; i++)
                now[i] = 0.5 * (before[i - 1] + before[i + 1]);
        }
#pragma acc parallel loop reduction(max:most)
        for (int i = 0; i < n; i++)
            if (now[i] > most)
                most = now[i];
#pragma acc update self(now[0:n])
    }
    printf("%s\n", first == now ? "the same place" : "the other place");
    return most;
}

int main(void)
{
    const int n = 400;
    double sum = 0;
    now = malloc(n * sizeof *now);
    before = malloc(n * sizeof *before);
    for (int i = 0; i < n; i++)
        now[i] = before[i] = i % 2 ? 4 : 0;

    double most = run(n, 5);
    for (int i = 2; i < n - 2; i++)
        sum += now[i] != (i % 2 ? 0 : 4);
    int wrong = sum > 8 || most != 4;
    printf("%g differ, most %g: %s\n", sum, most, wrong ? "FAILED" : "ok");
    free(now);
    free(before);
    return wrong;
}
