/* A program that must be refused: the function behind a pointer is none that the device
   has, and nobody knows which one it is. */
#include <stdio.h>

#define N 1000

static float half(float v) { return v * 0.5f; }

int main(void)
{
    static float a[N];
    float (*change)(float) = half;

    for (int i = 0; i < N; i++)
        a[i] = (float)i;
#pragma acc parallel loop copy(a)
    for (int i = 0; i < N; i++)
        a[i] = change(a[i]);
    printf("a[10] = %.1f: %s\n", a[10], a[10] == 5 ? "ok" : "FAILED");
    return a[10] != 5;
}
