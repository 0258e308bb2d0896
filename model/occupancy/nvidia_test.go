package occupancy

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// nvidiaCases is the number of random cases that each test asks NVIDIA's header about.
const nvidiaCases = 60_000

// nvidiaAnswer is a line that testdata/occupancy.cpp prints.
type nvidiaAnswer struct {
	status  int
	blocks  int
	factors uint
	limits  ByLimit
	shared  int // bytes that a block takes
}

// limiters are the header's factors as a set of limits.
func (a nvidiaAnswer) limiters() Limits {
	var s Limits
	for bit, l := range []Limit{Threads, Registers, Shared, Blocks, Barriers} {
		if a.factors&(1<<bit) != 0 {
			s |= Of(l)
		}
	}
	return s
}

func TestEqualsNVIDIAsHeader(t *testing.T) {
	ask := nvidiaHeader(t)
	cases := make([]nvidiaCase, nvidiaCases)
	boards := coveredByNVIDIA(t)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range cases {
		cases[i] = randomCase(random, boards[i%len(boards)])
	}
	seen := map[string]int{}
	for i, answer := range ask(cases) {
		c := cases[i]
		require.Zerof(t, answer.status, "cuda_occupancy.h refuses the case itself: %s", c)
		r, err := Compute(c.gpu, c.demand)
		require.Equalf(t, answer.limits, r.ByLimit, "blocks by limit: %s", c)
		require.Equalf(t, answer.shared, r.BlockShared, "shared bytes of a block: %s", c)
		require.Equalf(t, answer.limiters(), r.Limiters, "limiters: %s", c)
		require.Equalf(t, answer.blocks, r.Blocks, "blocks: %s", c)
		if answer.blocks == 0 {
			var impossible *ImpossibleError
			require.ErrorAs(t, err, &impossible, c.String())
			require.Equalf(t, answer.limiters(), impossible.Limits, "limits in the error: %s", c)
			require.Greaterf(t, impossible.Asked, impossible.Allowed, "asked and allowed: %s", c)
			seen["impossible"]++
			continue
		}
		require.NoError(t, err, c.String())
		seen[r.Limiters.String()]++
	}
	t.Logf("%d cases on %d GPUs equal; by what limits the blocks: %v", len(cases), len(boards), seen)
	for _, limit := range []string{"impossible", Of(Shared).String(), Of(Registers).String(), Of(Threads).String(), Of(Blocks).String()} {
		assert.Greaterf(t, seen[limit], nvidiaCases/100, "too few cases show this: %s", limit)
	}
	ties := 0
	for set, n := range seen {
		if strings.Contains(set, " and ") {
			ties += n
		}
	}
	assert.Greater(t, ties, nvidiaCases/20, "too few cases show ties")
}

// The header leaves the flags of the other limits as they were when barriers
// allow still fewer blocks; here a limit that allows more is not a limiter.
func TestEqualsNVIDIAsHeaderWithBarriers(t *testing.T) {
	ask := nvidiaHeader(t)
	cases := make([]nvidiaCase, nvidiaCases/4)
	boards := coveredByNVIDIA(t)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range cases {
		c := randomCase(random, boards[i%len(boards)])
		c.demand.Barriers = 1 + random.IntN(hardware.BarriersPerBlock)
		cases[i] = c
	}
	bound := 0
	for i, answer := range ask(cases) {
		c := cases[i]
		r, _ := Compute(c.gpu, c.demand)
		require.Equalf(t, answer.limits, r.ByLimit, "blocks by limit: %s", c)
		require.Equalf(t, answer.blocks, r.Blocks, "blocks: %s", c)
		if r.Limiters.Only(Barriers) {
			require.Truef(t, answer.limiters().Has(Barriers), "barriers: %s", c)
			bound++
			continue
		}
		require.Equalf(t, answer.limiters(), r.Limiters, "limiters: %s", c)
	}
	assert.Positive(t, bound, "no case is bound by barriers")
}

// nvidiaHeader compiles the program that asks cuda_occupancy.h. Where the
// header or a compiler is missing, the test is skipped.
func nvidiaHeader(t *testing.T) func([]nvidiaCase) []nvidiaAnswer {
	t.Helper()
	folder := nvidiaIncludes()
	if folder == "" {
		t.Skip("cuda_occupancy.h is in no usual place (CUDA_HOME, /usr/local/cuda, /usr/include): nothing to compare with")
	}
	compiler := ""
	for _, name := range []string{os.Getenv("CXX"), "g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil && compiler == "" {
			compiler = path
		}
	}
	if compiler == "" {
		t.Skip("no C++ compiler is installed: g++ or clang++ is needed to ask cuda_occupancy.h")
	}
	program := filepath.Join(t.TempDir(), "occupancy")
	out, err := exec.Command(compiler, "-std=c++14", "-O1", "-I"+folder, "-o", program, filepath.Join("testdata", "occupancy.cpp")).CombinedOutput()
	require.NoError(t, err, string(out))
	return func(cases []nvidiaCase) []nvidiaAnswer { return askNVIDIA(t, program, cases) }
}

// nvidiaIncludes is the folder that holds cuda_occupancy.h, empty where none does.
func nvidiaIncludes() string {
	folders := []string{"/usr/local/cuda/include", "/usr/include"}
	more, _ := filepath.Glob("/usr/local/cuda*/include")
	folders = append(folders, more...)
	for _, variable := range []string{"CUDA_PATH", "CUDA_HOME"} {
		if home := os.Getenv(variable); home != "" {
			folders = append([]string{filepath.Join(home, "include")}, folders...)
		}
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "cuda_occupancy.h")); err == nil {
			return folder
		}
	}
	return ""
}

func askNVIDIA(t *testing.T, program string, cases []nvidiaCase) []nvidiaAnswer {
	t.Helper()
	var questions bytes.Buffer
	for _, c := range cases {
		c.write(&questions)
	}
	cmd := exec.Command(program)
	cmd.Stdin = &questions
	out, err := cmd.Output()
	require.NoError(t, err)
	var answers []nvidiaAnswer
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var a nvidiaAnswer
		_, err := fmt.Sscan(lines.Text(), &a.status, &a.blocks, &a.factors, &a.limits[Shared], &a.limits[Registers],
			&a.limits[Threads], &a.limits[Blocks], &a.limits[Barriers], &a.shared)
		require.NoError(t, err, lines.Text())
		answers = append(answers, a)
	}
	require.NoError(t, lines.Err())
	require.Len(t, answers, len(cases), "answers")
	return answers
}

// coveredByNVIDIA is every board of the table that the header of CUDA 11.8 knows.
func coveredByNVIDIA(t *testing.T) []*gpu.GPU {
	t.Helper()
	var boards []*gpu.GPU
	seen := map[string]bool{}
	for _, g := range gpu.Default().All() {
		if cc := 10*g.Arch.Major + g.Arch.Minor; cc >= 35 && cc <= 90 {
			boards = append(boards, g)
			seen[g.CC()] = true
		}
	}
	for _, cc := range []string{"3.5", "3.7", "5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"} {
		require.True(t, seen[cc], "the table has no GPU of compute capability %s", cc)
	}
	return boards
}
