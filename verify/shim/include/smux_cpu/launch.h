// Launches of kernels. The arguments are evaluated and converted to values once, as a device takes them;
// every thread then calls the kernel with them:
//
//   launch(config(grid, block, bytes, stream), "kernel<T>", [&](auto &...a) { kernel<T>(passed(a)...), left<int, float *>(); }, n, pointer)
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "smux_cpu/abi.h"
#include "smux_cpu/capture.h"
#include "smux_cpu/types.h"

namespace smux_cpu {

template <class T> void pointer_argument(const T &value) {
    if constexpr (std::is_pointer<T>::value && std::is_object<std::remove_pointer_t<T>>::value)
        smux_cpu_pointer_argument(const_cast<const void *>(static_cast<const volatile void *>(value)));
}

// An argument as a launch passes it, from which a launch that is made again converts its parameter.
struct launch_argument {
    const void *value;
    const std::type_info *type;
    char kind;  // 'i' an integer, 'u' one without sign, 'f' a floating-point number, 'p' a pointer, 0 anything else
    unsigned long long integer;
    double number;
    alignas(16) char converted[16];
};
template <class T> launch_argument argument_of(const T &value) {
    launch_argument a{&value, &typeid(T), 0, 0, 0, {}};
    if constexpr (std::is_floating_point<T>::value) a.kind = 'f', a.number = double(value);
    else if constexpr (std::is_integral<T>::value || std::is_enum<T>::value) a.kind = T(-1) < T(0) ? 'i' : 'u', a.integer = (unsigned long long)value;
    else if constexpr (std::is_pointer<T>::value) a.kind = 'p';
    return a;
}
template <class T> T &parameter(void *argument) {
    auto *a = static_cast<launch_argument *>(argument);
    if constexpr (std::is_arithmetic<T>::value || std::is_enum<T>::value) {
        if (a->kind && a->kind != 'p')
            return *::new (a->converted) T(a->kind == 'f' ? T(a->number) : a->kind == 'u' ? T(a->integer) : T((long long)a->integer));
    } else if (std::is_pointer<T>::value ? a->kind == 'p' : *a->type == typeid(T)) {
        return *static_cast<T *>(const_cast<void *>(a->value));
    }
    smux_cpu_not_supported("an argument whose class is converted to the parameter's");
}

// A parameter has the bytes of the launch's value: a device calls no constructor for it. In the ABI of Itanium's C++ a function that returns
// such a class gets the place first, which is the parameter.
#ifdef __x86_64__
template <class T> constexpr bool has_copies = std::is_class<T>::value && !std::is_trivially_copy_constructible<T>::value;
#else
template <class T> constexpr bool has_copies = false;
#endif
template <class T> SMUX_CPU_OWN inline std::enable_if_t<!has_copies<T>, T &> passed(T &value) { return value; }
template <class T> SMUX_CPU_OWN inline std::enable_if_t<has_copies<T>, T> passed(T &value) {
    static void *(*volatile copy)(void *, const void *, size_t) = [](void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); };
    return reinterpret_cast<T (*)(const void *, size_t)>(copy)(&value, sizeof value);
}

// After the kernel, while its parameters are still there: a device does not destroy them, so a thread with one that does
// something then goes no further. The host's own copies are destroyed once, when the launch returns.
template <class... A> SMUX_CPU_OWN inline void left() {
    if constexpr (!(std::is_trivially_destructible<A>::value && ...)) smux_cpu_exit_thread();
}

template <class F, class... A> SMUX_CPU_OWN inline void launch(const config &configuration, const char *kernel, F &&call, A &...values) {
    if (smux_cpu_captures(configuration.stream)) {
        if constexpr (std::is_empty<std::decay_t<F>>::value && (std::is_copy_constructible<A>::value && ...))
            smux_cpu_capture(configuration.stream, cudaGraphNodeTypeKernel, new_work([=, later = configuration.in_graph()]() mutable { launch(later, kernel, call, values...); }));
        else smux_cpu_not_supported("launch of a function pointer while its stream is captured");
        return;
    }
    (pointer_argument(values), ...);
    auto thread = [&]() SMUX_CPU_OWN { call(values...); };
    launch_argument arguments[] = {argument_of(values)..., {}};
    void *addresses[sizeof...(values) + 1];
    for (size_t i = 0; i < sizeof...(values); i++) addresses[i] = &arguments[i];
    smux_cpu_arguments(addresses);
    smux_cpu_launch(&configuration, kernel, [](void *self) SMUX_CPU_OWN { (*static_cast<decltype(thread) *>(self))(); }, &thread);
    smux_cpu_arguments(nullptr);
}

// The kernel that a launch calls by a variable, which is counted by its own name.
template <class F> F called(F kernel) {
    if constexpr (std::is_pointer<F>::value) smux_cpu_called((const void *)kernel);
    return kernel;
}

// What the translation puts at the top of a kernel with __launch_bounds__.
inline void launch_bounds(unsigned long long threads, unsigned long long = 0, unsigned long long = 0) {
    smux_cpu_launch_bounds(threads);
}

// What the translation puts around a ?: whose value has a subscript.
template <class T> constexpr T &&chosen(T &&one) { return static_cast<T &&>(one); }

}  // namespace smux_cpu
