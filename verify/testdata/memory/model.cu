// Programs of CUDA's memory model, right ones and wrong ones. A line that is marked is in a race of that kind, with
// another line or itself; the others are not.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/barrier>

struct memory {
    int data[64], more[64], flag, other, count, lock, out[256];
    volatile int shown[64];
    volatile int number;
};
#define FIRST(b) (blockIdx.x == (b) && threadIdx.x == 0)

// ---- two and four threads
__global__ void store_buffering_plain(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; m->out[0] = m->more[0]; }
    if (FIRST(1)) { m->more[0] = 1; // want: race
                    m->out[1] = m->data[0]; } // want: race
}
__global__ void store_buffering_relaxed(memory *m) {
    if (FIRST(0)) { atomicExch(&m->flag, 1); m->out[0] = atomicAdd(&m->other, 0); }
    if (FIRST(1)) { atomicExch(&m->other, 1); m->out[1] = atomicAdd(&m->flag, 0); }
}
__global__ void store_buffering_in_block_scope(memory *m) {
    if (FIRST(0)) atomicExch_block(&m->flag, 1);
    if (FIRST(1)) m->out[1] = atomicAdd_block(&m->flag, 0); // want: race
}
__global__ void independent_reads_plain(memory *m) {
    if (FIRST(0)) m->data[0] = 1;
    if (FIRST(1)) m->more[0] = 1;
    if (FIRST(2)) m->out[0] = m->data[0] + // want: race
                              m->more[0]; // want: race
    if (FIRST(3)) m->out[1] = m->more[0] + // want: race
                              m->data[0]; // want: race
}
__global__ void independent_reads_relaxed(memory *m) {
    cuda::atomic_ref<int, cuda::thread_scope_device> x(m->flag), y(m->other);
    if (FIRST(0)) x.store(1, cuda::memory_order_relaxed);
    if (FIRST(1)) y.store(1, cuda::memory_order_relaxed);
    if (FIRST(2)) m->out[0] = x.load(cuda::memory_order_relaxed) + y.load(cuda::memory_order_relaxed);
    if (FIRST(3)) m->out[1] = y.load(cuda::memory_order_relaxed) + x.load(cuda::memory_order_relaxed);
}
__global__ void one_scope_is_too_narrow(memory *m) {
    cuda::atomic_ref<int, cuda::thread_scope_device> wide(m->flag);
    cuda::atomic_ref<int, cuda::thread_scope_block> narrow(m->flag);
    if (FIRST(0)) wide.fetch_add(1);
    if (FIRST(1)) narrow.fetch_add(1); // want: race
}
__global__ void block_scope_in_one_block(memory *m) {
    if (blockIdx.x == 0) atomicAdd_block(&m->flag, 1);
}
__global__ void block_scope_for_a_word_of_each_block(memory *m) { atomicAdd_block(&m->data[blockIdx.x], 1); }
__global__ void atomic_and_plain_read(memory *m) {
    if (FIRST(0)) atomicAdd(&m->flag, 1);
    if (FIRST(1)) m->out[0] = m->flag; // want: race
}
__global__ void scope_of_the_thread_is_none(memory *m) {
    cuda::atomic_ref<int, cuda::thread_scope_thread> n(m->flag);
    if (threadIdx.x == 0) n.fetch_add(1); // want: race
}

