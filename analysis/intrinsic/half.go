package intrinsic

// halves are the functions of cuda_fp16.h and cuda_bf16.h. Arithmetic and comparisons have the same names in both,
// and pairs cost what single numbers do. __hadd is also the mean of two integers.
var halves = []Row{
	compute("__h{add,sub,mul}{,2} __hfma{,2} __hneg{,2} __h{max,min}{,2}", Overloaded, Arguments, Cost{1, NotMeasured}),
	compute("__h{add,sub,mul}{,2}_{rn,sat} __hfma{,2}_{sat,relu} __habs{,2} __h{max,min}{,2}_nan", Overloaded, Arguments, Cost{1, NotMeasured}),
	compute("__hdiv __h2div __hcmadd", Overloaded, Arguments, Cost{NotMeasured, NotMeasured}),
	compute("__h{lt,gt,eq,le,ge,ne}{,u} __hb{lt,gt,eq,le,ge,ne}{,u}2 __hisnan __hisinf", Overloaded, Int, Cost{NotMeasured, NotMeasured}),
	compute("__h{lt,gt,eq,le,ge,ne}{,u}2_mask", Overloaded, Int, Cost{NotMeasured, NotMeasured}),
	compute("__h{lt,gt,eq,le,ge,ne}{,u}2 __hisnan2", Overloaded, Arguments, Cost{NotMeasured, NotMeasured}),
	compute(`h{exp,exp2,exp10,log,log2,log10,sqrt,rsqrt,rcp,sin,cos,ceil,floor,rint,trunc}
		h2{exp,exp2,exp10,log,log2,log10,sqrt,rsqrt,rcp,sin,cos,ceil,floor,rint,trunc}`, Overloaded, Arguments, Cost{NotMeasured, NotMeasured}),
	// Conversions.
	compute("__float2half{,_rn} __float2bfloat16{,_rn}", Plain, Half, Cost{1, NotMeasured}),
	compute("__float2{half,bfloat16}_{rz,ru,rd} __float2half2_rn __float2bfloat162_rn __float22half2_rn __float22bfloat162_rn __double2half __double2bfloat16", Plain, Half, Cost{NotMeasured, NotMeasured}),
	compute("__floats2half2_rn __floats2bfloat162_rn", Plain, Half, Cost{1, NotMeasured}),
	compute("__half2float __bfloat162float", Plain, Float, Cost{1, NotMeasured}),
	compute("__low2float __high2float", Overloaded, Float, Cost{1, NotMeasured}),
	compute("__half22float2 __bfloat1622float2", Plain, Named, Cost{NotMeasured, NotMeasured}),
	compute("__{int,uint,short,ushort,ll,ull}2{half,bfloat16}_{rn,rz,ru,rd}", Plain, Half, Cost{NotMeasured, NotMeasured}),
	compute("__{half,bfloat16}2{int,uint,short,ushort}_{rn,rz,ru,rd}", Plain, Int, Cost{NotMeasured, NotMeasured}),
	compute("__{half,bfloat16}2{ll,ull}_{rn,rz,ru,rd}", Plain, Long, Cost{NotMeasured, NotMeasured}),
	compute("__{half,bfloat16}_as_{short,ushort}", Plain, Int, Cost{NotMeasured, NotMeasured}),
	compute("__{short,ushort}_as_{half,bfloat16}", Plain, Half, Cost{NotMeasured, NotMeasured}),
	// Of pairs and their halves.
	compute("__half2half2 __bfloat162bfloat162", Plain, Half, Cost{1, NotMeasured}),
	compute("__halves2half2 __halves2bfloat162 __{low,high}2{half,bfloat16} __{low,high}2{half2,bfloat162} __{lows,highs}2{half2,bfloat162}", Plain, Half, Cost{NotMeasured, NotMeasured}),
	compute("__lowhigh2highlow", Overloaded, Half, Cost{NotMeasured, NotMeasured}),
	// What newer headers add under the names that are the compiler's and CUDA's.
	other("__half* __bfloat16* __float2* __double2* __int2* __uint2* __ll2* __ull2* __float_to_* __hadd* __hmul* __nv_cvt_*"),
}

// other is a row of functions of which only that they hold no barrier is known.
func other(names string) Row {
	return Row{
		Names: names, Kind: Other, Scope: Thread, Waits: Nobody, Result: PerThread,
		Memory: Memory{Reads: Outside, Writes: Outside, Keeps: true}, Params: Reference, Type: Arguments, Cost: Cost{NotMeasured, NotMeasured}, Forms: kept,
	}
}
