/* Global data that lives on the device: a table that kernels of several functions read. */
#include <stdio.h>

#define ENTRIES 256
#define N 4000

static int table[ENTRIES];
#pragma acc declare create(table)

static void fill(int factor)
{
    for (int i = 0; i < ENTRIES; i++)
        table[i] = i * factor % 251;
#pragma acc update device(table)
}

static void look_up(const unsigned char *in, int *out)
{
#pragma acc parallel loop copyin(in[0:N]) copyout(out[0:N]) default(present)
    for (int i = 0; i < N; i++)
        out[i] = table[in[i]] + table[255 - in[i]];
}

int main(void)
{
    static unsigned char in[N];
    static int out[N];
    int wrong = 0;

    for (int i = 0; i < N; i++)
        in[i] = (unsigned char)(i * 7);
    for (int factor = 3; factor < 6; factor++) {
        fill(factor);
        look_up(in, out);
        for (int i = 0; i < N; i++)
            wrong += out[i] != in[i] * factor % 251 + (255 - in[i]) * factor % 251;
    }
    printf("out[100] = %d, %d wrong: %s\n", out[100], wrong, wrong ? "FAILED" : "ok");
    return wrong != 0;
}
