/* A histogram and a list without gaps: additions that must not be lost, and a counter
   of which each iteration takes one value. */
#include <stdio.h>
#include <stdlib.h>

#define BINS 64

int main(void)
{
    const int n = 5000;
    unsigned *value = malloc(n * sizeof *value), *kept = malloc(n * sizeof *kept);
    int bin[BINS] = {0}, found = 0;

    for (int i = 0; i < n; i++)
        value[i] = (unsigned)i * 2654435761u >> 7;

#pragma acc data copyin(value[0:n]) copy(bin) copyout(kept[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; i++) {
#pragma acc atomic update
            bin[value[i] % BINS]++;
        }
#pragma acc parallel loop copy(found)
        for (int i = 0; i < n; i++) {
            if (value[i] % 10 == 0) {
                int place;
#pragma acc atomic capture
                place = found++;
                kept[place] = value[i];
            }
        }
    }

    int want[BINS] = {0}, tens = 0, wrong = 0;
    unsigned sum = 0, want_sum = 0;
    for (int i = 0; i < n; i++) {
        want[value[i] % BINS]++;
        if (value[i] % 10 == 0) {
            tens++;
            want_sum += value[i];
        }
    }
    for (int i = 0; i < BINS; i++)
        wrong += want[i] != bin[i];
    for (int i = 0; i < found; i++)
        sum += kept[i];
    wrong += found != tens || sum != want_sum;
    printf("bin 3 has %d, %d divide by ten, %d wrong: %s\n", bin[3], found, wrong, wrong ? "FAILED" : "ok");
    free(value);
    free(kept);
    return wrong != 0;
}
