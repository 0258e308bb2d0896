// The class of one 16-bit floating-point number and that of a pair, with their operators. No include guard:
// cuda_fp16.h and cuda_bf16.h include it once each, with the names of their types in macros:
//   SMUX_CPU_T, SMUX_CPU_T2        the classes
//   SMUX_CPU_RAW, SMUX_CPU_RAW2    their bare bits
//   SMUX_CPU_FORMAT                a smux_cpu::reduced_format
// Members are inlined, so that an access to an element is found at the line of the program.
// Which conversions are implicit is what CUDA has, so that an expression is ambiguous where it is there.

struct alignas(2) SMUX_CPU_RAW {
    unsigned short x;
};
struct alignas(4) SMUX_CPU_RAW2 {
    unsigned short x, y;
};

struct alignas(2) SMUX_CPU_T {
  protected:
    unsigned short __x;

  public:
    SMUX_CPU_T() = default;
    SMUX_CPU_INLINE SMUX_CPU_T(const SMUX_CPU_RAW &raw) : __x(raw.x) {}
    SMUX_CPU_INLINE operator SMUX_CPU_RAW() const { return SMUX_CPU_RAW{__x}; }
    SMUX_CPU_INLINE SMUX_CPU_T &operator=(const SMUX_CPU_RAW &raw) {
        __x = raw.x;
        return *this;
    }

    SMUX_CPU_INLINE SMUX_CPU_T(float x) : __x(SMUX_CPU_FORMAT::rounded(x)) {}
    SMUX_CPU_INLINE SMUX_CPU_T(double x) : __x(SMUX_CPU_FORMAT::rounded(x)) {}
    SMUX_CPU_INLINE operator float() const { return SMUX_CPU_FORMAT::value(__x); }
    SMUX_CPU_INLINE SMUX_CPU_T &operator=(float x) { return *this = SMUX_CPU_T(x); }
    SMUX_CPU_INLINE SMUX_CPU_T &operator=(double x) { return *this = SMUX_CPU_T(x); }
    SMUX_CPU_INLINE operator bool() const { return (__x & 0x7fff) != 0; }

// To integers towards zero, saturating.
#define SMUX_CPU_INTEGER(type, wide)                                                                        \
    SMUX_CPU_INLINE SMUX_CPU_T(type x) : __x(SMUX_CPU_FORMAT::rounded(smux_cpu::sticky_double((wide)x))) {} \
    SMUX_CPU_INLINE operator type() const { return smux_cpu::saturating<type>(truncf((float)*this)); }      \
    SMUX_CPU_INLINE SMUX_CPU_T &operator=(type x) { return *this = SMUX_CPU_T(x); }
    SMUX_CPU_INTEGER(short, int64_t)
    SMUX_CPU_INTEGER(unsigned short, uint64_t)
    SMUX_CPU_INTEGER(int, int64_t)
    SMUX_CPU_INTEGER(unsigned, uint64_t)
    SMUX_CPU_INTEGER(long, int64_t)
    SMUX_CPU_INTEGER(unsigned long, uint64_t)
    SMUX_CPU_INTEGER(long long, int64_t)
    SMUX_CPU_INTEGER(unsigned long long, uint64_t)
#undef SMUX_CPU_INTEGER
};

struct alignas(4) SMUX_CPU_T2 {
    SMUX_CPU_T x, y;

    SMUX_CPU_T2() = default;
    SMUX_CPU_INLINE SMUX_CPU_T2(const SMUX_CPU_T &a, const SMUX_CPU_T &b) : x(a), y(b) {}
    SMUX_CPU_INLINE SMUX_CPU_T2(const SMUX_CPU_RAW2 &raw) : x(SMUX_CPU_RAW{raw.x}), y(SMUX_CPU_RAW{raw.y}) {}
    SMUX_CPU_INLINE operator SMUX_CPU_RAW2() const { return SMUX_CPU_RAW2{((SMUX_CPU_RAW)x).x, ((SMUX_CPU_RAW)y).x}; }
    // A template, so that x = {} and x = {a, b} mean a pair.
    template <class Raw, class = typename std::enable_if<std::is_same<Raw, SMUX_CPU_RAW2>::value>::type>
    SMUX_CPU_INLINE SMUX_CPU_T2 &operator=(const Raw &raw) {
        return *this = SMUX_CPU_T2(raw);
    }
};

