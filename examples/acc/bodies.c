/* A structure of numbers and pointers: its arrays are members. */
#include <stdio.h>
#include <stdlib.h>

struct bodies {
    int count;
    float step;
    float *position, *speed;
};

static void move(struct bodies *b, int rounds)
{
    float *position = b->position, *speed = b->speed;
    const int count = b->count;
    const float step = b->step;

#pragma acc data copy(position[0:count], speed[0:count])
    for (int r = 0; r < rounds; r++) {
#pragma acc parallel loop
        for (int i = 0; i < count; i++) {
            position[i] += step * speed[i];
            if (position[i] < 0 || position[i] > 64)
                speed[i] = -speed[i];
        }
    }
}

static float fastest(struct bodies b)
{
    const float *speed = b.speed;
    float most = 0;
    /* The numbers of the structure go with each launch; its arrays are named for themselves. */
#pragma acc parallel loop copyin(speed[0:b.count]) reduction(max : most)
    for (int i = 0; i < b.count; i++) {
        float v = speed[i] * b.step;
        most = v > most ? v : most;
    }
    return most;
}

int main(void)
{
    float *position = malloc(500 * sizeof *position), *speed = malloc(500 * sizeof *speed);
    struct bodies b = {500, 0.5f, position, speed};
    float *at = malloc(500 * sizeof *at), *by = malloc(500 * sizeof *by);
    int wrong = 0;

    for (int i = 0; i < b.count; i++) {
        at[i] = b.position[i] = (float)(i % 64);
        by[i] = b.speed[i] = (float)(i % 9 - 4);
    }
    move(&b, 30);
    float most = fastest(b), want = 0;
    for (int i = 0; i < b.count; i++) {
        for (int r = 0; r < 30; r++) {
            at[i] += 0.5f * by[i];
            if (at[i] < 0 || at[i] > 64)
                by[i] = -by[i];
        }
        wrong += at[i] != b.position[i] || by[i] != b.speed[i];
        want = 0.5f * by[i] > want ? 0.5f * by[i] : want;
    }
    wrong += most != want;
    printf("body 123 at %.1f, fastest %.1f, %d wrong: %s\n", b.position[123], most, wrong, wrong ? "FAILED" : "ok");
    free(position);
    free(speed);
    free(at);
    free(by);
    return wrong != 0;
}
