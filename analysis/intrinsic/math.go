package intrinsic

// compute is a row of functions that compute a value from their arguments.
func compute(names string, p Params, t Type, c Cost) Row {
	return Row{Names: names, Kind: Value, Scope: Thread, Waits: Nobody, Result: AsArguments, Params: p, Type: t, Cost: c, Forms: kept}
}

// operator is a row of functions that are another way to write an operator.
func operator(names, op string, p Params, t Type, c Cost) Row {
	r := compute(names, p, t, c)
	r.Op = op
	return r
}

// reads is a row of functions that compute a value of elements that they read.
func reads(names string, from Args, p Params, t Type, c Cost) Row {
	r := compute(names, p, t, c)
	r.Kind, r.Result, r.Memory = Copy, AsMemory, Memory{Reads: from}
	return r
}

// writes is a row of functions that compute several values, which they write through their last arguments.
func writes(names string, to Args, p Params, t Type, c Cost) Row {
	r := compute(names, p, t, c)
	r.Kind, r.Result, r.Memory = Copy, PerThread, Memory{Writes: to}
	return r
}

// floating are CUDA's functions of floating-point numbers: those of the f suffix
// take float, the others have overloads for double, float and integers.
var floating = []Row{
	operator("fmin", "min", Overloaded, Floating, Cost{1, 2}),
	operator("fmax", "max", Overloaded, Floating, Cost{1, 2}),
	operator("fminf", "min", Plain, Float, Cost{1, NotMeasured}),
	operator("fmaxf", "max", Plain, Float, Cost{1, NotMeasured}),
	compute("fabs floor ceil trunc rint fma", Overloaded, Floating, Cost{1, 2}),
	compute("fabsf floorf ceilf truncf rintf nearbyintf fmaf __saturatef copysignf", Plain, Float, Cost{1, NotMeasured}),
	compute("saturate", Overloaded, Floating, Cost{1, NotMeasured}),
	compute("signbit isnan isinf isfinite", Overloaded, Int, Cost{1, NotMeasured}),
	compute("round", Overloaded, Floating, Cost{4, 2}),
	compute("roundf", Plain, Float, Cost{4, NotMeasured}),
	compute("lroundf", Plain, Long, Cost{4, NotMeasured}),
	compute("rsqrt", Overloaded, Floating, Cost{4, 14}).taking(0, 3),
	compute("rsqrtf exp2f", Plain, Float, Cost{4, NotMeasured}),
	compute("exp2", Overloaded, Floating, Cost{4, 38}).taking(0, 6),
	compute("exp", Overloaded, Floating, Cost{9, 38}).taking(2, 6),
	compute("sqrt", Overloaded, Floating, Cost{9, 14}).taking(0, 8),
	compute("expf exp10f sqrtf", Plain, Float, Cost{9, NotMeasured}).taking(2, 0),
	compute("cbrt", Overloaded, Floating, Cost{15, 50}).taking(4, 14),
	compute("cbrtf rcbrtf normcdff", Plain, Float, Cost{15, NotMeasured}).taking(4, 0),
	compute("tanh sinh cosh", Overloaded, Floating, Cost{22, 38}).taking(1, 8),
	compute("tanhf sinhf coshf expm1f", Plain, Float, Cost{22, NotMeasured}).taking(1, 0),
	compute("log log2 log10 hypot acos asin", Overloaded, Floating, Cost{28, 60}).taking(1, 10),
	compute("erf", Overloaded, Floating, Cost{28, 50}).taking(2, 8),
	compute("logf log2f log10f log1pf erff hypotf acosf asinf", Plain, Float, Cost{28, NotMeasured}).taking(1, 0),
	compute("sin cos", Overloaded, Floating, Cost{30, 50}).taking(11, 18),
	compute("fmod", Overloaded, Floating, Cost{30, NotMeasured}).taking(2, 8),
	compute("sinf cosf", Plain, Float, Cost{30, NotMeasured}).taking(11, 0),
	compute("sinpif cospif fmodf", Plain, Float, Cost{30, NotMeasured}).taking(3, 0),
	compute("tan", Overloaded, Floating, Cost{40, 75}).taking(11, 18),
	compute("atan erfc", Overloaded, Floating, Cost{40, 50}).taking(6, 10),
	compute("tanf", Plain, Float, Cost{40, NotMeasured}).taking(11, 0),
	compute("atanf erfcf", Plain, Float, Cost{40, NotMeasured}).taking(6, 0),
	compute("pow", Overloaded, Floating, Cost{60, 85}).taking(3, 18),
	compute("atan2", Overloaded, Floating, Cost{60, 75}).taking(8, 14),
	compute("atan2f tgammaf", Plain, Float, Cost{60, NotMeasured}).taking(8, 0),
	compute("powf lgammaf", Plain, Float, Cost{60, NotMeasured}).taking(4, 0),
	compute("exp10 expm1", Overloaded, Floating, Cost{NotMeasured, 38}),
	compute("log1p", Overloaded, Floating, Cost{NotMeasured, 60}),
	compute("lgamma tgamma", Overloaded, Floating, Cost{NotMeasured, 75}),
	compute("normcdf", Overloaded, Floating, Cost{NotMeasured, 85}).taking(5, 16),
	compute(`rcbrt rhypot norm3d norm4d rnorm3d rnorm4d sinpi cospi asinh acosh atanh logb erfinv erfcinv erfcx normcdfinv
		j0 j1 y0 y1 cyl_bessel_{i0,i1} nearbyint remainder fdim ldexp scalbn scalbln copysign nextafter fdivide nan jn yn`, Overloaded, Floating, Cost{NotMeasured, NotMeasured}),
	compute(`rhypotf norm3df norm4df rnorm3df rnorm4df asinhf acoshf atanhf logbf erfinvf erfcinvf erfcxf normcdfinvf
		j0f j1f y0f y1f cyl_bessel_{i0f,i1f} remainderf fdimf ldexpf scalbnf scalblnf nextafterf fdividef nanf jnf ynf`, Plain, Float, Cost{NotMeasured, NotMeasured}),
	compute("lrint llrint lround llround", Overloaded, Long, Cost{NotMeasured, NotMeasured}),
	compute("lrintf llrintf llroundf", Plain, Long, Cost{NotMeasured, NotMeasured}),
	compute("ilogb", Overloaded, Int, Cost{NotMeasured, NotMeasured}),
	compute("ilogbf", Plain, Int, Cost{NotMeasured, NotMeasured}),
	// In float, quick or with a rounding mode.
	compute("__sinf __cosf", Plain, Float, Cost{2, NotMeasured}),
	compute("__tanf", Plain, Float, Cost{4, NotMeasured}),
	compute("__expf __exp10f __logf __log2f __log10f __fdividef", Plain, Float, Cost{5, NotMeasured}),
	compute("__powf", Plain, Float, Cost{9, NotMeasured}),
	compute("__f{add,mul,sub}_{rn,rz,ru,rd} __fmaf_{rn,rz,ru,rd} __fmaf_ieee_{rn,rz,ru,rd}", Plain, Float, Cost{1, NotMeasured}),
	compute("__frsqrt_rn", Plain, Float, Cost{4, NotMeasured}),
	compute("__fsqrt_{rn,rz,ru,rd} __frcp_{rn,rz,ru,rd} __fdiv_{rn,rz,ru,rd}", Plain, Float, Cost{9, NotMeasured}),
	// In double, with a rounding mode.
	compute("__d{add,mul,sub}_{rn,rz,ru,rd} __fma_{rn,rz,ru,rd}", Plain, Double, Cost{1, NotMeasured}),
	compute("__dsqrt_{rn,rz,ru,rd}", Plain, Double, Cost{NotMeasured, 14}).taking(0, 8),
	compute("__ddiv_{rn,rz,ru,rd} __drcp_{rn,rz,ru,rd}", Plain, Double, Cost{NotMeasured, 18}).taking(0, 10),
	// Of a vector in memory, whose length comes first.
	reads("norm rnorm", Arg1, Overloaded, Floating, Cost{NotMeasured, NotMeasured}),
	reads("normf rnormf", Arg1, Plain, Float, Cost{NotMeasured, NotMeasured}),
	// Those with several results.
	writes("__sincosf", Arg1|Arg2, Plain, NoType, Cost{3, NotMeasured}),
	writes("sincos", Arg1|Arg2, Overloaded, NoType, Cost{40, 75}).taking(11, 18),
	writes("sincosf", Arg1|Arg2, Plain, NoType, Cost{40, NotMeasured}).taking(11, 0),
	writes("sincospi", Arg1|Arg2, Overloaded, NoType, Cost{NotMeasured, NotMeasured}),
	writes("sincospif", Arg1|Arg2, Plain, NoType, Cost{NotMeasured, NotMeasured}),
	writes("modf frexp", Arg1, Overloaded, Floating, Cost{NotMeasured, NotMeasured}),
	writes("modff frexpf", Arg1, Plain, Float, Cost{NotMeasured, NotMeasured}),
	writes("remquo", Arg2, Overloaded, Floating, Cost{NotMeasured, NotMeasured}),
	writes("remquof", Arg2, Plain, Float, Cost{NotMeasured, NotMeasured}),
}
