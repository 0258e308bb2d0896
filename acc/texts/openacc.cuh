// Functions of openacc.h (OpenACC 3.3, section 3.2), one a paragraph.

static inline int acc_get_num_devices(acc_device_t type)
{
    int devices = 0;
    if (type == acc_device_host)
        return 1;
    if (type == acc_device_none || type == acc_device_radeon)
        return 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

static inline void acc_set_device_type(acc_device_t type)
{
    if (type == acc_device_host || type == acc_device_none || type == acc_device_radeon) {
        fprintf(stderr, "this program runs on devices of CUDA\n");
        exit(EXIT_FAILURE);
    }
}

static inline acc_device_t acc_get_device_type(void)
{
    return acc_device_nvidia;
}

static inline void acc_set_device_num(int number, acc_device_t)
{
    ACC_CHECK(cudaSetDevice(number));
}

static inline int acc_get_device_num(acc_device_t)
{
    int number;
    ACC_CHECK(cudaGetDevice(&number));
    return number;
}

static inline void acc_init(acc_device_t)
{
    ACC_CHECK(cudaFree(NULL));
}

static inline void acc_init_device(int number, acc_device_t)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    ACC_CHECK(cudaFree(NULL));
    ACC_CHECK(cudaSetDevice(before));
}

static inline void acc_shutdown(acc_device_t)
{
    ACC_CHECK(cudaDeviceSynchronize());
}

static inline void acc_shutdown_device(int, acc_device_t)
{
    ACC_CHECK(cudaDeviceSynchronize());
}

static inline int acc_async_test(int queue)
{
    return cudaStreamQuery(acc_stream(queue)) == cudaSuccess;
}

static inline int acc_async_test_all(void)
{
    cudaEvent_t reached; // all queues are, where the default stream is
    ACC_CHECK(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
    ACC_CHECK(cudaEventRecord(reached, 0));
    int all = cudaEventQuery(reached) == cudaSuccess;
    ACC_CHECK(cudaEventDestroy(reached));
    return all;
}

static inline void acc_wait(int queue)
{
    ACC_CHECK(cudaStreamSynchronize(acc_stream(queue)));
}

static inline void acc_wait_all(void)
{
    ACC_CHECK(cudaDeviceSynchronize());
}

static inline int acc_wait_any(int count, int *queues)
{
    for (bool some = true; some;) {
        some = false;
        for (int i = 0; i < count; i++) {
            if (queues[i] != -2 && cudaStreamQuery(acc_stream(queues[i])) == cudaSuccess) // acc_async_sync is none
                return i;
            some = some || queues[i] != -2;
        }
    }
    return -1;
}

static inline void *acc_get_cuda_stream(int queue)
{
    return acc_stream(queue);
}

static inline void acc_wait_async(int other, int queue)
{
    acc_behind(acc_stream(queue), acc_stream(other));
}

static inline void acc_wait_all_async(int queue)
{
    acc_behind(acc_stream(queue), 0);
}

static inline int acc_get_default_async(void)
{
    return acc_default_queue;
}

static inline void acc_set_default_async(int queue)
{
    acc_default_queue = queue;
}

static inline void *acc_malloc(size_t bytes)
{
    void *device = NULL;
    return cudaMalloc(&device, bytes) == cudaSuccess ? device : NULL;
}

static inline void acc_free(void *device)
{
    ACC_CHECK(cudaFree(device));
}

static inline void acc_memcpy_to_device(void *device, const void *host, size_t bytes)
{
    ACC_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

static inline void acc_memcpy_from_device(void *host, const void *device, size_t bytes)
{
    ACC_CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

static inline void acc_memcpy_device(void *to, const void *from, size_t bytes)
{
    ACC_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
}

static inline void acc_memcpy_to_device_async(void *device, const void *host, size_t bytes, int queue)
{
    ACC_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, acc_stream(queue)));
}

static inline void acc_memcpy_from_device_async(void *host, const void *device, size_t bytes, int queue)
{
    ACC_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, acc_stream(queue)));
}

static inline void acc_memcpy_device_async(void *to, const void *from, size_t bytes, int queue)
{
    ACC_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, acc_stream(queue)));
}

static inline void *acc_copyin(const void *host, size_t bytes)
{
    return acc_enter(host, bytes, true);
}

static inline void *acc_create(const void *host, size_t bytes)
{
    return acc_enter(host, bytes, false);
}

static inline void acc_copyin_async(const void *host, size_t bytes, int queue)
{
    acc_enter(host, bytes, true, acc_stream(queue));
}

static inline void acc_create_async(const void *host, size_t bytes, int)
{
    acc_enter(host, bytes, false);
}

static inline void acc_copyout(const void *host, size_t bytes)
{
    acc_leave(host, bytes, true, false);
}

static inline void acc_copyout_finalize(const void *host, size_t bytes)
{
    acc_leave(host, bytes, true, true);
}

static inline void acc_copyout_async(const void *host, size_t bytes, int queue)
{
    acc_leave(host, bytes, true, false, acc_stream(queue));
}

static inline void acc_copyout_finalize_async(const void *host, size_t bytes, int queue)
{
    acc_leave(host, bytes, true, true, acc_stream(queue));
}

static inline void acc_delete(const void *host, size_t bytes)
{
    acc_leave(host, bytes, false, false);
}

static inline void acc_delete_finalize(const void *host, size_t bytes)
{
    acc_leave(host, bytes, false, true);
}

static inline void acc_delete_async(const void *host, size_t bytes, int queue)
{
    acc_leave(host, bytes, false, false, acc_stream(queue));
}

static inline void acc_delete_finalize_async(const void *host, size_t bytes, int queue)
{
    acc_leave(host, bytes, false, true, acc_stream(queue));
}

