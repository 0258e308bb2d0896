package kernelgen

import (
	"fmt"
	"strings"
)

// Source returns a file with kernels and their launches, without a main. It asks for
// code that is compiled fast, since each kernel runs for a moment alone.
func Source(kernels []Kernel) []byte {
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#include <cstdlib>\n#pragma GCC optimize(\"O0\")\n\n")
	for _, k := range kernels {
		b.WriteString(k.Text)
	}
	return []byte(b.String())
}

// Run is one launch of a main: of a kernel, by the host function of a scope such
// as "w0_::".
type Run struct{ Kernel, Scope string }

// Main returns a main that makes launches one after the other, each for two sizes of
// the work, and copies back what each wrote. With plain set the scopes are
// omitted: both mains print the same where both kernels do. Kernels without launch
// bounds have that many registers, 0 for few: with many, merged blocks may not fit.
func Main(runs []Run, plain bool, registers int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `
int main()
{
    if (%[2]d > 0) setenv("SMUX_REGISTERS", "%[2]d", 1);
    int host[%[1]d], *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    for (int i = 0; i < %[1]d; i++) host[i] = i * 37 %% 101;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int m = 2; m < 4; m++) {
        const int n = m == 2 ? 75 : 1000;
`, Elements, registers)
	for _, r := range runs {
		scope := r.Scope
		if plain {
			scope = ""
		}
		fmt.Fprintf(&b, `        cudaMemset(out, 0, sizeof host);
        %[1]srun_%[2]s(in, out, n, m);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
`, scope, r.Kernel)
	}
	b.WriteString("    }\n    return cudaDeviceSynchronize() != cudaSuccess;\n}\n")
	return []byte(b.String())
}
