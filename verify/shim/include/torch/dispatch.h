// AT_DISPATCH_…: a function body with scalar_t as the type that a tensor turns out to have.
#pragma once
#include "smux_cpu/names_begin.h"

#define AT_DISPATCH_CASE(name, ...)                                              \
    case name: {                                                                 \
        using scalar_t [[maybe_unused]] = typename c10::type_named<name>::type; \
        return __VA_ARGS__();                                                    \
    }
#define AT_DISPATCH_SWITCH(type, name, ...)                          \
    [&] {                                                            \
        switch (c10::ScalarType(type)) {                             \
            __VA_ARGS__                                              \
            default: c10::refuse(name, "no case for the type");     \
        }                                                            \
    }()

#define SMUX_TORCH_CASE(name, ...) AT_DISPATCH_CASE(c10::ScalarType::name, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) SMUX_TORCH_CASE(Double, __VA_ARGS__) SMUX_TORCH_CASE(Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) SMUX_TORCH_CASE(Half, __VA_ARGS__) SMUX_TORCH_CASE(BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                    \
    SMUX_TORCH_CASE(Byte, __VA_ARGS__) SMUX_TORCH_CASE(Char, __VA_ARGS__) SMUX_TORCH_CASE(Int, __VA_ARGS__)     \
    SMUX_TORCH_CASE(Long, __VA_ARGS__) SMUX_TORCH_CASE(Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) SMUX_TORCH_CASE(Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_HALF(...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) SMUX_TORCH_CASE(Half, __VA_ARGS__)

// Each set with none, one, two and three more types.
#define SMUX_TORCH_AND1(set, a, ...) AT_DISPATCH_CASE_##set(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define SMUX_TORCH_AND2(set, a, b, ...) SMUX_TORCH_AND1(set, a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define SMUX_TORCH_AND3(set, a, b, c, ...) SMUX_TORCH_AND2(set, a, b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
    AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(type, name, ...) AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(a, type, name, ...) AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND1(FLOATING_TYPES, a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, type, name, ...) \
    AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND2(FLOATING_TYPES, a, b, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(a, b, c, type, name, ...) \
    AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND3(FLOATING_TYPES, a, b, c, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, type, name, ...) AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND1(INTEGRAL_TYPES, a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_HALF(type, name, ...) AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(a, type, name, ...) AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND1(ALL_TYPES, a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, type, name, ...) AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND2(ALL_TYPES, a, b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, type, name, ...) AT_DISPATCH_SWITCH(type, name, SMUX_TORCH_AND3(ALL_TYPES, a, b, c, __VA_ARGS__))

#define AT_DISPATCH_INDEX_TYPES(type, name, ...)                                                         \
    [&] {                                                                                                \
        switch (c10::ScalarType(type)) {                                                                 \
            case c10::ScalarType::Int: { using index_t [[maybe_unused]] = int; return __VA_ARGS__(); }      \
            case c10::ScalarType::Long: { using index_t [[maybe_unused]] = int64_t; return __VA_ARGS__(); } \
            default: c10::refuse(name, "no case for the type");                                         \
        }                                                                                                \
    }()
#include "smux_cpu/names_end.h"
