package build

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// cuFiles are originals whose positions are those that the compiler names.
type cuFiles struct{}

func (cuFiles) position(p place) (diag.Position, bool) {
	return diag.Position{File: p.file, Line: p.line, Column: p.column}, strings.HasSuffix(p.file, ".cu")
}

func TestErrorsAreToldApart(t *testing.T) {
	for _, tc := range []struct{ name, output, want string }{
		{"runtime function", "a.cu:6:3: error: 'cudaFoo' was not declared in this scope; did you mean 'x'?", "a.cu:6:3: not-supported: not supported: cudaFoo"},
		{"the same by clang++", "a.cu:6:3: error: use of undeclared identifier 'cudaFoo'", "a.cu:6:3: not-supported: not supported: cudaFoo"},
		{"driver function", "a.cu:6:3: error: 'cuLinkCreate' was not declared in this scope", "a.cu:6:3: not-supported: not supported: cuLinkCreate"},
		{"intrinsic", "a.cu:6:3: error: '__vfoo4' was not declared in this scope", "a.cu:6:3: not-supported: not supported: __vfoo4"},
		{"type", "a.cu:6:3: error: unknown type name 'cudaGraph_t'", "a.cu:6:3: not-supported: not supported: cudaGraph_t"},
		{"texture", "a.cu:6:3: error: 'texCubemapLayered' was not declared in this scope", "a.cu:6:3: not-supported: not supported: texCubemapLayered"},
		{"member of a namespace", "a.cu:6:3: error: 'labeled_partition' is not a member of 'cooperative_groups'", "a.cu:6:3: not-supported: not supported: cooperative_groups::labeled_partition"},
		{"the same by clang++", "a.cu:6:3: error: no member named 'labeled_partition' in namespace 'cooperative_groups'", "a.cu:6:3: not-supported: not supported: cooperative_groups::labeled_partition"},
		{"member of a type", "a.cu:6:3: error: 'struct cudaDeviceProp' has no member named 'foo'", "a.cu:6:3: not-supported: not supported: cudaDeviceProp::foo"},
		{"overload", "a.cu:6:3: error: no matching function for call to '__ldg(S*)'", "a.cu:6:3: not-supported: not supported: __ldg with these arguments"},
		{"dependent call", "a.cu:6:3: error: there are no arguments to '__vfoo' that depend on a template parameter, so a declaration must be available", "a.cu:6:3: not-supported: not supported: __vfoo"},
		{"missing header of CUDA", "a.cu:1:9: fatal error: cuda_gl_interop.h: No such file or directory", "a.cu:1:9: not-supported: not supported: cuda_gl_interop.h"},
		{"missing header of a library", "a.cu:1:9: fatal error: cublas_v2.h: No such file or directory", "a.cu:1:9: needs-library: cublas_v2.h is of cuBLAS, which runs on a GPU only"},
		{"the same by clang++", "a.cu:1:9: fatal error: 'mpi.h' file not found", "a.cu:1:9: needs-library: mpi.h is of MPI, which is not there"},
		{"missing header", "a.cu:1:9: fatal error: mine.h: No such file or directory", "a.cu:1:9: needs-library: there is no header mine.h"},
		{"within a library", "In file included from /usr/include/cublas_v2.h:65,\n                 from a.cu:3:\n/usr/include/cublas_api.h:9:1: error: bad", "a.cu:3:0: needs-library: cublas_v2.h is of cuBLAS, which runs on a GPU only"},
		{"within CUDA's own header", "In file included from /usr/include/mma.h:65,\n                 from a.cu:3:\n/usr/include/crt/mma.h:9:1: error: bad", "a.cu:3:0: not-supported: not supported: mma.h"},
		{"within a library that has no part for the CPU", "In file included from /usr/include/cub/block/x.cuh:65,\n                 from /usr/include/cub/cub.cuh:4,\n                 from a.cu:3:\n/usr/include/cub/y.cuh:9:1: error: bad", "a.cu:3:0: not-supported: not supported: cub/cub.cuh"},
		{"the address sanitizer of clang++", "/usr/bin/ld: cannot find /usr/lib/clang/14/lib/linux/libclang_rt.asan-x86_64.a: No such file or directory", "needs-library: there is no library asan"},
		{"PTX in a header", "/usr/include/x/y.h: Assembler messages:\n/usr/include/x/y.h:9: Error: no such instruction: `fence.sc.gpu'", "not-supported: not supported: asm: fence.sc.gpu in x/y.h"},
		{"PTX in a macro", "a.cu:6: Error: no such instruction: `bfi.b32 %eax,4'", "a.cu:6:0: not-supported: not supported: asm: bfi.b32"},
		{"the same by clang++", "a.cu:6:3: error: invalid instruction mnemonic 'bfi.b32'", "a.cu:6:3: not-supported: not supported: asm: bfi.b32"},
		{"name of a library", "a.cu:6:3: error: 'cublasHandle_t' was not declared in this scope", "a.cu:6:3: needs-library: cublasHandle_t is of cuBLAS, which runs on a GPU only"},
		{"undefined function of a library", "b.o: in function `main':\na.cu:8: undefined reference to `cublasCreate_v2'", "a.cu:8:0: needs-library: cublasCreate_v2 is of cuBLAS, which runs on a GPU only"},
		{"undefined function", "a.cu:8: undefined reference to `foo(int)'", "a.cu:8:0: needs-library: foo is declared and defined in no file of the program"},
		{"undefined function of the program's, which is none of CUDA's by its types", "a.cu:8: undefined reference to `cudaFoo(int)'", "a.cu:8:0: needs-library: cudaFoo is declared and defined in no file of the program"},
		{"undefined function of the shim", "a.cu:8: undefined reference to `cudaFoo'", "a.cu:8:0: not-supported: not supported: cudaFoo"},
		{"missing library", "/usr/bin/ld: cannot find -lfoo: No such file or directory", "needs-library: there is no library foo"},
		{"no main", "(.text+0x17): undefined reference to `main'", "no-main: no file of the program defines main"},
		{"name of torch", "a.cu:6:3: error: 'roll' is not a member of 'at'; did you mean 'all'?", "a.cu:6:3: not-supported: smux's stand-in for torch has no at::roll"},
		{"member of a tensor", "a.cu:6:3: error: 'class at::Tensor' has no member named 'roll'", "a.cu:6:3: not-supported: smux's stand-in for torch has no at::Tensor::roll"},
		{"dispatch of torch", "a.cu:6:3: error: 'AT_DISPATCH_COMPLEX_TYPES' was not declared in this scope", "a.cu:6:3: not-supported: smux's stand-in for torch has no AT_DISPATCH_COMPLEX_TYPES"},
		{"header of torch", "a.cu:1:9: fatal error: ATen/cudnn/Handle.h: No such file or directory", "a.cu:1:9: not-supported: smux's stand-in for torch has no ATen/cudnn/Handle.h"},
		{"syntax", "a.cu:13:1: error: expected ';' before '}' token", "a.cu:13:1: does-not-compile: expected ';' before '}' token"},
		{"own name", "a.cu:13:1: error: 'total' was not declared in this scope", "a.cu:13:1: does-not-compile: 'total' was not declared in this scope"},
		{"template of the shim", "s.h: In instantiation of 'void f(T) [with T = int]':\na.cu:10:4:   required from here\ns.h:4:35: error: invalid operands", "a.cu:10:4: does-not-compile: invalid operands"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			messages := classify(parseDiagnostics(tc.output), cuFiles{})
			require.Len(t, messages, 1)
			assert.Equal(t, tc.want, messages[0].String())
		})
	}
}