// ---- the sum of the last block
__global__ void last_block(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        m->data[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc((unsigned *)&m->count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) m->out[threadIdx.x] = m->data[threadIdx.x];
}
__global__ void last_block_each_thread_writes(memory *m) {
    __shared__ bool last;
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x];
}
__global__ void last_block_barrier_before_the_fence(memory *m) {
    __shared__ bool last;
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x];
}
__global__ void last_block_by_warps(memory *m) {
    bool last = false;
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) last = atomicAdd(&m->count, 1) == gridDim.x * 2 - 1;
    last = __shfl_sync(~0u, last, 0);
    __threadfence();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x];
}
__global__ void last_block_by_acq_rel(memory *m) {
    __shared__ bool last;
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) last = cuda::atomic_ref<int, cuda::thread_scope_device>(m->count).fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    __syncthreads();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x];
}
__global__ void last_block_without_fence(memory *m) {
    __shared__ bool last;
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x]; // want: race
}
__global__ void last_block_fence_after(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        m->data[blockIdx.x] = 1;
        last = atomicAdd(&m->count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) m->out[threadIdx.x] = m->data[threadIdx.x]; // want: race
}
__global__ void last_block_fence_of_block_scope(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        m->data[blockIdx.x] = 1;
        __threadfence_block();
        last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) m->out[threadIdx.x] = m->data[threadIdx.x]; // want: race
}
__global__ void last_block_fence_before_the_barrier_of_one_thread(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) __threadfence();
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) m->more[threadIdx.x] = m->out[threadIdx.x]; // want: race
}
__global__ void last_block_one_thread_reads_too_early(memory *m) {
    if (threadIdx.x == 0) {
        m->data[blockIdx.x] = 1;
        __threadfence();
        atomicAdd(&m->count, 1);
        __threadfence();
    }
    // No barrier: the second warp has heard of nothing.
    if (threadIdx.x == 32 && atomicAdd(&m->other, 1) == gridDim.x - 1) m->out[0] = m->data[0]; // want: race
}
__global__ void last_block_of_volatile_sums(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        m->shown[blockIdx.x] = 1;
        __threadfence();
        last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) m->out[threadIdx.x] = m->shown[threadIdx.x];
}
__global__ void last_block_of_volatile_sums_without_fence(memory *m) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        m->shown[blockIdx.x] = 1;
        last = atomicAdd(&m->count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) m->out[threadIdx.x] = m->shown[threadIdx.x]; // want: volatile-race
}

