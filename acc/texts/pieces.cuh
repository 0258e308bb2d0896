// The CUDA text that translations get, in pieces by name, where they need it. A line that begins with //+ and a word is
// there for programs that do what the word says, one that begins with //- for others (texts.For): those that choose
// among devices, consist of several files, choose a queue for async without a number, or name queues for copies.

// [ACC_CHECK]
// ACC_CHECK ends the program where a call of CUDA fails.
#define ACC_CHECK(call) \
    do { \
        cudaError_t acc_error = (call); \
        if (acc_error != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(acc_error)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

// [acc_apart]
// acc_apart ends the program where two arrays share memory: each has a copy of its own on
// the device.
static inline void acc_apart(const void *a, size_t bytes_of_a, const void *b, size_t bytes_of_b)
{
    if ((const char *)a < (const char *)b + bytes_of_b && (const char *)b < (const char *)a + bytes_of_a) {
        fprintf(stderr, "two arrays of a data region share memory\n");
        exit(EXIT_FAILURE);
    }
}

// [acc_blocks]
// acc_blocks is the number of thread blocks for some iterations: at least one, in which no
// thread has anything to do where there are none.
static inline unsigned acc_blocks(long long iterations, int threads)
{
    return iterations > 0 ? (unsigned)((iterations + threads - 1) / threads) : 1;
}

// [acc_blocks_up_to]
// acc_blocks_up_to is the same for threads that go on with further iterations, at most a number.
static inline unsigned acc_blocks_up_to(unsigned most, long long iterations, int threads)
{
    unsigned blocks = acc_blocks(iterations, threads);
    return blocks < most ? blocks : most;
}

// [acc_stream]
//+chooses // acc_default_queue is the queue that async without a number means.
//+chooses //-files static int acc_default_queue = 0;
//+files inline int &acc_chosen_queue()
//+files {
//+files     static int queue = 0;
//+files     return queue;
//+files }
//+files static int &acc_default_queue = acc_chosen_queue();
//+chooses
// acc_stream is the stream of a queue. Streams of CUDA's default stream wait for one another:
// so copies and launches without a queue come after what was queued before.
//-files static inline cudaStream_t acc_stream(int queue)
//+files inline cudaStream_t acc_stream(int queue)
{
//-devices     static cudaStream_t streams[16];
//-devices     static bool made[16];
//+devices     static cudaStream_t streams[16][16];
//+devices     static bool made[16][16];
//+chooses     if (queue == -1)
//+chooses         queue = acc_default_queue;
//+chooses     if (queue == -2) // acc_async_sync: no queue
//+chooses         return 0;
//+devices     int device;
//+devices     ACC_CHECK(cudaGetDevice(&device));
    int i = queue < 0 ? 0 : 1 + queue % 15;
//-devices     if (!made[i]) {
//-devices         ACC_CHECK(cudaStreamCreate(&streams[i]));
//-devices         made[i] = true;
//+devices     if (!made[device % 16][i]) {
//+devices         ACC_CHECK(cudaStreamCreate(&streams[device % 16][i]));
//+devices         made[device % 16][i] = true;
    }
//-devices     return streams[i];
//+devices     return streams[device % 16][i];
}

// [acc_behind]
// acc_behind lets what is queued from now on wait for what is queued in another queue, or in any.
static inline void acc_behind(cudaStream_t stream, cudaStream_t other)
{
    cudaEvent_t reached;
    ACC_CHECK(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
    ACC_CHECK(cudaEventRecord(reached, other));
    ACC_CHECK(cudaStreamWaitEvent(stream, reached, 0));
    ACC_CHECK(cudaEventDestroy(reached));
}

// [acc_free_behind]
// acc_free_behind frees memory after what is in a queue. The host waits for the queue only where the
// device can't do that, or CUDA is older than 11.2.
static inline void acc_free_behind(void *device, cudaStream_t queue)
{
#if CUDART_VERSION >= 11020
    if (queue != 0 && cudaFreeAsync(device, queue) == cudaSuccess)
        return;
    (void)cudaGetLastError(); // of that call; others come again
#endif
    ACC_CHECK(cudaStreamSynchronize(queue));
    ACC_CHECK(cudaFree(device));
}

// [acc_start]
// acc_start makes a device ready, which costs the first call time else.
static inline void acc_start(int device)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(device));
    ACC_CHECK(cudaFree(NULL));
    ACC_CHECK(cudaSetDevice(before));
}

