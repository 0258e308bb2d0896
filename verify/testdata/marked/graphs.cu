// Graphs, by capture and by nodes. What host code finds wrong ends with a trap.
#include <cuda_runtime.h>
#include <vector>

constexpr int n = 64;

__global__ void wrong() { __trap(); }
#define EXPECT(condition) do { if (!(condition)) wrong<<<1, 1>>>(); } while (0)

__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void shift(int *x) { x[threadIdx.x] = x[(threadIdx.x + 1) % n]; }  // want: race
template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }

static int calls;
void called(void *by) { calls += *(int *)by; }

bool all(const int *device, int value) {
    int h[n];
    cudaMemcpy(h, device, sizeof h, cudaMemcpyDeviceToHost);
    for (int x : h) if (x != value) return false;
    return true;
}

// One stream: nothing is done before the launch, and each time then. Arguments are those of the capture.
void one_stream(int *x, int *y) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    int by = 2, increment = 5;
    cudaMemset(x, 0, n * sizeof *x);
    EXPECT(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
    cudaStreamIsCapturing(s, &status);
    EXPECT(status == cudaStreamCaptureStatusActive);
    add<<<1, n, 0, s>>>(x, by);
    by = 100;
    scale<int><<<1, n, 0, s>>>(x, 3);
    void *arguments[] = {&x, &increment};
    cudaLaunchKernel((const void *)add, dim3(1), dim3(n), arguments, 0, s);
    increment = 1000;
    cudaMemcpyAsync(y, x, n * sizeof *x, cudaMemcpyDeviceToDevice, s);
    cudaMemsetAsync(x, 0, sizeof *x, s);
    int one = 1;
    cudaLaunchHostFunc(s, called, &one);
    EXPECT(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    EXPECT(all(x, 0) && calls == 0);
    size_t nodes = 0, roots = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphGetRootNodes(graph, nullptr, &roots);
    EXPECT(nodes == 6 && roots == 1);
    EXPECT(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    cudaGraphLaunch(exec, s);
    EXPECT(all(y, 11) && calls == 1);
    cudaMemset(x, 0, n * sizeof *x);
    cudaGraphLaunch(exec, s);
    EXPECT(cudaStreamSynchronize(s) == cudaSuccess && all(y, 11) && calls == 2);
    cudaGetLastError();
    cudaGraphExecDestroy(exec);
    cudaStreamDestroy(s);
}

// A second stream joins by events, or does not.
void two_streams(int *x, int *y) {
    cudaStream_t s, t;
    cudaEvent_t begun, done;
    cudaStreamCreate(&s); cudaStreamCreate(&t);
    cudaEventCreate(&begun); cudaEventCreate(&done);
    for (bool joins : {true, false}) {
        cudaMemset(x, 0, n * sizeof *x);
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        add<<<1, n, 0, s>>>(x, 1);
        cudaEventRecord(begun, s);
        cudaStreamWaitEvent(t, begun, 0);
        copy<<<1, n, 0, t>>>(x, y);
        add<<<1, n, 0, t>>>(y, 10);
        cudaEventRecord(done, t);
        if (!joins) add<<<1, n, 0, t>>>(y, 100);
        cudaStreamWaitEvent(s, done, 0);
        add<<<1, n, 0, s>>>(y, 1000);
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        EXPECT(cudaStreamEndCapture(s, &graph) == (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        if (!joins) break;
        EXPECT(all(x, 0));
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, t);
        EXPECT(all(y, 1011));
        // Another graph of the same form.
        cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
        for (int i = 0; i < 4; ++i) add<<<1, n, 0, s>>>(x, 5);
        cudaGraph_t other;
        cudaStreamEndCapture(s, &other);
        cudaGraphExecUpdateResultInfo info;
        EXPECT(cudaGraphExecUpdate(exec, other, &info) == cudaSuccess && info.result == cudaGraphExecUpdateSuccess);
        cudaMemset(x, 0, n * sizeof *x);
        cudaGraphLaunch(exec, s);
        EXPECT(all(x, 20));
    }
    cudaGetLastError();
    EXPECT(all(x, 0));
}

// Nodes run after those that they depend on, in whatever order they were added.
void nodes(int *x, int *y) {
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, adds, copies, calls_host, nothing, inner, of_child;
    int by = 4, two = 2, host[n];
    void *arguments[] = {&x, &by};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = 1;
    kernel.blockDim = n;
    kernel.kernelParams = arguments;
    cudaMemsetParams memset = {};
    memset.dst = x;
    memset.value = 7;
    memset.elementSize = 4;
    memset.width = n;
    memset.height = 1;
    cudaHostNodeParams call = {called, &two};
    cudaGraphCreate(&graph, 0);
    cudaGraphCreate(&child, 0);
    EXPECT(cudaGraphAddKernelNode(&adds, graph, nullptr, 0, &kernel) == cudaSuccess);
    by = 1;
    cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset);
    cudaGraphAddDependencies(graph, &fill, &adds, 1);
    cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel);
    cudaGraphAddChildGraphNode(&of_child, graph, &adds, 1, child);
    cudaGraphAddEmptyNode(&nothing, graph, &of_child, 1);
    cudaGraphAddMemcpyNode1D(&copies, graph, &nothing, 1, host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&calls_host, graph, &copies, 1, &call);
    EXPECT(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
    calls = 0;
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    EXPECT(host[0] == 12 && host[n - 1] == 12 && calls == 2);
    by = 20;
    EXPECT(cudaGraphExecKernelNodeSetParams(exec, adds, &kernel) == cudaSuccess);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    EXPECT(host[0] == 28 && calls == 4);
    cudaGraphAddDependencies(graph, &copies, &fill, 1);
    EXPECT(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
}

void defect(int *x) {
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    shift<<<1, n, 0, s>>>(x);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
}

int main() {
    int *x, *y;
    cudaMallocAsync(&x, n * sizeof *x, nullptr);
    cudaMallocAsync(&y, n * sizeof *y, nullptr);
    one_stream(x, y);
    two_streams(x, y);
    nodes(x, y);
    defect(x);
    cudaFreeAsync(x, nullptr);
    cudaFreeAsync(y, nullptr);
    EXPECT(cudaGetLastError() == cudaSuccess);
}
