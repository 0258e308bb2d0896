/* Every operator that a reduction has. */
#include <stdio.h>

#define N 3000

int main(void)
{
    static int bits[N];
    static double value[N];
    long sum = 7; /* what a variable holds before counts, too */
    double sum_of_halves = 0, product = 1, largest = -1e30, smallest = 1e30;
    int every = ~0, some = 0, odd = 0, all_small = 1, any_large = 0;

    for (int i = 0; i < N; i++) {
        bits[i] = i * 37 % 1024 | 0x400;
        value[i] = (i * 53 % 1009 - 500) * 0.5;
    }

#pragma acc data copyin(bits, value)
    {
#pragma acc parallel loop reduction(+ : sum, sum_of_halves)
        for (int i = 0; i < N; i++) {
            sum += bits[i];
            sum_of_halves += value[i];
        }
#pragma acc parallel loop reduction(* : product)
        for (int i = 0; i < 20; i++)
            product *= 1 + i % 3;
#pragma acc parallel loop reduction(max : largest) reduction(min : smallest)
        for (int i = 0; i < N; i++) {
            if (value[i] > largest)
                largest = value[i];
            smallest = value[i] < smallest ? value[i] : smallest;
        }
#pragma acc parallel loop reduction(& : every) reduction(| : some) reduction(^ : odd)
        for (int i = 0; i < N; i++) {
            every &= bits[i];
            some |= bits[i];
            odd ^= bits[i];
        }
#pragma acc parallel loop reduction(&& : all_small) reduction(|| : any_large)
        for (int i = 0; i < N; i++) {
            all_small = all_small && bits[i] < 2048;
            any_large = any_large || value[i] > 251;
        }
    }

    long want_sum = 7;
    double want_halves = 0, want_largest = -1e30, want_smallest = 1e30, want_product = 1;
    int want_every = ~0, want_some = 0, want_odd = 0, want_small = 1, want_large = 0;
    for (int i = 0; i < N; i++) {
        want_sum += bits[i];
        want_halves += value[i];
        if (i < 20)
            want_product *= 1 + i % 3;
        want_largest = value[i] > want_largest ? value[i] : want_largest;
        want_smallest = value[i] < want_smallest ? value[i] : want_smallest;
        want_every &= bits[i];
        want_some |= bits[i];
        want_odd ^= bits[i];
        want_small = want_small && bits[i] < 2048;
        want_large = want_large || value[i] > 251;
    }
    int ok = sum == want_sum && sum_of_halves == want_halves && product == want_product && largest == want_largest &&
             smallest == want_smallest && every == want_every && some == want_some && odd == want_odd &&
             all_small == want_small && any_large == want_large;
    printf("+ %ld %.1f, * %.0f, max %.1f, min %.1f, & %x, | %x, ^ %x, && %d, || %d: %s\n", sum, sum_of_halves, product,
           largest, smallest, every, some, odd, all_small, any_large, ok ? "ok" : "FAILED");
    return !ok;
}
