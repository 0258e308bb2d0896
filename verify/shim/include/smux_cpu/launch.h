// Launches of kernels. The arguments are evaluated and converted to values once, as a device takes them;
// every thread then calls the kernel with them:
//
//   launch(config(grid, block, bytes, stream), "kernel<T>", [&](auto &...a) { kernel<T>(a...); }, n, pointer)
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "smux_cpu/abi.h"

namespace smux_cpu {

template <class F, class... A>
inline void launch(const config &configuration, const char *kernel, F &&call, A &&...arguments) {
    std::tuple<std::decay_t<A>...> values(std::forward<A>(arguments)...);
    auto thread = [&] { std::apply(call, values); };
    smux_cpu_launch(&configuration, kernel, [](void *t) { (*static_cast<decltype(thread) *>(t))(); }, &thread);
}

}  // namespace smux_cpu