// [acc_memory]
// acc_memory is memory of the host that has a copy on the device. Regions that make it
// present are counted.
struct acc_memory {
    const char *host;
    char *device;
    size_t bytes;
    int regions;
//+devices     int on; // which device
};
//-files static struct acc_memory acc_table[65536];
//+files
//+files // acc_memories holds what all files of the program have on the device.
//+files inline struct acc_memory *acc_memories()
//+files {
//+files     static struct acc_memory all[65536];
//+files     return all;
//+files }
//+files static struct acc_memory *const acc_table = acc_memories();

// acc_find is the entry that holds some memory of the host, or a null pointer.
static struct acc_memory *acc_find(const void *host, size_t bytes)
{
    const char *first = (const char *)host;
//+devices     int device;
//+devices     ACC_CHECK(cudaGetDevice(&device));
    for (struct acc_memory *m = acc_table; m < acc_table + 65536 && m->host != NULL; m++) {
//-devices         if (m->regions == 0 || first + bytes <= m->host || m->host + m->bytes <= first)
//+devices         if (m->regions == 0 || m->on != device || first + bytes <= m->host || m->host + m->bytes <= first)
            continue;
        if (m->host <= first && first + bytes <= m->host + m->bytes)
            return m;
        fprintf(stderr, "only a part of an array is present on the device\n");
        exit(EXIT_FAILURE);
    }
    return NULL;
}

// [acc_present]
// acc_present is the address on the device of memory that must be there.
static inline void *acc_present(const void *host, size_t bytes, const char *name)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL) {
        fprintf(stderr, "%s is not present on the device\n", name);
        exit(EXIT_FAILURE);
    }
    return m->device + ((const char *)host - m->host);
}

// [acc_where]
// acc_where is the address of memory on the device where it is present there, and its own where
// it is not.
static inline void *acc_where(const void *host, size_t bytes)
{
    struct acc_memory *m = acc_find(host, bytes);
    return m == NULL ? (void *)host : m->device + ((const char *)host - m->host);
}

// [acc_enter]
// acc_enter makes memory present and copies it, where it is not present yet.
//-queued static inline void *acc_enter(const void *host, size_t bytes, bool copy)
//+queued static inline void *acc_enter(const void *host, size_t bytes, bool copy, cudaStream_t queue = 0)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL) {
        for (m = acc_table; m < acc_table + 65536 && m->regions > 0; m++)
            ;
        if (m == acc_table + 65536) {
            fprintf(stderr, "too many arrays are present on the device\n");
            exit(EXIT_FAILURE);
        }
        m->host = (const char *)host;
        m->bytes = bytes;
//+devices         ACC_CHECK(cudaGetDevice(&m->on));
        ACC_CHECK(cudaMalloc(&m->device, bytes));
        if (copy)
//-queued             ACC_CHECK(cudaMemcpy(m->device, host, bytes, cudaMemcpyHostToDevice));
//+queued             ACC_CHECK(queue ? cudaMemcpyAsync(m->device, host, bytes, cudaMemcpyHostToDevice, queue) : cudaMemcpy(m->device, host, bytes, cudaMemcpyHostToDevice));
    }
    m->regions++;
    return m->device + ((const char *)host - m->host);
}

// [acc_enter_zero]
// acc_enter_zero makes memory present as zeros, where it is not present yet.
static inline void *acc_enter_zero(const void *host, size_t bytes)
{
    bool made = acc_find(host, bytes) == NULL;
    void *device = acc_enter(host, bytes, false);
    if (made)
        ACC_CHECK(cudaMemset(device, 0, bytes));
    return device;
}

// [acc_leave]
// acc_leave ends one region of memory; with the last one it is copied back, where that is
// asked for, and freed.
//-queued static inline void acc_leave(const void *host, size_t bytes, bool copy, bool all)
//+queued static inline void acc_leave(const void *host, size_t bytes, bool copy, bool all, cudaStream_t queue = 0)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL)
        return;
    m->regions = all ? 0 : m->regions - 1;
    if (m->regions > 0)
        return;
//+queued     const char *from = m->device + ((const char *)host - m->host);
    if (copy)
//-queued         ACC_CHECK(cudaMemcpy((void *)host, m->device + ((const char *)host - m->host), bytes, cudaMemcpyDeviceToHost));
//+queued         ACC_CHECK(queue ? cudaMemcpyAsync((void *)host, from, bytes, cudaMemcpyDeviceToHost, queue) : cudaMemcpy((void *)host, from, bytes, cudaMemcpyDeviceToHost));
//-queued     ACC_CHECK(cudaFree(m->device));
//+queued     acc_free_behind(m->device, queue);
}

