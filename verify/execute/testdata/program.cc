// A program that plays the runtime: it writes report lines with program counters of its own, and ends
// in every way that a program can. The tests find lines by the marks behind "at:".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <link.h>
#include <unistd.h>

static FILE *report;

__attribute__((noinline)) static void tell(const char *format) {
    uintptr_t pc = (uintptr_t)__builtin_return_address(0) - 1;
    dl_iterate_phdr([](dl_phdr_info *i, size_t, void *p) { *(uintptr_t *)p -= i->dlpi_addr; return 1; }, &pc);
    unsigned long n = pc;
    fprintf(report, format, (unsigned long)pc, (unsigned long)pc);
    fflush(report);
}

#line 1 "kernel.cu"
// the text of the original begins here
__attribute__((noinline)) void device_runtime() {
    tell("{\"code\":\"race\",\"kernel\":\"k\",\"launch\":2,\"block\":[1,0,0],\"thread\":[5,0,0],\"pcs\":[%lu],\"write\":true,\"space\":\"shared\","
         "\"variable\":\"tile\",\"file\":\"kernel.cu\",\"line\":9,\"offset\":128,\"bytes\":4,\"other\":{\"block\":[1,0,0],\"thread\":[4,0,0],\"pcs\":[%lu]}}\n");
}
void kernel() {
    tell("{\"code\":\"out-of-bounds\",\"pcs\":[%lu]}\n"); // at: bounds
    tell("{\"code\":\"barrier-divergence\",\"waiters\":[{\"what\":\"barrier 0\",\"threads\":3,\"pcs\":[%lu]},{\"what\":\"barrier 0\",\"threads\":5,\"pcs\":[%lu]}]}\n");
    tell("{\"code\":\"barrier-divergence\",\"waiters\":[{\"what\":\"barrier 0\",\"threads\":3,\"pcs\":[%lu]},{\"what\":\"exit\",\"threads\":5}]}\n"); // at: exit
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    report = fopen(getenv("SMUX_REPORT"), "w");
    if (!strcmp(what, "findings")) {
        device_runtime();
        kernel();
        fputs("{\"code\":\"not-supported\",\"name\":\"cudaFoo\"}\n", report);
        fputs("{\"code\":\"reached\",\"text\":\"4711 64 815 1 \"}\n", report);
        fputs("{\"code\":\"end\",\"fatal\":false,\"launches\":2,\"blocks\":6,\"threads\":384,\"switches\":1000,\"checked\":true}\n", report);
        fputs("{\"code\":\"race\",\"ker", report);
    }
    if (!strcmp(what, "environment"))
        for (const char *name : {"SMUX_ORDER", "SMUX_CHECKS", "SMUX_WATCHDOG", "SMUX_COPIES", "LANG", "MINE", "SECRET"})
            printf("%s=%s\n", name, getenv(name) ? getenv(name) : "(none)");
    if (!strcmp(what, "exit")) return atoi(argv[2]);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "echo"))
        for (int c; (c = getchar()) != EOF;) putchar(c);
    if (!strcmp(what, "much"))
        for (int i = 0; i < 1000; ++i) puts("0123456789");
    if (!strcmp(what, "hang")) {
        puts("before");
        fflush(stdout);
        // A child holds standard output open and has to go, too.
        if (fork() == 0) {
            FILE *f = fopen(argv[2], "w");
            fprintf(f, "%d", (int)getpid());
            fclose(f);
        }
        for (;;) pause();
    }
    return 0;
}
