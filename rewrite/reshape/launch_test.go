package reshape

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite/runtime"
)

// What smux::reshape makes of launches has their threads, in blocks that a GPU takes, or is the launch itself.
func TestLaunchesKeepTheirThreads(t *testing.T) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("no C++ compiler on PATH: smux::reshape was not run")
	}
	dir := t.TempDir()
	text := `
#include <cstdio>
#include <cstdlib>
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
enum { cudaSuccess };
struct cudaFuncAttributes { int maxThreadsPerBlock; };
int most;
int cudaGetDevice(int *d) { return *d = 0; }
int cudaFuncGetAttributes(cudaFuncAttributes *a, const void *) { a->maxThreadsPerBlock = most; return cudaSuccess; }
void kernel(int, float *) {}
` + runtime.Text(false, map[runtime.Part]bool{runtime.Limit: true, runtime.Reshape: true}, nil) + `
typedef unsigned long long wide;
bool takes(dim3 g, dim3 b, size_t most) { // as CUDA's limits are
    return g.x >= 1 && g.x <= 8388607 && g.y >= 1 && g.y <= 65535 && g.z >= 1 && g.z <= 65535 && b.x >= 1 && b.x <= 1024 && b.y >= 1 && b.y <= 1024 &&
           b.z >= 1 && b.z <= 64 && (wide)b.x * b.y * b.z <= 1024 && (wide)b.x * b.y * b.z <= most;
}
bool alike(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
int changed, stayed;
void check(bool right, const char *what, dim3 g, dim3 b) {
    if (right) return;
    printf("%s: <<<%ux%ux%u, %ux%ux%u>>>\n", what, g.x, g.y, g.z, b.x, b.y, b.z);
    exit(1);
}
template <unsigned X, unsigned Y, unsigned Z> void one(size_t limit, dim3 g, dim3 b) {
    const smux::shaped s = smux::reshape<X, Y, Z>(limit, g, b);
    const dim3 to(X ? X : b.x, Y ? Y : b.y, Z ? Z : b.z);
    wide was[] = {(wide)g.x * b.x, (wide)g.y * b.y, (wide)g.z * b.z}, is[] = {(wide)s.grid.x * s.block.x, (wide)s.grid.y * s.block.y, (wide)s.grid.z * s.block.z};
    unsigned parts[] = {to.x, to.y, to.z};
    bool fits = takes(g, b, limit), divides = fits;
    for (int i = 0; i < 3; ++i) {
        check(was[i] == is[i], "other threads", g, b);
        divides = divides && was[i] % parts[i] == 0 && was[i] < (1ull << 31);
    }
    const bool should = divides && takes(dim3(was[0] / parts[0], was[1] / parts[1], was[2] / parts[2]), to, limit);
    check(should || alike(s.grid, g) && alike(s.block, b), "no launch that a GPU takes alike", g, b);
    check(!should || alike(s.block, to), "a shape that was not taken", g, b);
    ++(should ? changed : stayed);
}
int main() {
    const unsigned grids[] = {0, 1, 2, 3, 6, 64, 255, 4096, 65535, 65536, 2097152, 8388607, 8388608, 67108864, 0x7fffffff, 0xffffffff};
    const unsigned blocks[] = {0, 1, 2, 3, 4, 8, 16, 32, 48, 64, 96, 128, 256, 1024, 1025, 65536, 0x40000000, 0x80000000};
    const size_t limits[] = {0, 64, 256, 768, 1024, 4096};
    for (size_t limit : limits) for (unsigned gx : grids) for (unsigned bx : blocks) {
        for (unsigned gy : grids) for (unsigned by : blocks) {
            one<128, 0, 0>(limit, dim3(gx, gy), dim3(bx, by));
            one<32, 8, 0>(limit, dim3(gx, gy), dim3(bx, by));
            one<256, 4, 0>(limit, dim3(gx, gy), dim3(bx, by));
            one<16, 4, 2>(limit, dim3(gx, gy, 4), dim3(bx, by, 2));
        }
        one<512, 0, 0>(limit, dim3(gx), dim3(bx));
        one<8, 1, 96>(limit, dim3(gx, 3, 3), dim3(bx, 1, 64));
        one<64, 0, 0>(limit, dim3(gx, 3, 65536), dim3(bx, 1, 1));
    }
    most = 256;
    check(smux::reshape<256>(kernel, 4, 128).block.x == 256, "the kernel's own limit", 4, 128);
    check(smux::reshape<512>(kernel, 4, 128).block.x == 128, "the kernel's own limit", 4, 128);
    printf("%d %d\n", changed, stayed);
    return changed < 1000 || stayed < 1000;
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.cc"), []byte(text), 0o666))
	out, err := exec.Command(compiler, "-std=c++11", "-O1", "-Wall", "-Wextra", "-Wno-parentheses", "-Werror", "-o", filepath.Join(dir, "run"), filepath.Join(dir, "run.cc")).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command(filepath.Join(dir, "run")).CombinedOutput()
	require.NoError(t, err, string(out))
}
