// Launches by function call. A kernel given with its type is called as that; one given as `void *` must have
// been registered by an expression kernel_pointer(kernel), which the translation writes where a program
// casts a kernel to a pointer without type.
#pragma once
#include <type_traits>
#include <utility>

#include "smux_cpu/host_abi.h"

namespace smux_cpu {

// Calls a kernel of type void(P...) with arguments that are given by their addresses, as values of type P.
template <class... P, size_t... I> void call_unpacked(void (*kernel)(P...), void **arguments, std::index_sequence<I...>) {
    // Values of their own: a kernel may change its parameters.
    (*kernel)(std::remove_reference_t<P>(*static_cast<std::remove_reference_t<P> *>(arguments[I]))...);
}
template <class... P> void call_erased(const void *kernel, void **arguments) {
    call_unpacked((void (*)(P...))kernel, arguments, std::index_sequence_for<P...>());
}

template <class... P> cudaError_t launch_packed(const config &config, void (*kernel)(P...), void **arguments);
// Values of several types. (std::tuple would bring its name into programs that don't include it.)
template <size_t I, class T> struct kept_value { T value; };
template <class I, class... T> struct kept_values;
template <size_t... I, class... T> struct kept_values<std::index_sequence<I...>, T...> : kept_value<I, T>... {};

template <class... P, size_t... I>
graph_work *keep_unpacked(const config &configuration, void (*kernel)(P...), void **arguments, std::index_sequence<I...> numbers) {
    kept_values<decltype(numbers), std::decay_t<P>...> values{{*static_cast<std::remove_reference_t<P> *>(arguments[I])}...};
    return new_work([configuration = configuration.in_graph(), kernel, values]() mutable {
        void *addresses[] = {(void *)&static_cast<kept_value<I, std::decay_t<P>> &>(values).value..., nullptr};
        launch_packed(configuration, kernel, addresses);
    });
}
template <class... P> graph_work *keep_erased(const config &configuration, const void *kernel, void **arguments) {
    return keep_unpacked(configuration, (void (*)(P...))kernel, arguments, std::index_sequence_for<P...>());
}

// The kernel itself, and from now on it may be launched by its address.
template <class... P> auto kernel_pointer(void (*kernel)(P...), const char *name) -> void (*)(P...) {
    smux_cpu_register_kernel((const void *)kernel, name, call_erased<P...>, keep_erased<P...>);
    return kernel;
}

// The same as a variable, for registration before main.
struct kernel_entry {
    template <class... P> kernel_entry(void (*kernel)(P...), const char *name) { kernel_pointer(kernel, name); }
};

// The arguments of a launch, which live until the grid is done.
template <class... P> struct packed_launch {
    void (*kernel)(P...);
    void **arguments;
    static void run(void *self) {
        const auto *launch = static_cast<packed_launch *>(self);
        call_unpacked(launch->kernel, launch->arguments, std::index_sequence_for<P...>());
    }
};
template <class... P> cudaError_t launch_packed(const config &config, void (*kernel)(P...), void **arguments) {
    if (smux_cpu_captures(config.stream)) {
        smux_cpu_capture(config.stream, cudaGraphNodeTypeKernel, keep_erased<P...>(config, (const void *)kernel, arguments));
        return cudaSuccess;
    }
    packed_launch<P...> launch{kernel, arguments};
    return smux_cpu_launch_checked(&config, smux_cpu_kernel_name((const void *)kernel), packed_launch<P...>::run, &launch);
}

}  // namespace smux_cpu

extern "C" {

// Kernels by address alone.
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);

}  // extern "C"

template <class... P> cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr) {
    return smux_cpu::launch_packed(smux_cpu::config(grid, block, shared, stream), kernel, arguments);
}
template <class... P> cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr) {
    smux_cpu::config config(grid, block, shared, stream);
    config.cooperative = true;
    return smux_cpu::launch_packed(config, kernel, arguments);
}

namespace smux_cpu {

// The configuration with its attributes. Clusters of more than one block are not supported.
config extended_config(const cudaLaunchConfig_t *config);

template <class... P> cudaError_t launch_values(const config &config, void (*kernel)(P...), std::decay_t<P>... values) {
    void *addresses[] = {(void *)&values..., nullptr};
    return launch_packed(config, kernel, addresses);
}

}  // namespace smux_cpu

// Arguments given as such; they are converted to the types of the parameters once.
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments) {
    return smux_cpu::launch_values<P...>(smux_cpu::extended_config(config), kernel, static_cast<std::decay_t<P>>(std::forward<A>(arguments))...);
}
