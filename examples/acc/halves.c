/* Two queues, each with half of the work: copies and kernels of one overlap with those of
   the other, and a third waits for both. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int n = 8192, half = n / 2;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    float largest = 0;
    int wrong = 0;

    for (int i = 0; i < n; i++)
        a[i] = (float)(i * 31 % 1000);

#pragma acc data create(a[0:n], b[0:n])
    {
        for (int q = 0; q < 2; q++) {
            const int from = q * half;
#pragma acc update device(a[from:half]) async(q)
#pragma acc parallel loop async(q) present(a[0:n], b[0:n])
            for (int i = from; i < from + half; i++)
                b[i] = a[i] * 2 + 1;
        }
#pragma acc parallel loop wait(0, 1) async(2) present(a[0:n], b[0:n])
        for (int i = 0; i < n; i++)
            a[i] = b[n - 1 - i];
#pragma acc update self(a[0:n]) async(2)
#pragma acc wait(2)
#pragma acc parallel loop reduction(max : largest) present(b[0:n])
        for (int i = 0; i < n; i++)
            largest = b[i] > largest ? b[i] : largest;
    }

    for (int i = 0; i < n; i++)
        wrong += a[i] != (float)((n - 1 - i) * 31 % 1000 * 2 + 1);
    printf("a[5] = %.0f, largest %.0f, %d wrong: %s\n", a[5], largest, wrong, wrong || largest != 1999 ? "FAILED" : "ok");
    free(a);
    free(b);
    return wrong || largest != 1999;
}
