/* Reductions of arrays: each thread has the few elements for itself, and they are combined
   like variables. */
#include <stdio.h>
#include <stdlib.h>

#define BANDS 6

int main(void)
{
    const int n = 20000;
    double *sample = malloc(n * sizeof *sample);
    double energy[BANDS] = {0}, check[BANDS] = {0};
    int count[BANDS] = {0}, first[BANDS], wrong = 0;

    for (int k = 0; k < BANDS; k++)
        first[k] = n;
    for (int i = 0; i < n; i++)
        sample[i] = (i * 37 % 101) * 0.25;

#pragma acc parallel loop copyin(sample[0:n]) reduction(+:energy, count[0:BANDS]) reduction(min:first)
    for (int i = 0; i < n; i++) {
        int band = (int)sample[i] % BANDS;
        energy[band] += sample[i] * sample[i];
        count[band]++;
        if (i < first[band])
            first[band] = i;
    }

    for (int i = 0; i < n; i++)
        check[(int)sample[i] % BANDS] += sample[i] * sample[i];
    int all = 0;
    for (int k = 0; k < BANDS; k++) {
        printf("band %d: %.2f of %d, from %d\n", k, energy[k], count[k], first[k]);
        wrong += energy[k] != check[k] || first[k] >= n || (int)sample[first[k]] % BANDS != k;
        all += count[k];
    }
    wrong += all != n;
    printf("%d wrong: %s\n", wrong, wrong ? "FAILED" : "ok");
    free(sample);
    return wrong != 0;
}