namespace smux_cpu {

// The bits, the number, and the way back from a number.
SMUX_CPU_INLINE unsigned bits_of(const SMUX_CPU_T &h) { return ((SMUX_CPU_RAW)h).x; }
SMUX_CPU_INLINE double number(const SMUX_CPU_T &h) { return SMUX_CPU_FORMAT::value(bits_of(h)); }
SMUX_CPU_INLINE bool is_nan(const SMUX_CPU_T &h) { return SMUX_CPU_FORMAT::is_nan(bits_of(h)); }
template <class T> struct reduced_from;
template <> struct reduced_from<SMUX_CPU_T> {
    static SMUX_CPU_T bits(unsigned bits) { return SMUX_CPU_RAW{(unsigned short)bits}; }
    static SMUX_CPU_T number(double x, toward direction = toward::nearest) { return bits(SMUX_CPU_FORMAT::rounded(x, direction)); }
};

}  // namespace smux_cpu

#define SMUX_CPU_OPERATOR(op)                                                                                              \
    SMUX_CPU_INLINE SMUX_CPU_T operator op(const SMUX_CPU_T &a, const SMUX_CPU_T &b) {                                     \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(smux_cpu::number(a) op smux_cpu::number(b));                     \
    }                                                                                                                      \
    SMUX_CPU_INLINE SMUX_CPU_T &operator op##=(SMUX_CPU_T &a, const SMUX_CPU_T &b) { return a = a op b; }                  \
    SMUX_CPU_INLINE SMUX_CPU_T2 operator op(const SMUX_CPU_T2 &a, const SMUX_CPU_T2 &b) { return {a.x op b.x, a.y op b.y}; } \
    SMUX_CPU_INLINE SMUX_CPU_T2 &operator op##=(SMUX_CPU_T2 &a, const SMUX_CPU_T2 &b) { return a = a op b; }
SMUX_CPU_OPERATOR(+)
SMUX_CPU_OPERATOR(-)
SMUX_CPU_OPERATOR(*)
SMUX_CPU_OPERATOR(/)
#undef SMUX_CPU_OPERATOR

#define SMUX_CPU_COMPARISON(op)                                                                                                           \
    SMUX_CPU_INLINE bool operator op(const SMUX_CPU_T &a, const SMUX_CPU_T &b) { return smux_cpu::number(a) op smux_cpu::number(b); }     \
    SMUX_CPU_INLINE bool operator op(const SMUX_CPU_T2 &a, const SMUX_CPU_T2 &b) { return a.x op b.x && a.y op b.y; }
SMUX_CPU_COMPARISON(==)
SMUX_CPU_COMPARISON(!=)
SMUX_CPU_COMPARISON(<)
SMUX_CPU_COMPARISON(<=)
SMUX_CPU_COMPARISON(>)
SMUX_CPU_COMPARISON(>=)
#undef SMUX_CPU_COMPARISON

SMUX_CPU_INLINE SMUX_CPU_T operator+(const SMUX_CPU_T &a) { return a; }
SMUX_CPU_INLINE SMUX_CPU_T operator-(const SMUX_CPU_T &a) { return smux_cpu::reduced_from<SMUX_CPU_T>::bits(smux_cpu::bits_of(a) ^ 0x8000); }
SMUX_CPU_INLINE SMUX_CPU_T2 operator+(const SMUX_CPU_T2 &a) { return a; }
SMUX_CPU_INLINE SMUX_CPU_T2 operator-(const SMUX_CPU_T2 &a) { return {-a.x, -a.y}; }
SMUX_CPU_INLINE SMUX_CPU_T &operator++(SMUX_CPU_T &a) { return a += SMUX_CPU_T(1.0f); }
SMUX_CPU_INLINE SMUX_CPU_T &operator--(SMUX_CPU_T &a) { return a -= SMUX_CPU_T(1.0f); }
SMUX_CPU_INLINE SMUX_CPU_T operator++(SMUX_CPU_T &a, int) {
    const SMUX_CPU_T before = a;
    ++a;
    return before;
}
SMUX_CPU_INLINE SMUX_CPU_T operator--(SMUX_CPU_T &a, int) {
    const SMUX_CPU_T before = a;
    --a;
    return before;
}
