package intrinsic

import "strings"

// Variable is a variable that every kernel has.
type Variable struct {
	Name   string
	Type   string
	Result Result
	// Merged is set if a merge gives it another meaning.
	Merged bool
}

// Variables are CUDA's built-in variables.
var Variables = []Variable{
	{"threadIdx", "uint3", PerThread, true},
	{"blockIdx", "uint3", PerBlock, true},
	{"blockDim", "dim3", PerGrid, true},
	{"gridDim", "dim3", PerGrid, true},
	{"warpSize", "int", PerGrid, false},
}

// Merged are the names that a merged block gives another meaning: built-in
// variables, and functions about all threads of the block.
var Merged = merged()

func merged() (out []string) {
	for _, v := range Variables {
		if v.Merged {
			out = append(out, v.Name)
		}
	}
	for _, family := range Table {
		for i := range family.Rows {
			if r := &family.Rows[i]; r.Scope == Block {
				out = append(out, r.Each()...)
			}
		}
	}
	return out
}

// VariableOf returns the built-in variable of a name, nil if there is none.
func VariableOf(name string) *Variable {
	for i := range Variables {
		if Variables[i].Name == name {
			return &Variables[i]
		}
	}
	return nil
}

// IsMergedVariable reports whether a name is that of a built-in variable that a merge gives another meaning.
func IsMergedVariable(name string) bool {
	v := VariableOf(name)
	return v != nil && v.Merged
}

// Member is the query that a member function of a cooperative group makes.
type Member struct {
	Names  string
	Result Result
	// Variable is the built-in variable that it is, for the thread block's group.
	Variable string
	// Method is the v-TB's member that answers for it, "" if none can.
	Method string
}

// BlockMembers are the members of the group of the whole thread block. Any other has no equivalent in a merged block.
var BlockMembers = []Member{
	{Names: "sync", Result: NoResult, Method: "sync()"},
	{Names: "thread_rank", Result: PerThread, Method: "thread_rank()"},
	{Names: "size num_threads", Result: PerGrid, Method: "size()"},
	{Names: "group_index", Result: PerBlock, Variable: "blockIdx", Method: "block"},
	{Names: "thread_index", Result: PerThread, Variable: "threadIdx", Method: "thread"},
	{Names: "group_dim dim_threads", Result: PerGrid, Variable: "blockDim", Method: "dim"},
}

// BlockMember returns the member of a name of the thread block's group, nil if there is none.
func BlockMember(name string) *Member {
	for i := range BlockMembers {
		for word := range strings.FieldsSeq(BlockMembers[i].Names) {
			if word == name {
				return &BlockMembers[i]
			}
		}
	}
	return nil
}

// constants are names that CUDA and C define as numbers.
var constants = words(`
	FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON INT_MAX INT_MIN UINT_MAX LONG_MAX LLONG_MAX ULLONG_MAX CHAR_BIT SHRT_MAX UCHAR_MAX
	M_PI M_PI_2 M_E M_SQRT2 CUDART_PI_F CUDART_INF_F CUDART_NAN_F CUDART_INF CUDART_NAN CUDART_PI CUDART_SQRT_2PI CUDART_MAX_NORMAL_F HUGE_VAL HUGE_VALF INFINITY NAN NULL true false this
	__ATOMIC_RELAXED __ATOMIC_CONSUME __ATOMIC_ACQUIRE __ATOMIC_RELEASE __ATOMIC_ACQ_REL __ATOMIC_SEQ_CST
	__NV_ATOMIC_RELAXED __NV_ATOMIC_CONSUME __NV_ATOMIC_ACQUIRE __NV_ATOMIC_RELEASE __NV_ATOMIC_ACQ_REL __NV_ATOMIC_SEQ_CST
	__NV_THREAD_SCOPE_THREAD __NV_THREAD_SCOPE_BLOCK __NV_THREAD_SCOPE_CLUSTER __NV_THREAD_SCOPE_DEVICE __NV_THREAD_SCOPE_SYSTEM
	mem_row_major mem_col_major CURAND_2POW32_INV __FILE__ __LINE__ __func__ __CUDA_ARCH__ cudaBoundaryModeTrap cudaBoundaryModeClamp cudaBoundaryModeZero
`)

// IsConstant reports whether a name that nothing in view declares is a number.
func IsConstant(name string) bool { return constants[name] }

func words(text string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}