static inline void acc_update_device(const void *host, size_t bytes)
{
    ACC_CHECK(cudaMemcpy(acc_present(host, bytes, "memory to update"), host, bytes, cudaMemcpyHostToDevice));
}

static inline void acc_update_self(void *host, size_t bytes)
{
    ACC_CHECK(cudaMemcpy(host, acc_present(host, bytes, "memory to update"), bytes, cudaMemcpyDeviceToHost));
}

static inline void acc_update_device_async(const void *host, size_t bytes, int queue)
{
    ACC_CHECK(cudaMemcpyAsync(acc_present(host, bytes, "memory to update"), host, bytes, cudaMemcpyHostToDevice, acc_stream(queue)));
}

static inline void acc_update_self_async(void *host, size_t bytes, int queue)
{
    ACC_CHECK(cudaMemcpyAsync(host, acc_present(host, bytes, "memory to update"), bytes, cudaMemcpyDeviceToHost, acc_stream(queue)));
}

static inline int acc_is_present(const void *host, size_t bytes)
{
//+devices     int device;
//+devices     ACC_CHECK(cudaGetDevice(&device));
    const char *first = (const char *)host;
    for (const struct acc_memory *m = acc_table; m < acc_table + 65536 && m->host != NULL; m++)
//+devices         if (m->regions > 0 && m->on == device && m->host <= first && first + bytes <= m->host + m->bytes)
//-devices         if (m->regions > 0 && m->host <= first && first + bytes <= m->host + m->bytes)
            return 1;
    return 0;
}

static inline void *acc_deviceptr(const void *host)
{
    const struct acc_memory *m = acc_find(host, 1);
    return m == NULL ? NULL : m->device + ((const char *)host - m->host);
}

static inline void *acc_hostptr(const void *device)
{
    const char *at = (const char *)device;
    for (const struct acc_memory *m = acc_table; m < acc_table + 65536 && m->host != NULL; m++)
        if (m->regions > 0 && m->device <= at && at < m->device + m->bytes)
            return (void *)(m->host + (at - m->device));
    return NULL;
}

static inline void acc_map_data(const void *host, void *device, size_t bytes)
{
    if (acc_find(host, bytes) != NULL) {
        fprintf(stderr, "memory to map is present already\n");
        exit(EXIT_FAILURE);
    }
    struct acc_memory *m = acc_table;
    while (m < acc_table + 65536 && m->regions > 0)
        m++;
    if (m == acc_table + 65536) {
        fprintf(stderr, "too many arrays are present on the device\n");
        exit(EXIT_FAILURE);
    }
    m->host = (const char *)host;
    m->device = (char *)device;
    m->bytes = bytes;
    m->regions = 1;
//+devices     ACC_CHECK(cudaGetDevice(&m->on));
}

static inline void acc_unmap_data(const void *host)
{
    struct acc_memory *m = acc_find(host, 1);
    if (m != NULL)
        m->regions = 0; // its memory on the device is the program's
}

static inline void acc_attach(const void *)
{
    // a kernel gets the address on the device of what a pointer leads to, each time
}

static inline void acc_attach_async(const void *, int)
{
    // as acc_attach
}

static inline void acc_detach(const void *)
{
    // as acc_attach
}

static inline void acc_detach_async(const void *, int)
{
    // as acc_attach
}

static inline void acc_detach_finalize(const void *)
{
    // as acc_attach
}

static inline size_t acc_get_property(int number, acc_device_t, acc_device_property_t property)
{
    int before;
    size_t unused = 0, total = 0;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    ACC_CHECK(cudaMemGetInfo(&unused, &total));
    ACC_CHECK(cudaSetDevice(before));
    return property == acc_property_memory ? total : property == acc_property_free_memory ? unused : 0;
}

static inline const char *acc_get_property_string(int number, acc_device_t, acc_device_property_t property)
{
    static cudaDeviceProp device;
    if (property == acc_property_vendor)
        return "NVIDIA";
    if (property != acc_property_name)
        return NULL;
    ACC_CHECK(cudaGetDeviceProperties(&device, number));
    return device.name;
}

static inline int acc_on_device(acc_device_t type)
{
    return type == acc_device_host || type == acc_device_none;
}

static inline int acc_async_test_device(int queue, int number)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    int result = cudaStreamQuery(acc_stream(queue)) == cudaSuccess;
    ACC_CHECK(cudaSetDevice(before));
    return result;
}

static inline void acc_wait_device(int queue, int number)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    ACC_CHECK(cudaStreamSynchronize(acc_stream(queue)));
    ACC_CHECK(cudaSetDevice(before));
}

static inline void acc_wait_all_device(int number)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    ACC_CHECK(cudaDeviceSynchronize());
    ACC_CHECK(cudaSetDevice(before));
}

static inline void acc_wait_device_async(int other, int queue, int number)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    acc_behind(acc_stream(queue), acc_stream(other));
    ACC_CHECK(cudaSetDevice(before));
}

static inline void acc_wait_all_device_async(int queue, int number)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(number));
    acc_behind(acc_stream(queue), 0);
    ACC_CHECK(cudaSetDevice(before));
}

static inline void acc_detach_finalize_async(const void *, int)
{
    // as acc_attach
}

static inline void acc_memcpy_d2d(void *to, void *from, size_t bytes, int number, int other)
{
    int before;
    ACC_CHECK(cudaGetDevice(&before));
    ACC_CHECK(cudaSetDevice(other));
    void *source = acc_present(from, bytes, "acc_memcpy_d2d");
    ACC_CHECK(cudaSetDevice(number));
    ACC_CHECK(cudaMemcpyPeer(acc_present(to, bytes, "acc_memcpy_d2d"), number, source, other, bytes));
    ACC_CHECK(cudaSetDevice(before));
}
