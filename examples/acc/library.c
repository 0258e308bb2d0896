/* The functions of openacc.h: a cache of rows on the device, which the program fills, updates
   and drops itself, and memory of the device that it allocates. */
#include <stdio.h>
#include <stdlib.h>
#include <openacc.h>

#define ROWS 20
#define COLUMNS 300

static double *rows[ROWS];

static double *row(int i)
{
    if (rows[i] == NULL) {
        rows[i] = malloc(COLUMNS * sizeof **rows);
        for (int j = 0; j < COLUMNS; j++)
            rows[i][j] = i + 0.5 * j;
        acc_copyin(rows[i], COLUMNS * sizeof **rows);
    }
    return rows[i];
}

/* Adds one row to another on the device, in a queue of its own. */
static void add(double *to, const double *from, int queue)
{
#pragma acc parallel loop present(to[0:COLUMNS], from[0:COLUMNS]) async(queue)
    for (int j = 0; j < COLUMNS; j++)
        to[j] += from[j];
}

int main(void)
{
    int wrong = 0;

    acc_init(acc_device_default);
    for (int i = 1; i < ROWS; i++)
        add(row(i), row(0), 1 + i % 3);
    while (!acc_async_test(1))
        ;
    acc_wait_all();

    /* The host's row is as it was, until it is asked for. */
    acc_update_self(rows[7], COLUMNS * sizeof **rows);
    printf("%g\n", rows[7][10]);
    for (int i = 0; i < ROWS; i++) {
        acc_copyout(rows[i], COLUMNS * sizeof **rows);
        for (int j = 0; j < COLUMNS; j++)
            wrong += rows[i][j] != (i == 0 ? 0.5 * j : i + 1.0 * j);
    }

    double *scratch = acc_malloc(COLUMNS * sizeof *scratch);
    acc_memcpy_to_device(scratch, rows[3], COLUMNS * sizeof *scratch);
#pragma acc parallel loop deviceptr(scratch)
    for (int j = 0; j < COLUMNS; j++)
        scratch[j] *= 2;
    acc_memcpy_from_device(rows[4], scratch, COLUMNS * sizeof *scratch);
    acc_free(scratch);
    wrong += rows[4][8] != 22;
    printf("%g, %d wrong: %s\n", rows[4][8], wrong, wrong ? "FAILED" : "ok");
    for (int i = 0; i < ROWS; i++)
        free(rows[i]);
    return wrong != 0;
}
