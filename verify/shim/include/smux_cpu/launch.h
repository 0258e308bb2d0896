// Launches of kernels. The arguments are evaluated and converted to values once, as a device takes them;
// every thread then calls the kernel with them:
//
//   launch(config(grid, block, bytes, stream), "kernel<T>", [&](auto &...a) { kernel<T>(a...); }, n, pointer)
#pragma once
#include <type_traits>
#include <utility>

#include "smux_cpu/abi.h"

namespace smux_cpu {

template <class T> void pointer_argument(const T &value) {
    if constexpr (std::is_pointer<T>::value && std::is_object<std::remove_pointer_t<T>>::value)
        smux_cpu_pointer_argument(const_cast<const void *>(static_cast<const volatile void *>(value)));
}

template <class F, class... A> SMUX_CPU_OWN inline void launch(const config &configuration, const char *kernel, F &&call, A... values) {
    (pointer_argument(values), ...);
    auto thread = [&]() SMUX_CPU_OWN { call(values...); };
    smux_cpu_launch(&configuration, kernel, [](void *self) SMUX_CPU_OWN { (*static_cast<decltype(thread) *>(self))(); }, &thread);
}

// What the translation puts at the top of a kernel with __launch_bounds__.
inline void launch_bounds(unsigned long long threads, unsigned long long = 0, unsigned long long = 0) {
    smux_cpu_launch_bounds(threads);
}

}  // namespace smux_cpu