// ---- locks
__global__ void lock_with_fences(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    __threadfence();
    m->data[0]++;
    __threadfence();
    atomicExch(&m->lock, 0);
}
__global__ void lock_with_a_volatile_release(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    __threadfence();
    m->data[0]++;
    __threadfence();
    *(volatile int *)&m->lock = 0;
}
__global__ void lock_without_fences(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    m->data[0]++; // want: race
    atomicExch(&m->lock, 0);
}
__global__ void lock_without_the_first_fence(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    m->data[0]++; // want: race
    __threadfence();
    atomicExch(&m->lock, 0);
}
__global__ void lock_without_the_last_fence(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    __threadfence();
    m->data[0]++; // want: race
    atomicExch(&m->lock, 0);
}
__global__ void lock_with_fences_of_block_scope(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {}
    __threadfence_block();
    m->data[0]++; // want: race
    __threadfence_block();
    atomicExch(&m->lock, 0);
}
__global__ void lock_of_block_scope(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS_block(&m->lock, 0, 1) != 0) {} // want: race
    __threadfence();
    m->data[0]++; // want: race
    __threadfence();
    atomicExch_block(&m->lock, 0);
}
__global__ void lock_of_block_scope_in_a_block(memory *m) {
    if (blockIdx.x || threadIdx.x % 32) return;
    while (atomicCAS_block(&m->lock, 0, 1) != 0) {}
    __threadfence_block();
    m->data[0]++;
    __threadfence_block();
    atomicExch_block(&m->lock, 0);
}
__global__ void lock_released_too_narrowly(memory *m) {
    if (threadIdx.x) return;
    while (atomicCAS(&m->lock, 0, 1) != 0) {} // want: race
    __threadfence();
    m->data[0]++; // want: race
    __threadfence();
    atomicExch_block(&m->lock, 0);
}
__global__ void lock_that_orders_by_itself(memory *m) {
    if (threadIdx.x) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(m->lock);
    int free = 0;
    while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
    m->data[0]++;
    lock.store(0, cuda::memory_order_release);
}
__global__ void lock_that_only_acquires(memory *m) {
    if (threadIdx.x) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(m->lock);
    int free = 0;
    while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
    m->data[0]++; // want: race
    lock.store(0, cuda::memory_order_relaxed);
}
__global__ void lock_of_ptx(memory *m) {
    if (threadIdx.x) return;
    int taken;
    do {
        asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(&m->lock) : "memory");
    } while (taken);
    m->data[0]++;
    asm volatile("st.release.gpu.global.s32 [%0], 0;" :: "l"(&m->lock) : "memory");
}
__global__ void lock_of_ptx_of_block_scope(memory *m) {
    if (threadIdx.x) return;
    int taken;
    do {
        asm volatile("atom.acquire.cta.global.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(&m->lock) : "memory"); // want: race
    } while (taken);
    m->data[0]++; // want: race
    asm volatile("st.release.cta.global.s32 [%0], 0;" :: "l"(&m->lock) : "memory");
}
__global__ void ticket_lock(memory *m) {
    if (threadIdx.x) return;
    const int ticket = atomicAdd(&m->lock, 1);
    while (atomicAdd(&m->other, 0) != ticket) {}
    __threadfence();
    m->data[0]++;
    __threadfence();
    atomicAdd(&m->other, 1);
}
__global__ void another_lock_in_each_block(memory *m) {
    if (threadIdx.x) return;
    int *lock = blockIdx.x % 2 ? &m->lock : &m->other;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    m->data[0]++; // want: race
    __threadfence();
    atomicExch(lock, 0);
}

// ---- chains
__global__ void through_a_third_thread(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicExch(&m->flag, 1); }
    if (FIRST(1)) { while (atomicAdd(&m->flag, 0) == 0) {} __threadfence(); atomicExch(&m->other, 1); }
    if (FIRST(2)) { while (atomicAdd(&m->other, 0) == 0) {} __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void through_a_third_thread_without_fence(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicExch(&m->flag, 1); }
    if (FIRST(1)) { while (atomicAdd(&m->flag, 0) == 0) {} atomicExch(&m->other, 1); }
    if (FIRST(2)) { while (atomicAdd(&m->other, 0) == 0) {} __threadfence(); m->out[0] = m->data[0]; } // want: race
}
__global__ void updates_go_on_with_a_release(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicAdd(&m->flag, 1); }
    if (FIRST(1)) atomicAdd(&m->flag, 1);
    if (FIRST(2)) { while (atomicAdd(&m->flag, 0) != 2) {} __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void a_store_ends_a_release(memory *m) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(m->flag);
    if (FIRST(0)) { m->data[0] = 1; flag.store(1, cuda::memory_order_release); }
    if (FIRST(1)) { while (flag.load(cuda::memory_order_relaxed) != 1) {} flag.store(2, cuda::memory_order_relaxed); }
    if (FIRST(2)) { while (flag.load(cuda::memory_order_acquire) != 2) {} m->out[0] = m->data[0]; } // want: race
}
__global__ void a_failing_swap_tells_nothing(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicCAS(&m->flag, 7, 8); atomicExch(&m->other, 1); }
    if (FIRST(1)) { while (*(volatile int *)&m->other == 0) {} atomicAdd(&m->flag, 0); m->out[0] = m->data[0]; } // want: race
}
__global__ void a_swap_tells(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicCAS(&m->flag, 0, 8); }
    if (FIRST(1)) { while (atomicAdd(&m->flag, 0) == 0) {} __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void what_comes_after_the_release(memory *m) {
    if (FIRST(0)) { __threadfence(); m->data[0] = 1; atomicExch(&m->flag, 1); }
    if (FIRST(1)) { while (atomicAdd(&m->flag, 0) == 0) {} __threadfence(); m->out[0] = m->data[0]; } // want: race
}
__global__ void only_the_thread_that_waits_knows(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicExch(&m->flag, 1); }
    if (FIRST(1)) { while (atomicAdd(&m->flag, 0) == 0) {} __threadfence(); }
    if (blockIdx.x == 1 && threadIdx.x == 32) { while (*(volatile int *)&m->flag == 0) {} m->out[0] = m->data[0]; } // want: race
}
__global__ void all_know_after_a_barrier(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); atomicExch(&m->flag, 1); }
    if (blockIdx.x == 0) return;
    if (threadIdx.x == 0) while (atomicAdd(&m->flag, 0) == 0) {}
    __syncthreads();
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = m->data[0];
}

