package diag

// baselineDocs are the codes of smux baseline: kernels compared with what was
// recorded of them.
var baselineDocs = []Doc{
	{
		Code: "baseline-occupancy", Title: "fewer warps run at once than recorded in the baseline",
		Help: "undo what takes more, or run \"smux baseline write\" if it is worth it",
		Text: `
A multiprocessor runs fewer warps of the kernel at once than when the baseline
was written: a thread block takes more of the resource that limits it, or blocks
have another size. The place is the line that did it: the declaration of the
shared array that grew, the changed line that keeps most values in registers, or
the launch.`,
		Example: `
__shared__ float tile[4096];   // it had 2048 elements when the baseline was written`,
		Fix: `__shared__ float tile[2048];`,
	},
	{
		Code: "baseline-registers", Title: "threads take more registers than recorded in the baseline",
		Help: "keep fewer values at once, or run \"smux baseline write\" if it is worth it",
		Text: `
The place is the line, of those that changed since the baseline was written,
that keeps the most values in registers by an estimate. The baseline has a short
hash of each of the kernel's lines, so that this needs no history. Registers of
an estimate are no compiler's: --threshold gives them some room.`,
		Example: `
float a = in[i], b = in[i + n], c = in[i + 2 * n];  // all are live until the last use`,
		Fix: `smux baseline check --threshold 10`,
	},
	{
		Code: "baseline-shared", Title: "thread blocks take more shared memory than recorded in the baseline",
		Help: "make the array smaller, or run \"smux baseline write\" if it is worth it",
		Text: `
The place is the declaration of the array that is new or grew most, or the
launch that asks for more dynamic shared memory. Where that leaves room for
fewer thread blocks, baseline-occupancy says so, too.`,
		Example: `
kernel<<<grid, 256, 2 * bytes>>>(in, out);   // it was bytes`,
		Fix: `kernel<<<grid, 256, bytes>>>(in, out);`,
	},
	{
		Code: "baseline-region", Title: "shared memory is in use for longer than recorded in the baseline",
		Help: "end the use of the array earlier, or run \"smux baseline write\" if it is worth it",
		Text: `
Shared memory limits how many thread blocks run, and the stretches of the kernel
in which a shared array holds values that are still needed are more, or a larger
part of its work by estimate, than when the baseline was written. Thread blocks
that are merged wait for each other there. Where shared memory does not limit,
nothing is said.`,
		Example: `
float first = tile[threadIdx.x];
long_computation(first);          // tile is needed again behind it
out[i] = tile[0] + first;`,
		Fix: `
float first = tile[threadIdx.x], zero = tile[0];
long_computation(first);`,
	},
	{
		Code: "baseline-source", Firm: true, Title: "registers of the baseline were counted by somebody else",
		Help: "give --resources as it was recorded, or run \"smux baseline write\" to record anew",
		Text: `
An estimate is not to be compared with what a compiler counts, nor what it
counts for one architecture with another. So neither registers nor occupancy are
compared, and the check does not pass. Where --resources does not say otherwise
the source that is recorded is taken; with nvcc, use one version of it.`,
		Example: `smux baseline check --resources nvcc    # and the baseline has estimates`,
		Fix:     `smux baseline check --resources estimate`,
	},
	{
		Code: "baseline-new", Title: "a kernel is not in the baseline, or has another name there",
		Help: "run \"smux baseline write\" to record it",
		Text: `
Nothing is known of how the kernel was, so nothing is compared. A kernel that
was renamed, or whose file was, is found again by its lines, and compared all
the same. This fails nothing.`,
		Example: `__global__ void added(float *out);`,
		Fix:     `smux baseline write`,
	},
	{
		Code: "baseline-gone", Firm: true, Title: "what the baseline has is not there any more",
		Help: "run \"smux baseline write\" to forget it",
		Text: `
No kernel is like the recorded one, or its thread blocks per multiprocessor
can't be computed any more: no launch in view says how large a block is. This
fails nothing.`,
		Example: `kernel<<<grid, computed_at_run_time>>>(in, out);`,
		Fix:     `smux baseline write`,
	},
	{
		Code: "baseline-better", Title: "a kernel takes less than recorded in the baseline",
		Help: "run \"smux baseline write\" to keep it so",
		Text: `
More warps run at once, or a thread block takes fewer registers or less shared
memory, and nothing got worse. Until the baseline is renewed it may get as bad
again unnoticed. This fails nothing.`,
		Example: `__shared__ float tile[1024];   // it had 2048 elements`,
		Fix:     `smux baseline write`,
	},
	{
		Code: "baseline-missing", Firm: true, Title: "there is no baseline to compare with",
		Help: "run \"smux baseline write\" and commit the file",
		Text: `
smux baseline check looks for .smux-baseline.json in the working directory and
in those above it, up to the root of the git repository; --file names another.`,
		Example: `smux baseline check --file build/baseline.json`,
		Fix:     `smux baseline write --gpu a100,t4`,
	},
	{
		Code: "baseline-file", Firm: true, Title: "a baseline can't be read",
		Help: "take it from git again, or delete it and run \"smux baseline write\"",
		Text: `
The file is not a baseline, is of a newer smux, or was merged by git without
success: its marks are still in it. Neither side of such a merge is right for
the merged source. So take either side, and write the baseline anew.`,
		Example: `
<<<<<<< ours
{"file": "fft.cu", "kernel": "fft",`,
		Fix: `git checkout --ours .smux-baseline.json && smux baseline write`,
	},
}
