// Forgets the names that parametrise the reduced_float_*.h files, for the next type.
#undef SMUX_CPU_T
#undef SMUX_CPU_T2
#undef SMUX_CPU_RAW
#undef SMUX_CPU_RAW2
#undef SMUX_CPU_FORMAT
#undef SMUX_CPU_PASTE
#undef SMUX_CPU_PASTE2
