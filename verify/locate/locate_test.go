package locate_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/locate"
)

// The program prints where each of its probes was called from. The lines that
// the test expects are marked in the text itself.
const probes = `
#include <cstdio>
#include <cstdint>
#include <link.h>
extern "C" char __executable_start;
int counter;
namespace outer { int data[100]; static int hidden[7]; }
__attribute__((noinline)) void probe(const char *name) {
    uintptr_t pc = (uintptr_t)__builtin_return_address(0) - 1;
    dl_iterate_phdr([](dl_phdr_info *info, size_t, void *p) { *(uintptr_t *)p -= info->dlpi_addr; return 1; }, &pc);
    printf("%s %lx\n", name, (unsigned long)pc);
    asm volatile("" ::: "memory");
}
static inline __attribute__((always_inline)) void inner(int x) {
    counter += x;
    probe("inlined");                       // at: inlined 0
    asm volatile("" ::: "memory");
}
template <class T> static inline __attribute__((always_inline)) void middle(T x) {
    { int y = x + 1; inner(y); }            // at: inlined 1
    counter += x;
}
__attribute__((noinline)) void outermost() {
    middle<int>(3);                         // at: inlined 2
    probe("plain");                         // at: plain 0
    counter++;
}
template <class F> __attribute__((noinline)) void apply(F &&f) { f(4); counter++; }
#line 100 "renamed.cu"
void in_renamed() { probe("renamed"); counter++; }
int main() {
    outermost();
    in_renamed();
    apply([&](int x) { counter += x;
        probe("lambda"); counter++; });
    outer::data[3] = outer::hidden[1] = counter;
    printf("data %lx\n", (unsigned long)((char *)&outer::data[3] - &__executable_start));
    printf("hidden %lx\n", (unsigned long)((char *)&outer::hidden[1] - &__executable_start));
    return 0;
}
`

// run compiles the program and returns the numbers it prints.
func run(t *testing.T, source string, flags ...string) (program string, printed map[string]uint64) {
	t.Helper()
	compiler := ""
	for _, name := range []string{os.Getenv("CXX"), "g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil {
			compiler = path
			break
		}
	}
	if compiler == "" {
		t.Skip("no C++ compiler is installed: g++ or clang++ is needed")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "probes.cc"), []byte(source), 0o666))
	program = filepath.Join(dir, "program")
	c := exec.Command(compiler, append(flags, "-g", "-std=gnu++17", "probes.cc", "-o", program)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	if f, err := elf.Open(program); err != nil {
		t.Skip("the compiler does not make ELF executables")
	} else {
		f.Close()
	}
	out, err = exec.Command(program).Output()
	require.NoError(t, err)
	printed = map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		n, err := strconv.ParseUint(f[1], 16, 64)
		require.NoError(t, err)
		printed[f[0]] = n
	}
	return program, printed
}

// lineOf finds a mark in the program's text.
func lineOf(t *testing.T, mark string) int {
	before, _, ok := strings.Cut(probes, "// at: "+mark)
	require.True(t, ok, mark)
	return strings.Count(before, "\n") + 1
}

func TestFramesHaveLinesAndInlinedCalls(t *testing.T) {
	for _, flags := range []string{"-O0", "-O1", "-O2", "-O1 -gdwarf-4"} {
		t.Run(flags, func(t *testing.T) {
			program, pcs := run(t, probes, strings.Fields(flags)...)
			table, err := locate.Open(program)
			require.NoError(t, err)

			frames := table.Frames(pcs["inlined"])
			require.Len(t, frames, 3)
			for i, function := range []string{"inner", "middle<int>", "outermost"} {
				assert.Equal(t, function, frames[i].Function)
				assert.Equal(t, "probes.cc", filepath.Base(frames[i].File))
				assert.Equal(t, lineOf(t, "inlined "+strconv.Itoa(i)), frames[i].Line)
				assert.Positive(t, frames[i].Column)
			}

			frames = table.Frames(pcs["plain"])
			require.Len(t, frames, 1)
			assert.Equal(t, "outermost", frames[0].Function)
			assert.Equal(t, lineOf(t, "plain 0"), frames[0].Line)

			frames = table.Frames(pcs["renamed"])
			require.NotEmpty(t, frames)
			assert.Equal(t, "in_renamed", frames[0].Function)
			assert.Equal(t, "renamed.cu", filepath.Base(frames[0].File))
			assert.Equal(t, 100, frames[0].Line)

			frames = table.Frames(pcs["lambda"])
			require.NotEmpty(t, frames)
			assert.Equal(t, 105, frames[0].Line)
			assert.Contains(t, frames[0].Function, "operator()")
		})
	}
}

func TestSymbolsAreNamedWithOffsets(t *testing.T) {
	program, addresses := run(t, probes, "-O1")
	table, err := locate.Open(program)
	require.NoError(t, err)

	name, offset, ok := table.Symbol(addresses["data"])
	require.True(t, ok)
	assert.Equal(t, "outer::data", name)
	assert.Equal(t, uint64(12), offset)

	name, offset, ok = table.Symbol(addresses["hidden"])
	require.True(t, ok)
	assert.Equal(t, "outer::hidden", name)
	assert.Equal(t, uint64(4), offset)

	_, _, ok = table.Symbol(1 << 60)
	assert.False(t, ok)
}

func TestUnknownProgramCountersHaveNoFrames(t *testing.T) {
	program, _ := run(t, probes, "-O1")
	table, err := locate.Open(program)
	require.NoError(t, err)
	assert.Empty(t, table.Frames(0))
	assert.Empty(t, table.Frames(1<<60))
}

func TestWhatIsNoExecutableIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, []byte("not a program"), 0o666))
	_, err := locate.Open(path)
	assert.ErrorContains(t, err, path)
	_, err = locate.Open(path + ".missing")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
