/* Heat in a plate by Jacobi's method: a data region around a loop of the host, two nests
   that the compiler may make parallel by what it proves, a maximum, and an update. */
#include <math.h>
#include <stdio.h>

#define ROWS 66
#define COLUMNS 130

static double plate[ROWS][COLUMNS], next[ROWS][COLUMNS];

int main(void)
{
    const double close_enough = 0.06;
    double change = 1;
    int rounds = 0;

    for (int j = 0; j < COLUMNS; j++)
        plate[0][j] = next[0][j] = 100;

#pragma acc data copy(plate) copyin(next)
    {
        while (change > close_enough && rounds < 500) {
            change = 0;
#pragma acc kernels
            {
#pragma acc loop reduction(max : change)
                for (int i = 1; i < ROWS - 1; i++) {
#pragma acc loop reduction(max : change)
                    for (int j = 1; j < COLUMNS - 1; j++) {
                        next[i][j] = 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]);
                        change = fmax(change, fabs(next[i][j] - plate[i][j]));
                    }
                }
                for (int i = 1; i < ROWS - 1; i++)
                    for (int j = 1; j < COLUMNS - 1; j++)
                        plate[i][j] = next[i][j];
            }
            rounds++;
            if (rounds % 100 == 0) {
#pragma acc update self(plate[ROWS / 2 : 1][0:COLUMNS])
                printf("round %d: %.6f in the middle\n", rounds, plate[ROWS / 2][COLUMNS / 2]);
            }
        }
    }

    /* What leaves each inner point is what comes in, but for the last change. */
    double worst = 0;
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            worst = fmax(worst, fabs(plate[i][j] - 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1])));
    printf("%d rounds, %.6f near the hot edge, largest change %.6f: %s\n", rounds, plate[1][COLUMNS / 2], change,
           worst <= close_enough ? "ok" : "FAILED");
    return worst > close_enough;
}
