/* What is there or not: data regions and updates under a condition, memory that is used only
   where it is present, clauses for one kind of device, and regions that stay on the host. */
#include <stdio.h>
#include <stdlib.h>

/* Adds to each element; the region copies the array if nothing around has. */
static void add(int *a, int n, int by)
{
#pragma acc parallel loop copy(a[0:n]) \
    device_type(host) num_gangs(1) device_type(nvidia) vector_length(128)
    for (int i = 0; i < n; i++)
        a[i] += by;
}

/* Counts on the device what is there already, and else on the host. */
static long total(const int *a, int n, int there)
{
    long sum = 0;
#pragma acc parallel loop no_create(a[0:n]) self(!there) reduction(+:sum) async
    for (int i = 0; i < n; i++)
        sum += a[i];
#pragma acc wait
    return sum;
}

static long run(int n, int keep)
{
    int *a = malloc(n * sizeof *a);
    long sums = 0;

    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma acc data copy(a[0:n]) if (keep)
    {
        add(a, n, 1);
        add(a, n, 2);
        /* With the copy kept, the host's values are still those of before. */
#pragma acc update self(a[0:n]) if_present
        sums = a[n - 1];
        sums += total(a, n, keep);
    }
#pragma acc serial self
    {
        a[0] += 5;
    }
    sums += a[0];
    free(a);
    return sums;
}

/* A table that lives on the device while the function runs. */
static int lookup(int key)
{
    static int squares[64];
    int found = 0;
#pragma acc declare create(squares)
#pragma acc parallel loop
    for (int i = 0; i < 64; i++)
        squares[i] = i * i;
#pragma acc serial copyout(found)
    found = squares[key];
    return found;
}

int main(void)
{
    int wrong = 0;

#pragma acc init device_type(nvidia)
#pragma acc set default_async(3)
    for (int keep = 0; keep <= 1; keep++)
        for (int n = 1; n < 2000; n = 3 * n + 1) {
            long got = run(n, keep), want = (n - 1 + 3) + ((long)n * (n - 1) / 2 + 3L * n) + 8;
            printf("%d %d: %ld\n", keep, n, got);
            wrong += got != want;
        }
    printf("lookup %d\n", lookup(9));
    wrong += lookup(9) != 81;
    printf("%d wrong: %s\n", wrong, wrong ? "FAILED" : "ok");
#pragma acc shutdown
    return wrong != 0;
}
