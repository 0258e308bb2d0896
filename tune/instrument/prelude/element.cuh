
// Which elements memory has, by the pointers that the program passes. The numbers are those of the copy log.
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace smux_launch {

enum { bytes = 0, f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, pointer = 0xff };

// Anything else, structures above all, is bytes.
template <class T> struct Scalar {
    enum { code = bytes };
};
#define SMUX_LAUNCH_ELEMENT(type, number)    \
    template <> struct Scalar<type> {        \
        enum { code = number };              \
    };
#define SMUX_LAUNCH_VECTOR(name, number)     \
    SMUX_LAUNCH_ELEMENT(name##1, number)     \
    SMUX_LAUNCH_ELEMENT(name##2, number)     \
    SMUX_LAUNCH_ELEMENT(name##3, number)     \
    SMUX_LAUNCH_ELEMENT(name##4, number)
SMUX_LAUNCH_ELEMENT(float, f32)
SMUX_LAUNCH_ELEMENT(double, f64)
SMUX_LAUNCH_ELEMENT(__half, f16)
SMUX_LAUNCH_ELEMENT(__half2, f16)
SMUX_LAUNCH_ELEMENT(__nv_bfloat16, bf16)
SMUX_LAUNCH_ELEMENT(__nv_bfloat162, bf16)
SMUX_LAUNCH_ELEMENT(bool, u8)
SMUX_LAUNCH_ELEMENT(char, (char(-1) < 0 ? i8 : u8))
SMUX_LAUNCH_ELEMENT(signed char, i8)
SMUX_LAUNCH_ELEMENT(unsigned char, u8)
SMUX_LAUNCH_ELEMENT(short, i16)
SMUX_LAUNCH_ELEMENT(unsigned short, u16)
SMUX_LAUNCH_ELEMENT(int, i32)
SMUX_LAUNCH_ELEMENT(unsigned, u32)
SMUX_LAUNCH_ELEMENT(long, (sizeof(long) == 8 ? i64 : i32))
SMUX_LAUNCH_ELEMENT(unsigned long, (sizeof(long) == 8 ? u64 : u32))
SMUX_LAUNCH_ELEMENT(long long, i64)
SMUX_LAUNCH_ELEMENT(unsigned long long, u64)
SMUX_LAUNCH_VECTOR(float, f32)
SMUX_LAUNCH_VECTOR(double, f64)
SMUX_LAUNCH_VECTOR(char, i8)
SMUX_LAUNCH_VECTOR(uchar, u8)
SMUX_LAUNCH_VECTOR(short, i16)
SMUX_LAUNCH_VECTOR(ushort, u16)
SMUX_LAUNCH_VECTOR(int, i32)
SMUX_LAUNCH_VECTOR(uint, u32)
SMUX_LAUNCH_VECTOR(long, (sizeof(long) == 8 ? i64 : i32))
SMUX_LAUNCH_VECTOR(ulong, (sizeof(long) == 8 ? u64 : u32))
SMUX_LAUNCH_VECTOR(longlong, i64)
SMUX_LAUNCH_VECTOR(ulonglong, u64)
#undef SMUX_LAUNCH_VECTOR
#undef SMUX_LAUNCH_ELEMENT

template <bool isEnum, class T> struct Underlying {
    typedef T type;
};
template <class T> struct Underlying<true, T> {
    typedef __underlying_type(T) type;
};

template <class T> struct Element : Scalar<typename Underlying<__is_enum(T), T>::type> {};
template <class T> struct Element<const T> : Element<T> {};
template <class T> struct Element<volatile T> : Element<T> {};
template <class T> struct Element<const volatile T> : Element<T> {};
template <class T, size_t n> struct Element<T[n]> : Element<T> {};
template <class T, size_t n> struct Element<const T[n]> : Element<T> {};
template <class T, size_t n> struct Element<volatile T[n]> : Element<T> {};
template <class T, size_t n> struct Element<const volatile T[n]> : Element<T> {};
template <class T> struct Element<T[]> : Element<T> {};
template <class T> struct Element<const T[]> : Element<T> {};
template <class T> struct Element<volatile T[]> : Element<T> {};
template <class T> struct Element<const volatile T[]> : Element<T> {};
// Pointers mean nothing outside the process that they are from.
template <class T> struct Element<T *> {
    enum { code = pointer };
};

// The elements of a copy. Single bytes and void say little, as many programs cast to char *: so the other side
// is asked first.
inline uint32_t element_of(uint32_t to, uint32_t from) {
    const bool vague = to == bytes || to == i8 || to == u8;
    return vague && from != bytes ? from : to;
}
template <class T, class U> inline uint32_t element_of() {
    return element_of((uint32_t)Element<T>::code, (uint32_t)Element<U>::code);
}

}  // namespace smux_launch