// [acc_leave_whole]
// acc_leave_whole does so for all memory that was made present with some of it, and copies it.
//-queued static inline void acc_leave_whole(const void *host, bool all)
//+queued static inline void acc_leave_whole(const void *host, bool all, cudaStream_t queue = 0)
{
    struct acc_memory *m = acc_find(host, 1);
    if (m != NULL)
//-queued         acc_leave(m->host, m->bytes, true, all);
//+queued         acc_leave(m->host, m->bytes, true, all, queue);
}

// [acc_rows]
// An array of pointers on the device leads to the copies of the rows there; the addresses of the rows on the host
// stand after it.
template <typename T> T **acc_enter_rows(T *const *host, size_t rows, size_t length, bool copy)
{
    size_t bytes = rows * sizeof(T *);
    if (rows == 0)
        return NULL;
    if (acc_find(host, bytes) != NULL)
        return (T **)acc_enter(host, bytes, false);
    T **all = (T **)malloc(2 * bytes);
    for (size_t i = 0; i < rows; i++) {
        all[i] = (T *)acc_enter(host[i], length * sizeof(T), copy);
        all[rows + i] = host[i];
    }
    acc_enter(host, bytes, false);
    struct acc_memory *m = acc_find(host, bytes);
    ACC_CHECK(cudaFree(m->device));
    ACC_CHECK(cudaMalloc(&m->device, 2 * bytes));
    ACC_CHECK(cudaMemcpy(m->device, all, 2 * bytes, cudaMemcpyHostToDevice));
    free(all);
    return (T **)m->device;
}

template <typename T> void acc_copy_rows(T *const *host, size_t rows, size_t length, cudaMemcpyKind kind)
{
    for (size_t i = 0; i < rows; i++) {
        T *device = (T *)acc_present(host[i], length * sizeof(T), "a row");
        ACC_CHECK(kind == cudaMemcpyDeviceToHost ? cudaMemcpy(host[i], device, length * sizeof(T), kind) : cudaMemcpy(device, host[i], length * sizeof(T), kind));
    }
}

template <typename T> void acc_leave_rows(T *const *host, size_t length, bool copy, bool all)
{
    struct acc_memory *m = acc_find(host, sizeof(T *));
    if (m != NULL && (m->regions == 1 || all)) {
        size_t rows = m->bytes / sizeof(T *);
        T **both = (T **)malloc(2 * m->bytes);
        ACC_CHECK(cudaMemcpy(both, m->device, 2 * m->bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < rows; i++)
            acc_leave(both[rows + i], length > 0 ? length * sizeof(T) : 1, copy, all);
        free(both);
    }
    if (m != NULL)
        acc_leave(m->host, m->bytes, false, all);
}

// [block]
// NAME combines a value of each thread of a block, in an order that is the same on each
// run. Thread 0 gets the result.
__device__ static TYPE NAME(TYPE value)
{
    __shared__ TYPE parts[32];
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int warps = blockDim.x * blockDim.y * blockDim.z / 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        TYPE other = __shfl_down_sync(0xffffffff, value, distance);
        value = COMBINE;
    }
    if (thread % 32 == 0)
        parts[thread / 32] = value;
    __syncthreads();
    if (thread < 32) {
        value = thread < warps ? parts[thread] : NEUTRAL;
        for (int distance = 16; distance > 0; distance /= 2) {
            TYPE other = __shfl_down_sync(0xffffffff, value, distance);
            value = COMBINE;
        }
    }
    __syncthreads();
    return value;
}

// [total]
// NAME combines a value with those of thread blocks, one after the other, and frees these.
static TYPE NAME(TYPE value, TYPE *d_parts, unsigned blocks)
{
    TYPE *parts = (TYPE *)malloc(blocks * sizeof(TYPE));
    ACC_CHECK(cudaMemcpy(parts, d_parts, blocks * sizeof(TYPE), cudaMemcpyDeviceToHost));
    ACC_CHECK(cudaFree(d_parts));
    for (unsigned i = 0; i < blocks; i++) {
        TYPE other = parts[i];
        value = COMBINE;
    }
    free(parts);
    return value;
}

