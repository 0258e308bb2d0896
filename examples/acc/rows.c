/* A thread block for each row, whose threads share loops over its elements: the largest one, a
   sum, steps of a recurrence that wait for one another, and a copy of the row that the block has
   for itself. Between the loops stand statements for the row as a whole. */
#include <math.h>
#include <stdio.h>

#define ROWS 37
#define COLUMNS 150

static double a[ROWS][COLUMNS], before[ROWS][COLUMNS], sums[ROWS];

int main(void)
{
    int i, j, step, wrong = 0;
    double largest, total = 0, expected = 0, row[COLUMNS];

    for (i = 0; i < ROWS; i++)
        for (j = 0; j < COLUMNS; j++)
            a[i][j] = (i * 7 + j * 3) % 11 - 4;

    /* Each row becomes its softmax; the largest elements are added up. */
#pragma acc data copy(a) copyout(sums) create(before)
    {
#pragma acc parallel loop gang vector_length(64) reduction(+:total)
        for (i = 0; i < ROWS; i++) {
            double sum = 0;
            largest = a[i][0];
#pragma acc loop vector reduction(max:largest)
            for (j = 1; j < COLUMNS; j++)
                largest = a[i][j] > largest ? a[i][j] : largest;
            // powers of each, and their sum
#pragma acc loop vector
            for (j = 0; j < COLUMNS; j++)
                a[i][j] = exp(a[i][j] - largest);
#pragma acc loop vector reduction(+:sum)
            for (j = COLUMNS - 1; j >= 0; j--)
                sum += a[i][j];
#pragma acc loop vector
            for (j = 0; j < COLUMNS; j++)
                a[i][j] /= sum;
            sums[i] = sum;
            total += largest;
        }

        /* Three steps in each row, with something for the middle where it is small. */
#pragma acc parallel loop gang
        for (i = 0; i < ROWS; i++)
            for (step = 0; step < 3; step++) {
#pragma acc loop vector
                for (j = 0; j < COLUMNS; j++)
                    before[i][j] = a[i][j];
#pragma acc loop vector
                for (j = 1; j < COLUMNS - 1; j++)
                    a[i][j] = (before[i][j - 1] + before[i][j + 1]) / 2;
                if (a[i][COLUMNS / 2] < 0.01) {
                    a[i][COLUMNS / 2] += 0.25;
                }
            }

        /* Each row is turned around, by a copy in shared memory. */
#pragma acc parallel loop gang num_gangs(5) private(row)
        for (i = 0; i < ROWS; i++) {
#pragma acc loop vector
            for (j = 0; j < COLUMNS; j++)
                row[j] = a[i][j];
#pragma acc loop vector
            for (j = 0; j < COLUMNS; j++)
                a[i][j] = row[COLUMNS - 1 - j];
        }
    }

    /* The same, row by row. */
    for (i = 0; i < ROWS; i++) {
        double x[COLUMNS], y[COLUMNS], sum = 0, most = -4;
        for (j = 0; j < COLUMNS; j++) {
            x[j] = (i * 7 + j * 3) % 11 - 4;
            most = x[j] > most ? x[j] : most;
        }
        for (j = 0; j < COLUMNS; j++)
            sum += x[j] = exp(x[j] - most);
        for (j = 0; j < COLUMNS; j++)
            x[j] /= sum;
        wrong += fabs(sums[i] - sum) > 1e-9;
        expected += most;
        for (step = 0; step < 3; step++) {
            for (j = 0; j < COLUMNS; j++)
                y[j] = x[j];
            for (j = 1; j < COLUMNS - 1; j++)
                x[j] = (y[j - 1] + y[j + 1]) / 2;
            if (x[COLUMNS / 2] < 0.01)
                x[COLUMNS / 2] += 0.25;
        }
        for (j = 0; j < COLUMNS; j++)
            wrong += fabs(a[i][COLUMNS - 1 - j] - x[j]) > 1e-9;
    }
    printf("%.3f %.6f, %d wrong: %s\n", total, a[5][1], wrong, wrong || total != expected ? "FAILED" : "ok");
    return wrong != 0 || total != expected;
}
