package diag

// pipeDocs are the codes of package rewrite about vtb-pipe.
var pipeDocs = []Doc{
	{
		Code: "pipe-form", Title: "vtb-pipe is for two thread blocks in block mode",
		Help: "omit --sync and --factor, or use --variant vtb",
		Text: `
vtb-pipe merges two thread blocks. One has its turn in a region while the other
does the work that comes next outside, and then they change places; a third
would have nothing to do meanwhile. The steps are separated by __syncthreads.

In named and lock mode every virtual thread block has a barrier of its own and
waits for nobody outside of regions: there vtb overlaps by itself.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `smux rewrite --variant vtb --sync named kernel.cu`,
	},
	{
		Code: "no-overlap", Title: "no work outside of the regions that could be done during the other's turn (vtb-pipe)",
		Help: "use --variant vtb, or move work out of the regions",
		Text: `
vtb-pipe gains by the work that stands between regions: one virtual thread block
does it while the other is in a region. Here the regions hold everything but
computations in registers, which are too short to count, or what stands in front
of them holds a barrier or a jump. The rewrite would be that of vtb.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
float v = a[threadIdx.x];             // work in front of the first access
s[threadIdx.x] = f(v);`,
	},
	{
		Code: "overlap-mark", Title: "a mark for vtb-pipe that can't be obeyed",
		Help: "move the comment between two regions, in front of work that holds no barrier, or remove it",
		Text: `
A line "// smux:overlap" says where the work begins that one virtual thread block
does while the other has its turn; what stands between a region and the mark
stays in the region's turn. So it must stand on a line of its own, among the same
statements as a region and in none, once between two regions. What stands between
the mark and the next region must hold no barrier and no jump, and no declaration
used behind it that can't be taken before it. Other rewrites ignore the mark.`,
		Example: `
__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    // smux:overlap
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}`,
		Fix: `
float v = s[63 - threadIdx.x];
// smux:overlap
a[threadIdx.x] = f(v);`,
	},
}
