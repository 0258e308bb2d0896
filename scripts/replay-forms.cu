// A main around that of a program whose form is measured by scripts/replay-forms.sh: it is compiled with
// -Dmain=form_main and linked with --wrap for the calls by which kernels are launched.
//
//   FORM check ARGUMENTS…      calls it with each list of arguments, a string each
//   FORM time N ARGUMENTS      times its launches
//
// A launch that is timed runs once as the program asks for, and then again with the same arguments: until the
// clocks are up, and N times between events, in three batches with a pause between them. So a program
// makes its input once, and no host code lies between the runs. A kernel that goes on from its results
// computes something else each time.
//
// Each line has the kernel's name, mangled, and, in microseconds, the fastest run and the median of each batch. LOCK=FILE
// is held while a launch is timed: what several processes have to compute beside that, they do at once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cuda_runtime.h>

int form_main(int argc, char **argv);

static int runs = 0;

// The file of LOCK, locked.
struct Lock {
    int file = -1;
    Lock()
    {
        const char *name = getenv("LOCK");
        if (!name) return;
        file = open(name, O_CREAT | O_RDWR, 0666);
        if (file < 0 || flock(file, LOCK_EX)) perror(name);
    }
    ~Lock()
    {
        if (file >= 0) close(file);
    }
};

template <typename Launch>
static void timed(const void *kernel, dim3 grid, dim3 block, size_t bytes, cudaStream_t stream, Launch again)
{
    if (!runs) return;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaStreamSynchronize(stream);
    const Lock lock;
    float fastest = 1e30f, medians[3];
    for (int batch = 0; batch < 3; ++batch) {
        const auto since = std::chrono::steady_clock::now();
        if (batch) usleep(3000);
        do {
            again();
            cudaStreamSynchronize(stream);
        } while (std::chrono::steady_clock::now() - since < std::chrono::milliseconds(batch ? 6 : 20));
        std::vector<float> took(runs);
        for (float &ms : took) {
            cudaEventRecord(begin, stream);
            again();
            cudaEventRecord(end, stream);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);
        }
        std::sort(took.begin(), took.end());
        fastest = std::min(fastest, took[0]);
        medians[batch] = took[runs / 2];
    }
    const cudaError_t status = cudaGetLastError();
    cudaFuncAttributes a = {};
    cudaFuncGetAttributes(&a, kernel);
    int resident = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block.x * block.y * block.z, bytes);
    const char *name = "?";
#if CUDART_VERSION >= 12030
    cudaFuncGetName(&name, kernel);
#endif
    printf("launch %s grid %u,%u,%u block %u,%u,%u dynamic %zu static %zu registers %d local %zu resident %d us %.2f %.2f %.2f %.2f %s\n",
           name, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, a.sharedSizeBytes, a.numRegs,
           a.localSizeBytes, resident, 1000 * fastest, 1000 * medians[0], 1000 * medians[1], 1000 * medians[2],
           cudaGetErrorName(status));
}

extern "C" cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t __wrap_cudaLaunchKernel(const void *k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s)
{
    const cudaError_t r = __real_cudaLaunchKernel(k, g, b, a, n, s);
    if (!r) timed(k, g, b, n, s, [&] { __real_cudaLaunchKernel(k, g, b, a, n, s); });
    return r;
}
#if CUDART_VERSION >= 13000
// What <<<…>>> calls from CUDA 13 on.
extern "C" cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s)
{
    const cudaError_t r = __real___cudaLaunchKernel(k, g, b, a, n, s);
    if (!r) timed((const void *)k, g, b, n, s, [&] { __real___cudaLaunchKernel(k, g, b, a, n, s); });
    return r;
}
#endif

static int call(const char *line)
{
    std::vector<std::string> words(1, "./program");
    const std::string text(line);
    for (size_t i = 0; i < text.size();) {
        const size_t j = std::min(text.find(' ', i), text.size());
        if (j > i) words.push_back(text.substr(i, j - i));
        i = j + 1;
    }
    std::vector<char *> argv;
    for (std::string &w : words) argv.push_back(&w[0]);
    argv.push_back(NULL);
    return form_main((int)words.size(), argv.data());
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "time")) {
        runs = atoi(argv[2]);
        return call(argv[3]);
    }
    for (int i = 2; i < argc; ++i) {
        const int status = call(argv[i]);
        const cudaError_t e = cudaDeviceSynchronize();
        printf("== %s: status %d, %s\n", argv[i], status, cudaGetErrorName(e));
        fflush(stdout);
        if (status || e) return 1;
    }
    return 0;
}
