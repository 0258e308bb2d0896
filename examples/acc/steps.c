/* Data that several functions work on: it enters the device in one, is present in others,
   and leaves it in the last. */
#include <stdio.h>
#include <stdlib.h>

static void begin(double *u, double *v, int n)
{
    for (int i = 0; i < n; i++)
        u[i] = i < n / 2;
#pragma acc enter data copyin(u[0:n]) create(v[0:n])
}

static void smooth(const double *u, double *v, int n)
{
#pragma acc parallel loop present(u[0:n], v[0:n])
    for (int i = 0; i < n; i++)
        v[i] = i == 0 || i == n - 1 ? u[i] : 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
}

static double total(const double *u, int n)
{
    double sum = 0;
    /* What is on the device already is not copied again. */
#pragma acc parallel loop copyin(u[0:n]) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += u[i];
    return sum;
}

static void end(double *u, double *v, int n)
{
#pragma acc exit data copyout(u[0:n]) delete (v[0:n])
}

int main(void)
{
    const int n = 1025, rounds = 40;
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);

    begin(u, v, n);
    for (int r = 0; r < rounds; r++) {
        smooth(u, v, n);
        smooth(v, u, n);
    }
    double sum = total(u, n);
    end(u, v, n);

    double again = 0;
    int falling = 1;
    for (int i = 0; i < n; i++) {
        again += u[i];
        falling = falling && (i == 0 || u[i] <= u[i - 1]);
    }
    int ok = falling && sum > again - 1e-9 && sum < again + 1e-9 && u[0] == 1 && u[n - 1] == 0;
    printf("sum %.6f, u[%d] = %.6f: %s\n", sum, n / 2 + 10, u[n / 2 + 10], ok ? "ok" : "FAILED");
    free(u);
    free(v);
    return !ok;
}
