/* What decides whether the device works at all: if, serial, and a region in which all
   data must be present. */
#include <stdio.h>
#include <stdlib.h>

static long triangle(int *a, int n)
{
    long last = 0;
    /* Few elements are not worth the way to the device. */
#pragma acc parallel loop if (n > 100) copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i + 1;

    /* Each element needs the one before it: one thread does it all. */
#pragma acc data copy(a[0:n])
    {
#pragma acc serial default(present) copyout(last)
        {
            for (int i = 1; i < n; i++)
                a[i] += a[i - 1];
            last = a[n - 1];
        }
    }
    return last;
}

int main(void)
{
    int *a = malloc(1000 * sizeof *a), wrong = 0;
    const int sizes[] = {1, 99, 100, 101, 1000};

    for (int s = 0; s < 5; s++) {
        long n = sizes[s], got = triangle(a, (int)n);
        printf("%ld: %ld\n", n, got);
        wrong += got != n * (n + 1) / 2 || a[n / 2] != (n / 2 + 1) * (n / 2 + 2) / 2;
    }
    printf("%d wrong: %s\n", wrong, wrong ? "FAILED" : "ok");
    free(a);
    return wrong != 0;
}