// [totals]
// NAME combines the elements of an array with those of thread blocks, one block after the other,
// and frees these.
static void NAME(TYPE *values, int elements, TYPE *d_parts, unsigned blocks)
{
    TYPE *parts = (TYPE *)malloc(blocks * elements * sizeof(TYPE));
    ACC_CHECK(cudaMemcpy(parts, d_parts, blocks * elements * sizeof(TYPE), cudaMemcpyDeviceToHost));
    ACC_CHECK(cudaFree(d_parts));
    for (unsigned i = 0; i < blocks * elements; i++) {
        TYPE other = parts[i], value = values[i % elements];
        values[i % elements] = COMBINE;
    }
    free(parts);
}

// [each]
// NAME does the same, and each thread gets the result.
__device__ static TYPE NAME(TYPE value)
{
    __shared__ TYPE result;
    value = acc_block_OP_WORD(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        result = value;
    __syncthreads();
    value = result;
    __syncthreads();
    return value;
}

// [cas]
// NAME changes memory by VALUE as one operation and returns what was there before.
__device__ static TYPE NAME(TYPE *memory, OTHER other)
{
    union { TYPE value; WORD bits; } before, after;
    before.value = *(volatile TYPE *)memory;
    WORD seen;
    do {
        seen = before.bits;
        TYPE value = before.value;
        after.value = COMBINE;
        before.bits = atomicCAS((WORD *)memory, seen, after.bits);
    } while (before.bits != seen);
    return before.value;
}

// [write]
// NAME writes memory as one operation and returns what was there before.
__device__ static TYPE NAME(TYPE *memory, TYPE other)
{
    union { TYPE value; WORD bits; } before, after;
    after.value = other;
    before.bits = atomicExch((WORD *)memory, after.bits);
    return before.value;
}

// [read]
// NAME reads memory as one operation.
__device__ static TYPE NAME(TYPE *memory)
{
    union { TYPE value; WORD bits; } now;
    now.bits = atomicCAS((WORD *)memory, 0, 0); // which changes nothing
    return now.value;
}

// [device types]
// Types of devices, as openacc.h has them.
typedef int acc_device_t;
enum {
    acc_device_current = -1, acc_device_none = 0, acc_device_default = 1, acc_device_host = 2, acc_device_not_host = 4,
    acc_device_nvidia = 5, acc_device_radeon = 8
};

// [properties]
// What can be asked of a device.
typedef int acc_device_property_t;
enum {
    acc_property_none = 0, acc_property_memory = 1, acc_property_free_memory = 2, acc_property_shared_memory_support = 3,
    acc_property_name = 0x10000 + 1, acc_property_vendor = 0x10000 + 2, acc_property_driver = 0x10000 + 3
};

// [acc_on_cuda]
// acc_on_cuda is acc_on_device where it is called on a device.
__device__ static inline int acc_on_cuda(acc_device_t type)
{
    return type == acc_device_not_host || type == acc_device_nvidia;
}

// [queues]
enum { acc_async_noval = -1, acc_async_sync = -2 };

// [followed]
// What a C program on the host has instead of a device (package verify, directives.cc).
void *smux_acc_enter(const void *host, unsigned long bytes, int zero, int kind);
void *smux_acc_find(const void *host);
void smux_acc_leave(const void *host, int out, int all);
void smux_acc_copy(void *to, const void *from, unsigned long bytes, int to_host);
void smux_acc_turn(const void *const *used, int number);
void smux_acc_note(const void *host, unsigned long bytes, int kind);
#define acc_enter(host, bytes, copy, kind) smux_acc_enter(host, bytes, 0, kind)
#define acc_enter_zero(host, bytes, kind) smux_acc_enter(host, bytes, 1, kind)
#define acc_leave(host, bytes, copy, all, ...) smux_acc_leave(host, #copy[0] == 't', #all[0] == 't')
#define acc_leave_whole(host, all, ...) smux_acc_leave(host, 1, #all[0] == 't')
#define acc_present(host, bytes, name) smux_acc_find(host)
#define acc_find(host, bytes) smux_acc_find(host)
#define acc_where(host, bytes) smux_acc_find(host)
#define bool _Bool
#define acc_stream(queue) 0
#define ACC_CHECK(call) call
#define cudaMemcpy(to, from, bytes, direction) smux_acc_copy(to, from, bytes, #direction[10] == 'D')
#define cudaMemcpyAsync(to, from, bytes, direction, queue) smux_acc_copy(to, from, bytes, #direction[10] == 'D')
#define cudaDeviceSynchronize() 0
#define cudaStreamSynchronize(queue) 0
