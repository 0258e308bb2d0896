package diag

// benchDocs document what can be wrong with the specification of how to run a
// kernel that has no program.
var benchDocs = []Doc{
	{
		Code: "bench-syntax", Title: "a specification of how to run a kernel can't be read",
		Help: "write NAME=VALUE items, such as grid=64 block=256 n=4096 in=float[n]:random",
		Text: `
A specification, from flags or from a smux:bench comment, is a list of NAME=VALUE
items without blanks around the equals sign. grid and block are extents such as
8x4x1; a pointer gets TYPE[ELEMENTS]:FILL, everything else a value. The place is
where reading stopped.`,
		Example: `
// smux:bench grid = 64 block=256 in=float[n
__global__ void scale(float *in, int n);`,
		Fix: `// smux:bench grid=64 block=256 n=16384 in=float[n]:random`,
	},
	{
		Code: "bench-kernel", Title: "the kernel that a specification names can't be run alone",
		Help: "name a kernel of these files, with its template arguments if it has any",
		Text: `
The name is no kernel's, or several kernels', or a template's whose arguments
nothing tells. A comment without a name belongs to the kernel right below it.`,
		Example: `
// smux:bench grid=64 block=128
template <int BLOCK> __global__ void reduce();`,
		Fix: `// smux:bench reduce<128> grid=64 block=128`,
	},
	{
		Code: "bench-parameter", Title: "a specification does not fit the kernel's parameters",
		Help: "give every parameter of the kernel a value, each pointer an array",
		Text: `
A parameter gets nothing, or gets it twice; a name is no parameter's and stands in
no expression; a pointer gets a number, or an array of another type; a number gets
an array.`,
		Example: `
// smux:bench grid=64 block=256 n=16384 in=double[n]
__global__ void scale(float *in, int n, float alpha);`,
		Fix: `// smux:bench grid=64 block=256 n=16384 alpha=1.5f in=float[n]`,
	},
	{
		Code: "bench-launch", Title: "a specification asks for a launch that no GPU can make",
		Help: "give grid and block extents within CUDA's limits",
		Text: `
The grid or the block is missing, empty or too large: a block holds at most 1024
threads (64 along z), a grid 2147483647 x 65535 x 65535 blocks.`,
		Example: `
// smux:bench grid=64 block=64x32 in=float[2048]
__global__ void scale(float *in);`,
		Fix: `// smux:bench grid=128 block=32x32 in=float[2048]`,
	},
	{
		Code: "bench-value", Title: "a value in a specification can't be computed, or makes no sense",
		Help: "use integers that the specification or a macro of the file defines",
		Text: `
An expression names something without a value, divides by zero, overflows, or
depends on itself; a value can't be held by its parameter; an array has no
element; a random range is empty.`,
		Example: `
// smux:bench grid=m/256 block=256 n=4096 in=float[n]:random(1,1)
__global__ void scale(float *in, int n);`,
		Fix: `// smux:bench grid=n/256 block=256 n=4096 in=float[n]:random(0,1)`,
	},
}