// ---- volatile
__global__ void volatile_flag(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); m->number = 1; }
    if (FIRST(1)) { while (m->number == 0) {} __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void volatile_flag_without_fences(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; m->number = 1; }
    if (FIRST(1)) { while (m->number == 0) {} m->out[0] = m->data[0]; } // want: race
}
__global__ void volatile_count(memory *m) { m->number = m->number + 1; } // want: volatile-race
__global__ void volatile_write_and_read(memory *m) {
    if (FIRST(0)) m->number = 1;
    if (FIRST(1)) m->out[0] = m->number; // want: volatile-race
}
__global__ void volatile_and_plain(memory *m) {
    if (FIRST(0)) m->number = 1;
    if (FIRST(1)) m->out[0] = *(int *)&m->number; // want: race
}
__global__ void volatile_by_one_thread_each(memory *m) {
    if (threadIdx.x == 0) m->shown[blockIdx.x] = m->shown[blockIdx.x] + 1;
}
__global__ void volatile_ordered_by_a_barrier(memory *m) {
    if (FIRST(0)) m->number = 1;
    __syncthreads();
    if (blockIdx.x == 0) m->out[threadIdx.x] = m->number;
}

// Flags, however they are waited for.
__global__ void polled_in_a_do_loop(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); m->number = 1; }
    if (FIRST(1)) { int n; do { n = m->number; } while (n == 0); __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void polled_in_a_for_loop(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); m->number = 1; }
    if (FIRST(1)) { int n; for (n = m->number; n == 0; n = m->number) {} __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void polled_with_back_off(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); m->number = 1; }
    if (FIRST(1)) { for (int ns = 8; m->number == 0; ns = ns < 256 ? ns * 2 : ns) __nanosleep(ns); __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void looked_at_once(memory *m) {
    if (FIRST(0)) { m->data[0] = 1; __threadfence(); m->number = 1; }
    if (FIRST(1) && m->number) { __threadfence(); m->out[0] = m->data[0]; }
}
__global__ void status_and_value_in_one_word(memory *m) {
    if (FIRST(0)) m->shown[0] = 0x100 | 7;
    if (FIRST(1)) { int packed; do { packed = m->shown[0]; } while (packed < 0x100); m->out[0] = packed & 0xff; }
}
// ---- one block
__global__ void flag_in_shared_memory(memory *m) {
    __shared__ int flag, data;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) { data = 1; __threadfence_block(); atomicExch(&flag, 1); }
    if (threadIdx.x == 32) { while (atomicAdd(&flag, 0) == 0) {} __threadfence_block(); m->out[blockIdx.x] = data; }
}
__global__ void flag_in_shared_memory_without_fences(memory *m) {
    __shared__ int flag, data;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) { data = 1; atomicExch(&flag, 1); }
    if (threadIdx.x == 32) { while (atomicAdd(&flag, 0) == 0) {} m->out[blockIdx.x] = data; } // want: race
}
__global__ void barrier_object(memory *m) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int *mine = &m->out[blockIdx.x * blockDim.x];
    mine[threadIdx.x] = 1;
    bar.arrive_and_wait();
    const int next = mine[(threadIdx.x + 1) % blockDim.x];
    bar.arrive_and_wait();
    mine[threadIdx.x] = next;
}
__global__ void barrier_object_without_waiting(memory *m) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int *mine = &m->out[blockIdx.x * blockDim.x];
    mine[threadIdx.x] = 1; // want: race
    auto token = bar.arrive();
    const int next = mine[(threadIdx.x + 1) % blockDim.x];
    bar.wait(std::move(token));
    bar.arrive_and_wait();
    mine[threadIdx.x] = next;
}
__global__ void warp_barrier(memory *m) {
    if (blockIdx.x || threadIdx.x >= 32) return;
    m->data[threadIdx.x] = 1;
    __syncwarp();
    m->out[threadIdx.x] = m->data[31 - threadIdx.x];
}
__global__ void grid_barrier(memory *m) {
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    m->more[threadIdx.x] = 0; // want: race
    m->data[threadIdx.x] = m->out[((blockIdx.x + 1) % gridDim.x) * blockDim.x + threadIdx.x]; // want: race
}
// A barrier of all blocks, made of a counter and a volatile word.
__global__ void home_made_grid_barrier(memory *m) {
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const bool last = atomicAdd(&m->count, 1) == gridDim.x - 1;
        __threadfence();
        if (last) m->number = 1;
        while (m->number == 0) {}
        __threadfence();
    }
    __syncthreads();
    if (FIRST(0)) m->data[0] = m->out[blockDim.x];
}
__global__ void home_made_grid_barrier_without_fence(memory *m) {
    m->out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (atomicAdd(&m->count, 1) == gridDim.x - 1) m->number = 1;
        while (m->number == 0) {}
    }
    __syncthreads();
    if (FIRST(0)) m->data[0] = m->out[blockDim.x]; // want: race
}

