package diag

// demoteDocs are the codes of what brings registers down.
var demoteDocs = []Doc{
	{
		Code: "recipe", Title: "a recipe of the rewriter demote can't be followed",
		Help: "omit --recipe: smux then looks for one",
		Text: `
A recipe says what demote does to a kernel, as bounds=256,3 unroll=57:1 pin=i
demote=sum. It was written by hand and can't be read, asks for nothing, or names a
variable or a loop that the kernel does not have. Variables are named as they are
declared, with @ and the line where two have the same name; loops are named by the
line that they begin in.`,
		Example: `
__global__ void k(float *a) { a[threadIdx.x] *= 2; }
void run(float *a) { k<<<100, 64>>>(a); }
// smux rewrite --variant demote --recipe 'demote=sum'`,
		Fix: `// smux rewrite --variant demote --recipe 'bounds=64,8'`,
	},
}
