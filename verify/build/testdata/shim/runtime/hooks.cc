// What -fsanitize=thread calls.
extern bool smux_cpu_checked;
extern "C" {
void __tsan_init() { smux_cpu_checked = true; }
void __tsan_read1(void *) {}
void __tsan_read2(void *) {}
void __tsan_read4(void *) {}
void __tsan_read8(void *) {}
void __tsan_write1(void *) {}
void __tsan_write2(void *) {}
void __tsan_write4(void *) {}
void __tsan_write8(void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
// And -fsanitize=alignment,signed-integer-overflow,shift-exponent.
void __ubsan_handle_shift_out_of_bounds(void *, unsigned long, unsigned long) {}
void __ubsan_handle_type_mismatch_v1(void *, void *) {}
void __ubsan_handle_add_overflow(void *, unsigned long, unsigned long) {}
void __ubsan_handle_sub_overflow(void *, unsigned long, unsigned long) {}
void __ubsan_handle_mul_overflow(void *, unsigned long, unsigned long) {}
}
