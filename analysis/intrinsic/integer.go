package intrinsic

// integers are the functions of integers and of their bits.
var integers = []Row{
	operator("min umin", "min", Overloaded, Arguments, Cost{1, NotMeasured}),
	operator("max umax", "max", Overloaded, Arguments, Cost{1, NotMeasured}),
	operator("llmin ullmin", "min", Plain, Long, Cost{NotMeasured, NotMeasured}),
	operator("llmax ullmax", "max", Plain, Long, Cost{NotMeasured, NotMeasured}),
	operator("abs", "abs", Overloaded, Arguments, Cost{1, NotMeasured}),
	compute("labs llabs", Overloaded, Arguments, Cost{1, NotMeasured}),
	operator("__mul24 __umul24", "*", Plain, Int, Cost{NotMeasured, NotMeasured}),
	operator("mul24", "*", Overloaded, Int, Cost{NotMeasured, NotMeasured}),
	compute("__mulhi __umulhi __sad __usad __byte_perm __funnelshift_{l,r,lc,rc} __dp4a", Plain, Arguments, Cost{1, NotMeasured}),
	compute("__mul64hi __umul64hi", Plain, Long, Cost{NotMeasured, NotMeasured}),
	compute("__dp2a_{lo,hi}", Plain, Arguments, Cost{NotMeasured, NotMeasured}),
	compute("__uhadd __rhadd __urhadd", Overloaded, Arguments, Cost{1, NotMeasured}),
	compute("__brev", Plain, Arguments, Cost{1, NotMeasured}),
	compute("__brevll", Plain, Long, Cost{NotMeasured, NotMeasured}),
	compute("__popc", Plain, Int, Cost{1, NotMeasured}),
	compute("__popcll __clz", Plain, Int, Cost{2, NotMeasured}),
	compute("__ffs __clzll", Plain, Int, Cost{3, NotMeasured}),
	compute("__ffsll", Plain, Int, Cost{5, NotMeasured}),
	compute("__fns", Plain, Int, Cost{NotMeasured, NotMeasured}),
	// Two or four numbers in one word.
	compute(`__v{abs,absss,neg,negss,add,addss,addus,sub,subss,subus}{2,4} __vavg{s,u}{2,4} __vhaddu{2,4}
		__v{absdiff,max,min,sad}{s,u}{2,4} __v{cmp,set}{eq,ne}{2,4} __v{cmp,set}{ge,gt,le,lt}{s,u}{2,4} __vabsdiff4`, Plain, Int, Cost{NotMeasured, NotMeasured}),
	// Those for dynamic programming: of three numbers, of a sum and a number, with a floor of 0.
	compute(`__vi{max3,min3,addmax,addmin}_{s32,s32_relu,u32,s16x2,s16x2_relu,u16x2} __vi{max,min}_{s32_relu,s16x2_relu}`, Plain, Int, Cost{NotMeasured, NotMeasured}),
	writes("__vib{max,min}_{s32,u32}", Arg2, Plain, Int, Cost{NotMeasured, NotMeasured}),
	writes("__vib{max,min}_{s16x2,u16x2}", Arg2|Arg3, Plain, Int, Cost{NotMeasured, NotMeasured}),
}

// conversions between numbers, and of their bits.
var conversions = []Row{
	compute("__float2{int,uint}_{rn,rz,ru,rd} __double2{int,uint}_{rn,rz,ru,rd}", Plain, Int, Cost{1, NotMeasured}),
	compute("__{int,uint}2float_{rn,rz,ru,rd} __double2float_{rn,rz,ru,rd}", Plain, Float, Cost{1, NotMeasured}),
	compute("__{int,uint}2double_rn", Plain, Double, Cost{1, NotMeasured}),
	compute("__{ll,ull}2float_{rn,rz,ru,rd}", Plain, Float, Cost{NotMeasured, NotMeasured}),
	compute("__{ll,ull}2double_{rn,rz,ru,rd}", Plain, Double, Cost{NotMeasured, NotMeasured}),
	compute("__{float,double}2{ll,ull}_{rn,rz,ru,rd}", Plain, Long, Cost{NotMeasured, NotMeasured}),
	compute("__float_as_{int,uint} __double2{hi,lo}int", Plain, Int, Cost{0, NotMeasured}),
	compute("__{int,uint}_as_float", Plain, Float, Cost{0, NotMeasured}),
	compute("__double_as_longlong", Plain, Long, Cost{0, NotMeasured}),
	compute("__longlong_as_double __hiloint2double", Plain, Double, Cost{0, NotMeasured}),
	compute("__float_to_tf32", Plain, Float, Cost{NotMeasured, NotMeasured}),
	{
		Names: `int unsigned float double bool char short long size_t dim3 uint3 half __half float4 float2`, Kind: Cast, Scope: Thread, Waits: Nobody,
		Result: AsArguments, Params: Plain, Type: Named, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	},
}

// vectors and complex numbers.
var vectors = []Row{
	compute(`make_{char,uchar,short,ushort}{1,2,3,4} make_{int,uint,long,ulong}{1,2,3,4} make_{float,double,longlong,ulonglong}{1,2,3,4}
		make_half2 make_cu{Complex,FloatComplex,DoubleComplex} make_bfloat162`, Plain, Named, Cost{0, NotMeasured}),
	compute("cuC{mul,add,sub,div}{,f} cuC{real,imag,abs}{,f} cuConj{,f} cuCfma{,f}", Plain, Arguments, Cost{NotMeasured, NotMeasured}),
	{
		// Of a program's own vectors, in a header that is not in view.
		Names: "make_*", Kind: Other, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Keeps: true}, Params: Plain, Type: Named, Cost: Cost{0, NotMeasured}, Forms: kept,
	},
}