func TestConsequencesOfWhatIsMissingAreLeftOut(t *testing.T) {
	messages := classify(parseDiagnostics(`a.cu:1:1: error: expected ';' before 'x'
a.cu:2:1: error: 'cudaFoo' was not declared in this scope
a.cu:3:1: error: 'cudaFoo' was not declared in this scope
a.cu:4:1: error: 'cudaBar' was not declared in this scope`), cuFiles{})
	require.Len(t, messages, 2)
	assert.Equal(t, "not supported: cudaFoo", messages[0].Text)
	assert.Equal(t, "not supported: cudaBar", messages[1].Text)
}

func TestNamesOfAMissingHeaderAreLeftOut(t *testing.T) {
	messages := classify(parseDiagnostics(`In file included from a.cu:1:
/usr/include/mma.h:5:1: error: bad
/usr/include/mma.h:6:1: error: worse
a.cu:2:17: error: 'nvcuda' is not a namespace-name
a.cu:3:23: error: 'wmma' has not been declared`), cuFiles{})
	require.Len(t, messages, 1)
	assert.Equal(t, "not supported: mma.h", messages[0].Text)
	assert.NotEmpty(t, messages[0].Help)
}

func TestMessagesAreFew(t *testing.T) {
	messages := classify(parseDiagnostics(strings.Repeat("a.cu:1:1: error: bad\n", 3)+"a.cu:2:1: error: bad\na.cu:3:1: error: bad\na.cu:4:1: error: bad\na.cu:5:1: error: bad\na.cu:6:1: error: bad\n"), cuFiles{})
	assert.Len(t, messages, mostMessages)
}
