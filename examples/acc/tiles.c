/* A transposition in tiles: neighbours along both axes belong together. */
#include <stdio.h>

#define ROWS 75
#define COLUMNS 130

static float a[ROWS][COLUMNS], b[COLUMNS][ROWS];

int main(void)
{
    int wrong = 0;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = (float)(i * COLUMNS + j);

#pragma acc parallel loop tile(16, 16) copyin(a) copyout(b)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            b[j][i] = a[i][j];

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            wrong += b[j][i] != (float)(i * COLUMNS + j);
    printf("b[7][9] = %.0f, %d wrong: %s\n", b[7][9], wrong, wrong ? "FAILED" : "ok");
    return wrong != 0;
}
