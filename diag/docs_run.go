package diag

// runDocs are the codes of programs that could not be run, so that nothing can
// be said about them: the exit code is 3.
var runDocs = []Doc{
	{
		Code: "no-compiler", Title: "there is no C++ compiler to run programs with",
		Help: "install g++ or clang++, or name one with --cxx",
		Text: `
smux verify and smux check translate CUDA to C++ and compile that. They need g++
or clang++ and nothing of CUDA. $CXX and --cxx name a compiler that is not on
the path; it must be one of these two.`,
		Example: `smux verify --cxx tcc a.cu`,
		Fix:     `apt-get install g++`,
	},
	{
		Code: "does-not-compile", Title: "the C++ compiler refuses the program",
		Help: "check that nvcc takes it; name headers with -I and macros with -D",
		Text: `
The compiler's first errors are passed on, at their places in the CUDA source.
Either nvcc would refuse the program, too, or it uses a part of CUDA that the
translation does not know; then please report it.`,
		Example: `
__global__ void k(int *out) { out[threadIdx.x] = undeclared; }
int main() { k<<<1, 1>>>(nullptr); }`,
		Fix: `Declare the name, or include the header that does.`,
	},
	{
		Code: "needs-library", Title: "the program needs a library that is not here",
		Help: "install it and name it with -l and -I, or leave it out of what is verified",
		Text: `
A header of a library can't be found, or its functions are not linked. The
libraries of the CUDA toolkit run on GPUs and can't be used here; only their
parts that are templates (Thrust, CUB) work, where the headers are installed.`,
		Example: `
#include <cublas_v2.h>
int main() {
    cublasHandle_t handle;
    return cublasCreate(&handle);
}`,
		Fix: `Verify the kernel alone: smux verify --kernel K --launch 'grid=64,block=256' a.cu`,
	},
	{
		Code: "not-supported", Title: "the program uses a part of CUDA that can't be run on the CPU",
		Help: "leave it out of what is verified, or report it if it should work",
		Text: `
The message names the function, instruction or feature. Programs are compiled
with everything that is missing left open, and end where they get there: so the
rest of a program may be fine, with other arguments for example.`,
		Example: `
__global__ void k(int *out) {
    int v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(v) : "l"(out));
    out[threadIdx.x] = v;
}
int main() {
    int *out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}`,
		Fix: `Verify the kernels that don't use it one by one, with --kernel and --launch.`,
	},
	{
		Code: "no-main", Title: "the program has no main function",
		Help: "say how to run the kernel with --kernel and --launch, or name the file with main by --source",
		Text: `
Only a whole program can be run. Either its main is in a file that was not
named, or the file holds kernels for other programs: then say how a kernel is to
be launched, on the command line or in a comment above it. smux makes the host
side. For most kernels it chooses that itself (smux check kernel.cu); this one has
nothing that it can choose for.`,
		Example: `
struct list { list *next; };
__global__ void clear(list *x) { x[threadIdx.x].next = nullptr; }`,
		Fix: `Write a main that makes what the kernel walks along.`,
	},
	{
		Code: "crashes", Title: "the host code of the program crashes",
		Help: "run it under a debugger; --keep keeps the translated program",
		Text: `
The program ended with a signal while no kernel was running. Device memory can
be read by the host here, so this is not that; reading a missing input file or
missing arguments are more common. A crash in a kernel is a finding instead
(illegal-address).`,
		Example: `
#include <cstdlib>
__global__ void k() {}
int main(int argc, char **argv) {
    k<<<1, 1>>>();
    return *(volatile char *)argv[1];            // there is no argument
}`,
		Fix: `Pass the arguments that the program needs behind "--".`,
	},
	{
		Code: "hangs", Title: "the program does not end in time",
		Help: "give less data or more --timeout",
		Text: `
One run took longer than --timeout. The CPU needs some thousand times the time
of a GPU, so pass arguments that make the problem small. A kernel that spins is
found by itself (no-progress); this is a program that is slow, waits for input,
or does not end on the host.`,
		Example: `
__global__ void k() {}
int main() {
    k<<<1, 1>>>();
    for (volatile int i = 0;; i = 1) {}
}`,
		Fix: `smux verify --timeout 10m a.cu -- 64     # or a smaller problem`,
	},
	{
		Code: "exits-nonzero", Title: "the original itself ends with a status other than 0",
		Help: "run it by itself; pass the arguments and files it needs",
		Text: `
The program says that it failed: its own check did not pass, or arguments are
missing. A rewrite can't be shown equal to a program that does not work. What it
printed stands below the message. smux check counts it as a finding.`,
		Example: `
__global__ void k() {}
int main(int argc, char **argv) {
    k<<<1, 1>>>();
    return argc < 2;                             // usage: a N
}`,
		Fix: `smux verify a.cu -- 1024`,
	},
	{
		Code: "not-exercised", Title: "no run has launched the kernel",
		Help: "give arguments and files with which the program launches it, or run the kernel alone with --kernel and --launch",
		Text: `
A program that launches no kernel is equal to any rewrite of it, and so is one
that leaves out the kernels that were rewritten: for want of an argument or a
file, or because its host code found a device that does not suit it. Such a run
shows nothing, so it does not count as equal. What the program printed may say
why. smux rewrite --verify leaves such a kernel as it is. Kernels in headers that
were not named are looked at by neither smux rewrite nor smux verify: name the
headers.`,
		Example: `
#include <cstdio>
__global__ void k() {}
int main(int argc, char **argv) {
    if (argc < 2) {
        printf("usage: a N\n");
        return 0;
    }
    k<<<1, 1>>>();
}`,
		Fix: `smux verify a.cu -- 1024`,
	},
}
