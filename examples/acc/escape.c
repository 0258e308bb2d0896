/* A function that kernels call, one thread each: how long a point takes to leave. */
#include <stdio.h>

#define ROWS 48
#define COLUMNS 80

#pragma acc routine seq
static int rounds_of(double x, double y, int most)
{
    double a = 0, b = 0;
    int n = 0;
    while (n < most && a * a + b * b <= 4) {
        double t = a * a - b * b + x;
        b = 2 * a * b + y;
        a = t;
        n++;
    }
    return n;
}

int main(void)
{
    static int picture[ROWS][COLUMNS];
    const int most = 200;
    long inside = 0, want = 0;

#pragma acc parallel loop gang copyout(picture)
    for (int i = 0; i < ROWS; i++) {
#pragma acc loop vector
        for (int j = 0; j < COLUMNS; j++)
            picture[i][j] = rounds_of(-2.2 + 3.2 * j / COLUMNS, -1.2 + 2.4 * i / ROWS, most);
    }

    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int n = rounds_of(-2.2 + 3.2 * j / COLUMNS, -1.2 + 2.4 * i / ROWS, most);
            wrong += n != picture[i][j];
            inside += picture[i][j] == most;
            want += n == most;
        }
    printf("%ld points stay, %d rounds at 20,20, %d wrong: %s\n", inside, picture[20][20], wrong, wrong || inside != want ? "FAILED" : "ok");
    return wrong || inside != want;
}
