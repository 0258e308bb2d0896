// The functions of OpenACC's runtime for a C program whose directives are ignored: all of it runs
// on the host, whose memory is the device's. A compiler that follows the directives has its own.
#ifdef _OPENACC
#include_next <openacc.h>
#elif !defined(SMUX_CPU_OPENACC_H)
#define SMUX_CPU_OPENACC_H

#include <stdlib.h>
#include <string.h>

typedef enum acc_device_t {
    acc_device_current = -1, acc_device_none = 0, acc_device_default = 1, acc_device_host = 2, acc_device_not_host = 4,
    acc_device_nvidia = 5, acc_device_radeon = 8
} acc_device_t;
typedef enum acc_async_t { acc_async_noval = -1, acc_async_sync = -2 } acc_async_t;

// There is a device of each type, since the program is to do what it does on one.
static inline int acc_get_num_devices(acc_device_t type) { return type != acc_device_none; }
static inline void acc_set_device_type(acc_device_t type) { (void)type; }
static inline acc_device_t acc_get_device_type(void) { return acc_device_nvidia; }
static inline void acc_set_device_num(int number, acc_device_t type) { (void)number, (void)type; }
static inline int acc_get_device_num(acc_device_t type) { return (void)type, 0; }
static inline void acc_init(acc_device_t type) { (void)type; }
static inline void acc_init_device(int number, acc_device_t type) { (void)number, (void)type; }
static inline void acc_shutdown(acc_device_t type) { (void)type; }
static inline void acc_shutdown_device(int number, acc_device_t type) { (void)number, (void)type; }
static inline int acc_on_device(acc_device_t type) { return type == acc_device_host || type == acc_device_none; }

static inline int acc_async_test(int queue) { return (void)queue, 1; }
static inline int acc_async_test_all(void) { return 1; }
static inline void acc_wait(int queue) { (void)queue; }
static inline void acc_async_wait(int queue) { (void)queue; }
static inline void acc_wait_all(void) {}
static inline void acc_async_wait_all(void) {}
static inline void acc_wait_async(int other, int queue) { (void)other, (void)queue; }
static inline void acc_wait_all_async(int queue) { (void)queue; }
static inline int acc_get_default_async(void) { return acc_async_noval; }
static inline void acc_set_default_async(int queue) { (void)queue; }

static inline void *acc_malloc(size_t bytes) { return malloc(bytes); }
static inline void acc_free(void *device) { free(device); }
static inline void acc_memcpy_to_device(void *device, const void *host, size_t bytes) { memmove(device, host, bytes); }
static inline void acc_memcpy_from_device(void *host, const void *device, size_t bytes) { memmove(host, device, bytes); }
static inline void acc_memcpy_device(void *to, const void *from, size_t bytes) { memmove(to, from, bytes); }
static inline void acc_memcpy_to_device_async(void *device, const void *host, size_t bytes, int queue) { (void)queue, memmove(device, host, bytes); }
static inline void acc_memcpy_from_device_async(void *host, const void *device, size_t bytes, int queue) { (void)queue, memmove(host, device, bytes); }
static inline void acc_memcpy_device_async(void *to, const void *from, size_t bytes, int queue) { (void)queue, memmove(to, from, bytes); }

static inline int acc_is_present(const void *host, size_t bytes) { return (void)host, (void)bytes, 1; }
static inline void *acc_deviceptr(const void *host) { return (void *)host; }
static inline void *acc_hostptr(const void *device) { return (void *)device; }

#define SMUX_CPU_ENTER(name) \
    static inline void *name(const void *host, size_t bytes) { return (void)bytes, (void *)host; }
#define SMUX_CPU_MOVE(name) \
    static inline void name(const void *host, size_t bytes) { (void)host, (void)bytes; } \
    static inline void name##_async(const void *host, size_t bytes, int queue) { (void)host, (void)bytes, (void)queue; }
SMUX_CPU_ENTER(acc_copyin)
SMUX_CPU_ENTER(acc_present_or_copyin)
SMUX_CPU_ENTER(acc_pcopyin)
SMUX_CPU_ENTER(acc_create)
SMUX_CPU_ENTER(acc_present_or_create)
SMUX_CPU_ENTER(acc_pcreate)
static inline void acc_copyin_async(const void *host, size_t bytes, int queue) { (void)host, (void)bytes, (void)queue; }
static inline void acc_create_async(const void *host, size_t bytes, int queue) { (void)host, (void)bytes, (void)queue; }
SMUX_CPU_MOVE(acc_copyout)
SMUX_CPU_MOVE(acc_copyout_finalize)
SMUX_CPU_MOVE(acc_delete)
SMUX_CPU_MOVE(acc_delete_finalize)
SMUX_CPU_MOVE(acc_update_device)
SMUX_CPU_MOVE(acc_update_self)
SMUX_CPU_MOVE(acc_update_host)
#undef SMUX_CPU_ENTER
#undef SMUX_CPU_MOVE
#endif
