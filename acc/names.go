package acc

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// nvcc includes CUDA's headers before anything else, and these what g++ has beyond C: a program
// can't give a name of theirs another meaning outside of functions. Those of the variables of a
// thread, and of the type of a launch's grid, are not even free in functions, as kernels and
// launches are written with them.

// everywhere are names that the emitted text has in functions, too.
var everywhere = strings.Fields("threadIdx blockIdx blockDim gridDim warpSize dim3")

// namesOfCUDA are functions and types that nvcc knows without an include, and C does not: those
// of CUDA 11.8 and of the headers of glibc 2.39 that it includes.
var namesOfCUDA = strings.Fields(`all any ballot clock64 double2int double2ll double2uint double2ull fdivide fdividef
	float2double float2int float2uint float_as_int float_as_uint int2double int2float int_as_float ll2double llmax llmin max min
	mul24 mul64hi mulhi norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf cospi cospif
	cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erfcinv erfcinvf erfcx erfcxf erfinv erfinvf rcbrt rcbrtf rhypot rhypotf
	rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf rsqrt rsqrtf saturate sincospi sincospif sinpi sinpif surface surfaceReference
	syncthreads_and syncthreads_count syncthreads_or texture textureReference uint2double uint2float uint_as_float ull2double
	ullmax ullmin umax umin umul24
	asprintf basename canonicalize canonicalizef dadd daddl ddivl dfmal dmul dmull dsqrtl dsub dsubl exp10 exp10f exp10l fadd faddl
	fdiv fdivl ffma ffmal fmul fmull fsqrt fsqrtl fsub fsubl fmaximum fmaximumf fmaxmag fmaxmagf fminimum fminimumf fminmag fminmagf
	fromfp fromfpf getdate getpt grantpt llogb llogbf memfrob memmem mempcpy memrchr nextdown nextdownf nextup nextupf
	qsort_r rawmemchr roundeven roundevenf secure_getenv setpayload setpayloadf sincos sincosf sincosl strcasestr strchrnul strfry
	strptime strverscmp timex totalorder totalorderf ufromfp ufromfpf vasprintf`)

// vectorTypes are CUDA's, with the functions that make them: float4, make_int2.
var vectorTypes = regexp.MustCompile(`^(?:make_)?(?:(?:u?(?:char|short|int|long|longlong))|float|double)[1-4]$`)

// isOfCUDA reports whether nvcc has another meaning for a name outside of functions.
func isOfCUDA(name string) bool {
	return slices.Contains(namesOfCUDA, name) || slices.Contains(everywhere, name) || vectorTypes.MatchString(name)
}

// clashing are the names that a file declares outside of functions and that nvcc has for something
// else.
func clashing(f *parser.File) map[string]bool {
	out := map[string]bool{}
	f.Root.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindCompoundStatement, parser.KindParameterList, parser.KindInitializerList:
			return false
		case parser.KindIdentifier, parser.KindTypeIdentifier:
			declared := n.Field == parser.FieldDeclarator || n.Field == parser.FieldName
			if name := f.Text(n); declared && isOfCUDA(name) {
				out[name] = true
			}
		}
		return true
	})
	return out
}

// membersOf finds where a file names members of structures that it declares: they are in nobody's
// way.
func membersOf(f *parser.File) map[int]bool {
	out := map[int]bool{}
	for n := range f.Root.All() {
		if n.Kind == parser.KindFieldIdentifier {
			out[int(n.Start)] = true
		}
	}
	return out
}

var (
	ofStructure = regexp.MustCompile(`(?:->|(?:^|[^.])\.)\s*$`) // what stands before a member
	ofReduction = regexp.MustCompile(`^\w+\s*:`)                // an operator and its colon
)
