#ifdef SMUX_CPU_ADDRESS
constexpr int answer = 43;
#else
constexpr int answer = 42;
#endif
