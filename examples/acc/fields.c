/* Pointers in structures: clauses name members, over several functions, and kernels get their
   addresses on the device. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int rows, columns;
    float *old, *next;
} grid;

struct row { int length; float *at; };

static void smooth(grid *g)
{
    int rows = g->rows, columns = g->columns;
#pragma acc parallel loop collapse(2) present(g->old[0:rows * columns], g->next[0:rows * columns])
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            g->next[i * columns + j] = 0.25f * (g->old[(i - 1) * columns + j] + g->old[(i + 1) * columns + j] +
                                                g->old[i * columns + j - 1] + g->old[i * columns + j + 1]);
#pragma acc parallel loop
    for (int i = 0; i < rows * columns; i++)
        g->old[i] = g->next[i];
}

static void lift(struct row r, float by)
{
#pragma acc parallel loop copy(r.at[0:r.length])
    for (int i = 0; i < r.length; i++)
        r.at[i] += by;
}

int main(void)
{
    grid g = {48, 65, NULL, NULL};
    int size = g.rows * g.columns, wrong = 0;
    g.old = malloc(size * sizeof *g.old);
    g.next = malloc(size * sizeof *g.next);

    for (int i = 0; i < size; i++)
        g.old[i] = g.next[i] = (float)(i % g.columns); /* a plane stays as it is */
    struct row top = {g.columns, g.old};

#pragma acc data copy(g.old[0:size]) copyin(g.next[0:size])
    {
        for (int k = 0; k < 6; k++)
            smooth(&g);
#pragma acc update self(g.old[size - g.columns:g.columns])
        printf("%g\n", g.old[size - 1]);
    }
    for (int i = 0; i < size; i++)
        wrong += g.old[i] != (float)(i % g.columns);
    lift(top, 2);
    wrong += g.old[3] != 5 || g.old[g.columns + 3] != 3;
    printf("%g, %d wrong: %s\n", g.old[3], wrong, wrong ? "FAILED" : "ok");
    free(g.old);
    free(g.next);
    return wrong != 0;
}
