package diag

// validateDocs are the codes of smux validate.
var validateDocs = []Doc{
	{
		Code: "unproved", Title: "it is not proved that the new program does what the old one does",
		Help: "look at the line: it differs in what is not a known move, or breaks the condition that is named",
		Text: `
smux validate lays two programs side by side and asks whether the second is the
first with thread blocks merged. It names the condition that it can't prove, and
the line of the new program: what differs (erasure), what moved past something
(moves), shared memory that is used outside of a turn (turns) or read from an
earlier turn (content), barriers that some threads don't come by (uniform),
copies of arrays (copies), built-in variables, launches, counts of barriers and
threads (barrier-number), waiting for other blocks (progress), or functions of
smux that are not as smux writes them (runtime). That it can't be proved does not
mean that it is wrong: smux verify runs both and compares what they do.`,
		Example: `
// a.cu
__global__ void k(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
// b.cu
__global__ void k(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}`,
		Fix: `Put the barrier back.`,
	},
	{
		Code: "stale-certificate", Title: "the certificate is about other texts",
		Help: "have it made anew: smux rewrite --certificate, or smux validate --new-certificate",
		Text: `
A certificate holds hashes of the old and the new text of each file. One of these
programs has changed since, or it is not the one that the certificate is about.`,
		Example: `smux validate --certificate old.json kernel.cu merged.cu`,
		Fix:     `Make a new certificate.`,
	},
	{
		Code: "edited-certificate", Title: "the certificate says something else than can be proved",
		Help: "don't trust it; have it made anew",
		Text: `
smux validate proves again what a certificate says. Here that is not what it says:
it was edited, or another version of smux made it, which could prove more or less.`,
		Example: `smux validate --certificate edited.json kernel.cu merged.cu`,
		Fix:     `Make a new certificate.`,
	},
}
