package diag

// directiveDocs are the codes of what is wrong with a directive in the source.
var directiveDocs = []Doc{
	{
		Code: "unknown-directive", Title: "a comment begins with smux: and names no directive",
		Help: "write ignore, ignore-file, pin, overlap or bench behind smux:",
		Text: `
A comment that begins with "smux:" asks smux for something. Its name is none
that smux knows, most likely by a slip, and what was meant would be lost. The
kernel that the comment may be about is left alone. A sentence about smux may
begin with "smux" and a blank, or have a blank behind the colon.`,
		Example: `
__global__ void k(float *a) {
    a[threadIdx.x] = 0;
    // smux:ovrlap
    a[threadIdx.x] += 1;
}`,
		Fix: `// smux:overlap`,
	},
	{
		Code: "ignore-code", Title: "an ignore names no code, or one that can't be ignored",
		Help: "copy the code from the message that is not to be shown",
		Text: `
"smux:ignore CODE[,CODE] reason" stops messages of these codes. The code must be
one that smux uses for what it says of kernels: "smux explain" lists them.
Messages about files that can't be read, about directives, and what smux verify
finds are always shown: no comment makes them untrue.`,
		Example: `
// smux:ignore hoits the loop is short
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `// smux:ignore hoist the loop is short`,
	},
	{
		Code: "ignore-reason", Title: "an ignore gives no reason",
		Help: "write behind the code why the message is not to be shown",
		Text: `
Who reads the kernel next must be able to tell whether the reason still holds.
So "smux:ignore" wants words behind the code, and stops nothing without.`,
		Example: `
// smux:ignore no-shared
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `// smux:ignore no-shared only copies, nothing to share`,
	},
	{
		Code: "pin-unknown", Title: "a pin names no rewrite",
		Help: "copy the rewrite from a message or from smux analyze, such as vtb named N=2",
		Text: `
"smux:pin" takes a rewrite as smux analyze and the messages write it: a
rewriter, how the merged blocks take turns, and knobs, as in "vtb named N=2" or
"dyn-lock N=4 M=2". What stands there is none, or has a knob that the rewriter
does not have. The kernel is left alone. "demote" must say its recipe.`,
		Example: `
// smux:pin vtb-nmaed N=2
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `// smux:pin vtb-named N=2`,
	},
	{
		Code: "directive-place", Title: "a directive stands where it means nothing",
		Help: "put it directly above the kernel, with no blank line between",
		Text: `
A pin belongs to a kernel: it stands directly above the kernel's definition, on
the lines of its head, or in its body. An ignore of what is said of a whole
kernel (chosen, no-gain) stands above it or on its head. "smux:ignore-file"
stands above the first function of the file. "smux:overlap" is a // comment of
its own between two statements of a kernel.`,
		Example: `
// smux:pin vtb-named N=2

__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `
// smux:pin vtb-named N=2
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
	},
	{
		Code: "two-wishes", Title: "the directives of a kernel contradict each other",
		Help: "keep one of them",
		Text: `
A kernel has two pins, or a pin and an ignore of "chosen", which asks to leave
it alone; or kernels of one name, which can only be rewritten together, have
different pins. They are left alone.`,
		Example: `
// smux:pin vtb-named N=2
// smux:pin vtb-named N=4
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `// smux:pin vtb-named N=4`,
	},
	{
		Code: "unused-ignore", Title: "an ignore stops no message",
		Help: "delete it",
		Text: `
No rewrite of the kernel is refused for this code any more, so the comment only
misleads. It is a remark: the exit status is the same. Codes that depend on the
GPUs, on the compiler or on flags (chosen, no-gain, registers) are never
reported, nor are those of kernels that are rewritten already.`,
		Example: `
// smux:ignore goto it is a state machine
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
	},
}

// requestDocs are the codes of what comes of a request, in a directive or a configuration.
var requestDocs = []Doc{
	{
		Code: "pinned", Title: "the rewrite that a person has pinned was applied",
		Help: "take the pin away to have smux choose",
		Text: `
A remark, not a refusal. A directive or .smux.yaml names the rewrite of this
kernel; it was proved right and applied, whether the model expects it to gain or
not.`,
		Example: `
// smux:pin vtb-named N=2
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<100, 64>>>(a); }`,
		Fix: `// smux:ignore pinned tuned by hand`,
	},
	{
		Code: "pin-refused", Title: "the rewrite that a person has pinned can't be proved right",
		Help: "change what the reasons name, or the pin",
		Text: `
A directive or .smux.yaml names the rewrite of this kernel, and something is
against it: the messages behind this one say what. The kernel is left alone,
since another rewrite is not what was asked for. smux rewrite ends with status
1.`,
		Example: `
// smux:pin vtb-named N=2
__global__ void k(float *a) { a[threadIdx.x] = 0; } // no shared memory, no launch`,
		Fix: `__global__ void k(float *a) { a[threadIdx.x] = 0; } // and no pin`,
	},
	{
		Code: "not-allowed", Title: "all rewrites that can be proved are ruled out by .smux.yaml",
		Help: "allow one in .smux.yaml, or pin it",
		Text: `
"rewrites" in .smux.yaml lists the rewriters that may be chosen. Others can be
proved for this kernel, but none of these, so it is left alone.`,
		Example: `
rewrites: [dyn]`,
		Fix: `
rewrites: [dyn, vtb]`,
	},
	{
		Code: "left-as-asked", Title: "the kernel is left alone because a person asks for it",
		Help: "take the directive, or the entry in .smux.yaml, away to have smux choose",
		Text: `
"smux:ignore chosen" above the kernel or "leave" in .smux.yaml asks to leave it
as it is, with the reason that the message repeats. smux rewrite says so with -v
alone.`,
		Example: `
// smux:ignore chosen the next release replaces it
__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
		Fix: `__global__ void k(float *a) { a[threadIdx.x] = 0; }`,
	},
}