// ---- objects of cuda:: that count, and flags
__device__ cuda::std::atomic_flag first_flag = ATOMIC_FLAG_INIT, second_flag;
__global__ void lock_by_a_flag(memory *m) {
    if (threadIdx.x) return;
    while (first_flag.test_and_set(cuda::std::memory_order_acquire)) {}
    m->data[0]++;
    first_flag.clear(cuda::std::memory_order_release);
}
__global__ void lock_by_a_flag_cleared_without_order(memory *m) {
    if (threadIdx.x) return;
    while (cuda::atomic_flag_test_and_set(&second_flag)) {}
    m->data[0]++; // want: race
    second_flag.clear(cuda::memory_order_relaxed);
}
__device__ void swap_in(int *lock, int success, int scope) {
    for (int free = 0; !__nv_atomic_compare_exchange_n(lock, &free, 1, false, success, __NV_ATOMIC_RELAXED, scope); free = 0) {}
}
__global__ void lock_by_nv_atomic(memory *m) {
    if (threadIdx.x) return;
    swap_in(&m->lock, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    m->data[0]++;
    __nv_atomic_store_n(&m->lock, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}
__global__ void lock_by_nv_atomic_relaxed(memory *m) {
    if (threadIdx.x) return;
    swap_in(&m->lock, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    m->data[0]++; // want: race
    __nv_atomic_store_n(&m->lock, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}
template <cuda::thread_scope Scope> struct counting {
    cuda::binary_semaphore<Scope> turn{1};
    cuda::counting_semaphore<Scope, 4> full{0};
    cuda::latch<Scope> all{4};
};
__device__ counting<cuda::thread_scope_device> of_device;
__device__ counting<cuda::thread_scope_block> of_block;
__global__ void lock_by_a_semaphore(memory *m) {
    if (threadIdx.x) return;
    of_device.turn.acquire();
    m->data[0]++;
    of_device.turn.release();
}
__global__ void lock_by_a_semaphore_of_block_scope(memory *m) {
    if (threadIdx.x) return;
    of_block.turn.acquire(); // want: race
    m->data[0]++; // want: race
    of_block.turn.release();
}
__global__ void three_wait_for_a_semaphore(memory *m) {
    if (FIRST(0)) m->data[0] = 1, of_device.full.release(3);
    if (blockIdx.x && threadIdx.x == 0) of_device.full.acquire(), m->out[blockIdx.x] = m->data[0];
}
__global__ void blocks_wait_at_a_latch(memory *m) {
    if (threadIdx.x) return;
    m->out[blockIdx.x] = 1;
    of_device.all.arrive_and_wait();
    m->out[8 + blockIdx.x] = m->out[3 - blockIdx.x];
}
__global__ void latch_that_is_not_waited_for(memory *m) {
    __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char bytes[sizeof(cuda::latch<cuda::thread_scope_block>)];
    auto *l = (cuda::latch<cuda::thread_scope_block> *)bytes;
    if (threadIdx.x == 0) new (l) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    __syncthreads();
    int *mine = m->out + blockIdx.x * blockDim.x;
    mine[threadIdx.x] = 1; // want: race
    l->count_down();
    if (threadIdx.x == 0) m->data[blockIdx.x] = mine[blockDim.x - 1];
    l->wait();
    if (threadIdx.x == 1) m->data[8 + blockIdx.x] = mine[blockDim.x - 1];
}

int main() {
    memory *m;
    cudaMalloc(&m, sizeof *m);
#define RUN(kernel) (cudaMemset(m, 0, sizeof *m), kernel<<<4, 64>>>(m))
    RUN(store_buffering_plain); RUN(store_buffering_relaxed); RUN(store_buffering_in_block_scope);
    RUN(independent_reads_plain); RUN(independent_reads_relaxed); RUN(one_scope_is_too_narrow); RUN(block_scope_in_one_block);
    RUN(block_scope_for_a_word_of_each_block); RUN(atomic_and_plain_read); RUN(scope_of_the_thread_is_none);
    RUN(last_block); RUN(last_block_each_thread_writes); RUN(last_block_barrier_before_the_fence); RUN(last_block_by_warps);
    RUN(last_block_by_acq_rel); RUN(last_block_without_fence); RUN(last_block_fence_after); RUN(last_block_fence_of_block_scope);
    RUN(last_block_fence_before_the_barrier_of_one_thread); RUN(last_block_one_thread_reads_too_early);
    RUN(last_block_of_volatile_sums); RUN(last_block_of_volatile_sums_without_fence);
    RUN(lock_with_fences); RUN(lock_with_a_volatile_release); RUN(lock_without_fences); RUN(lock_without_the_first_fence);
    RUN(lock_without_the_last_fence); RUN(lock_with_fences_of_block_scope); RUN(lock_of_block_scope); RUN(lock_of_block_scope_in_a_block);
    RUN(lock_released_too_narrowly); RUN(lock_that_orders_by_itself); RUN(lock_that_only_acquires); RUN(lock_of_ptx);
    RUN(lock_of_ptx_of_block_scope); RUN(ticket_lock); RUN(another_lock_in_each_block);
    RUN(through_a_third_thread); RUN(through_a_third_thread_without_fence); RUN(updates_go_on_with_a_release); RUN(a_store_ends_a_release);
    RUN(a_failing_swap_tells_nothing); RUN(a_swap_tells); RUN(what_comes_after_the_release); RUN(only_the_thread_that_waits_knows);
    RUN(all_know_after_a_barrier); RUN(volatile_flag); RUN(volatile_flag_without_fences); RUN(volatile_count); RUN(volatile_write_and_read);
    RUN(polled_in_a_do_loop); RUN(polled_in_a_for_loop); RUN(polled_with_back_off); RUN(looked_at_once);
    RUN(status_and_value_in_one_word); RUN(volatile_and_plain); RUN(volatile_by_one_thread_each); RUN(volatile_ordered_by_a_barrier); RUN(flag_in_shared_memory);
    RUN(flag_in_shared_memory_without_fences); RUN(barrier_object); RUN(barrier_object_without_waiting); RUN(warp_barrier);
    RUN(home_made_grid_barrier); RUN(home_made_grid_barrier_without_fence);
    RUN(lock_by_a_flag); RUN(lock_by_a_flag_cleared_without_order); RUN(lock_by_nv_atomic); RUN(lock_by_nv_atomic_relaxed);
    RUN(lock_by_a_semaphore); RUN(lock_by_a_semaphore_of_block_scope); RUN(three_wait_for_a_semaphore); RUN(blocks_wait_at_a_latch);
    RUN(latch_that_is_not_waited_for);
    void *args[] = {&m};
    cudaMemset(m, 0, sizeof *m);
    cudaLaunchCooperativeKernel((void *)grid_barrier, 4, 64, args, 0, 0);
    cudaDeviceSynchronize();
}
