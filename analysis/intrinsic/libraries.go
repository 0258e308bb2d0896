package intrinsic

import (
	"slices"
	"strings"
)

// Library is a library of headers whose code need not be in view to know this of it: the classes of its
// namespaces are no arrays and no addresses, and their operators only compute. Functions, and members of the
// classes, that it lists run in the thread that calls them: they hold no barrier and exchange nothing with other
// threads, have no shared memory of their own and use no built-in variable of the launch. What they do to memory
// is not known, nor what becomes of addresses that they are given, unless the name is an intrinsic's.
type Library struct {
	Namespaces string // by which its names are qualified, as they are written
	// Headers are the beginnings of the paths by which its headers are included. Where a file
	// includes one, its names count without the namespace, too; "" for none that do.
	Headers   string
	Functions string // macros among them; a * stands for all but those of Except
	Classes   string // those of which objects are called, or members, or that are made
	Except    string // a * at the end of a name stands for all that begin so
	OwnNames  bool   // its functions are others than those of the Table that have their names
}

// Libraries are those that are known.
var Libraries = []Library{
	{
		Namespaces: "std cuda::std", Functions: "*", Except: "atomic* async function thread",
		Classes: `array pair tuple complex optional initializer_list reverse_iterator numeric_limits integral_constant bool_constant true_type false_type
			plus minus multiplies divides modulus negate equal_to not_equal_to greater less greater_equal less_equal logical_and logical_or logical_not
			bit_and bit_or bit_xor integer_sequence index_sequence make_index_sequence`,
	},
	{
		Namespaces: "glm", Headers: "glm/", Functions: "*", OwnNames: true,
		Classes: `vec vec1 vec2 vec3 vec4 fvec1 fvec2 fvec3 fvec4 dvec2 dvec3 dvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 bvec2 bvec3 bvec4
			mat mat2 mat3 mat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 fmat2 fmat3 fmat4 dmat2 dmat3 dmat4 qua quat fquat dquat`,
	},
	{
		Namespaces: "thrust",
		Functions: `conj arg polar proj norm abs exp log log10 pow sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
			min max swap get tie make_pair make_tuple raw_pointer_cast raw_reference_cast device_pointer_cast`,
		Classes: `complex pair tuple device_ptr plus minus multiplies divides modulus negate square maximum minimum identity project1st project2nd
			equal_to not_equal_to greater less greater_equal less_equal logical_and logical_or logical_not bit_and bit_or bit_xor numeric_limits`,
	},
	{Namespaces: "cuda", Functions: "aligned_size_t"},
	{Namespaces: "cub", Classes: "Sum Max Min Equality Inequality Difference Division ArgMax ArgMin"},
	{
		Namespaces: "at c10 torch", Headers: "ATen/ torch/ c10/", Functions: "CUDA_KERNEL_ASSERT TORCH_CHECK_INDEX",
		Classes: "Half BFloat16 PackedTensorAccessor PackedTensorAccessor32 PackedTensorAccessor64 TensorAccessor GenericPackedTensorAccessor",
	},
	{
		// PtrStepSz and its kin are a pointer that the host gives, with a pitch; masks are made of such,
		// and Brd… give the place that stands for one beyond an image's border.
		Namespaces: "cv cv::cuda cv::cuda::device cv::cudev", Headers: "opencv2/", Functions: "saturate_cast", OwnNames: true,
		Classes: `DevPtr PtrSz PtrStep PtrStepb PtrStepf PtrStepi PtrStepSz PtrStepSzb PtrStepSzf PtrStepSzi VecTraits TypeVec
			SingleMask SingleMaskChannels MaskCollection WithOutMask plus minus multiplies divides modulus negate minimum maximum
			equal_to not_equal_to greater less greater_equal less_equal logical_and logical_or logical_not bit_and bit_or bit_xor bit_not
			BrdRowConstant BrdColConstant BrdConstant BrdRowReplicate BrdColReplicate BrdReplicate BrdRowReflect101 BrdColReflect101 BrdReflect101
			BrdRowReflect BrdColReflect BrdReflect BrdRowWrap BrdColWrap BrdWrap`,
	},
	{Namespaces: "cooperative_groups cg nvcuda wmma"},
}

// LibraryOf returns the library that a qualified name is of by its namespace, nil for none.
func LibraryOf(qualifier string) *Library {
	if qualifier = strings.TrimPrefix(qualifier, "::"); qualifier == "" {
		return nil
	}
	var out *Library
	longest := 0
	for i := range Libraries {
		for n := range strings.FieldsSeq(Libraries[i].Namespaces) {
			if (qualifier == n || strings.HasPrefix(qualifier, n+"::")) && len(n) > longest {
				out, longest = &Libraries[i], len(n)
			}
		}
	}
	return out
}

// HasFunction reports whether a name is among the library's functions that run in the thread alone; l may be nil.
func (l *Library) HasFunction(name string) bool {
	return l != nil && lists(l.Functions, name) && !slices.ContainsFunc(strings.Fields(l.Except), func(e string) bool {
		start, all := strings.CutSuffix(e, "*")
		return name == start || all && strings.HasPrefix(name, start)
	})
}

// HasRows reports whether the Table's rows are those of the library's functions of these names, too; l may be nil.
func (l *Library) HasRows() bool { return l != nil && !l.OwnNames }

// HasClass reports whether a name is among the library's classes whose members run in the thread alone; l may be nil.
func (l *Library) HasClass(name string) bool { return l != nil && lists(l.Classes, name) }

// Lists reports whether a name is written among the library's functions and classes, so that it is one of them
// without its namespace, too.
func (l *Library) Lists(name string) bool {
	return l.HasClass(name) || l.Functions != "*" && l.HasFunction(name)
}

// IsHeader reports whether the path of an include is that of one of the library's headers.
func (l *Library) IsHeader(path string) bool {
	return slices.ContainsFunc(strings.Fields(l.Headers), func(start string) bool { return strings.HasPrefix(path, start) })
}

// lists reports whether a name is among those of a list, or all are.
func lists(list, name string) bool {
	return list == "*" || strings.Contains(list, name) && slices.Contains(strings.Fields(list), name)
}
