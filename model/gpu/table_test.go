package gpu_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// limits is one row of a table of technical specifications, in the units that
// the tables use.
type limits struct {
	cc                              string
	threadsPerBlock, threads        int
	blocks, warps                   int
	registersK, blockK, perThread   int
	granularity, parts              int
	shared, optin, reserved, grains int
}

// specifications restates what the CUDA C++ Programming Guide and the occupancy
// calculators say of each compute capability.
var specifications = []limits{
	{"1.3", 512, 1024, 8, 32, 16, 16, 124, 512, 1, 16, 16, 0, 512},
	{"2.0", 1024, 1536, 8, 48, 32, 32, 63, 64, 2, 48, 48, 0, 128},
	{"3.0", 1024, 2048, 16, 64, 64, 64, 63, 256, 4, 48, 48, 0, 256},
	{"3.5", 1024, 2048, 16, 64, 64, 64, 255, 256, 4, 48, 48, 0, 256},
	{"3.7", 1024, 2048, 16, 64, 128, 64, 255, 256, 4, 112, 48, 0, 256},
	{"5.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 64, 48, 0, 256},
	{"5.2", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 96, 48, 0, 256},
	{"5.3", 1024, 2048, 32, 64, 64, 32, 255, 256, 4, 64, 48, 0, 256},
	{"6.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 2, 64, 48, 0, 256},
	{"6.1", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 96, 48, 0, 256},
	{"6.2", 1024, 2048, 32, 64, 64, 32, 255, 256, 4, 64, 48, 0, 256},
	{"7.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 96, 96, 0, 256},
	{"7.2", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 96, 96, 0, 256},
	{"7.5", 1024, 1024, 16, 32, 64, 64, 255, 256, 4, 64, 64, 0, 256},
	{"8.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 164, 163, 1, 128},
	{"8.6", 1024, 1536, 16, 48, 64, 64, 255, 256, 4, 100, 99, 1, 128},
	{"8.7", 1024, 1536, 16, 48, 64, 64, 255, 256, 4, 164, 163, 1, 128},
	{"8.9", 1024, 1536, 24, 48, 64, 64, 255, 256, 4, 100, 99, 1, 128},
	{"9.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 228, 227, 1, 128},
	{"10.0", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 228, 227, 1, 128},
	{"10.3", 1024, 2048, 32, 64, 64, 64, 255, 256, 4, 228, 227, 1, 128},
	{"11.0", 1024, 1536, 24, 48, 64, 64, 255, 256, 4, 228, 227, 1, 128},
	{"12.0", 1024, 1536, 24, 48, 64, 64, 255, 256, 4, 100, 99, 1, 128},
	{"12.1", 1024, 1536, 24, 48, 64, 64, 255, 256, 4, 100, 99, 1, 128},
}

func limitsOf(g *gpu.GPU) limits {
	a := g.Arch
	return limits{
		a.CC(), a.ThreadsPerBlock, a.ThreadsPerSM, a.BlocksPerSM, a.WarpsPerSM,
		a.RegistersPerSM >> 10, a.RegistersPerBlock >> 10, a.RegistersPerThread, a.RegisterGranularity, a.SubPartitions,
		a.SharedPerSM() >> 10, a.SharedPerBlockOptin >> 10, a.SharedReserved >> 10, a.SharedGranularity,
	}
}

// representatives returns, for every compute capability in ascending order, the
// board that stands for it.
func representatives() []*gpu.GPU {
	return slices.DeleteFunc(gpu.Default().All(), func(g *gpu.GPU) bool { return g.Arch.Board != g.Name })
}

func TestLimitsAreThoseOfTheTechnicalSpecifications(t *testing.T) {
	var got []limits
	for _, g := range representatives() {
		got = append(got, limitsOf(g))
	}
	require.Equal(t, specifications, got)
}

// What package hardware calls common to all GPUs, the rows have to bear out.
func TestCommonLimitsAreThoseOfEveryArchitecture(t *testing.T) {
	var allowed []int
	for _, g := range representatives() {
		a := g.Arch
		if a.Major < 3 || a.Major == 3 && a.Minor < 5 {
			continue
		}
		require.Equal(t, hardware.MaxThreadsPerBlock, a.ThreadsPerBlock, a.CC())
		require.Equal(t, hardware.MaxRegistersPerThread, a.RegistersPerThread, a.CC())
		require.Equal(t, hardware.SharedPerBlock, a.SharedPerBlock, a.CC())
		require.LessOrEqual(t, a.RegistersPerBlock, hardware.RegistersPerSM, a.CC())
		require.GreaterOrEqual(t, a.RegistersPerSM, hardware.RegistersPerSM, a.CC())
		require.LessOrEqual(t, a.ThreadsPerSM, hardware.MaxThreadsPerSM, a.CC())
		allowed = append(allowed, a.SharedPerBlockOptin)
	}
	slices.Sort(allowed)
	require.Equal(t, slices.Compact(allowed), hardware.SharedPerBlockLimits[:])
}

func TestOnlyTheFirstArchitectureGivesRegistersToBlocks(t *testing.T) {
	for _, g := range representatives() {
		first := g.Arch.Major == 1
		require.Equal(t, first, g.Arch.RegistersByBlock, g.CC())
		require.Equal(t, first, g.Arch.WarpGranularity == 2, g.CC())
	}
}

func TestLaunchIsCheckedAsOn61InAllOf6x(t *testing.T) {
	for _, g := range representatives() {
		want := g.Arch.SubPartitions
		if g.Arch.Major == 6 {
			want = 4
		}
		require.Equal(t, want, g.Arch.LaunchPartitions, g.CC())
	}
}

func TestCarveoutsAreThoseOfTheTuningGuides(t *testing.T) {
	for name, want := range map[string][]int{
		"gtx285": {16}, "gtx480": {16, 48}, "gtx680": {16, 32, 48}, "k40": {16, 32, 48}, "k80": {80, 96, 112},
		"5.0": {64}, "5.2": {96}, "6.0": {64}, "6.1": {96},
		"v100": {0, 8, 16, 32, 64, 96}, "t4": {32, 64},
		"a100": {0, 8, 16, 32, 64, 100, 132, 164}, "8.7": {0, 8, 16, 32, 64, 100, 132, 164},
		"8.6": {0, 8, 16, 32, 64, 100}, "8.9": {0, 8, 16, 32, 64, 100}, "12.0": {0, 8, 16, 32, 64, 100},
		"h100": {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, "b200": {0, 8, 16, 32, 64, 100, 132, 164, 196, 228},
	} {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		kilobytes := make([]int, len(g.Arch.Carveouts))
		for i, c := range g.Arch.Carveouts {
			kilobytes[i] = c / 1024
		}
		require.Equal(t, want, kilobytes, name)
	}
}

func TestEveryArchitectureHasOneBoardThatStandsForIt(t *testing.T) {
	all := gpu.Default().All()
	stands := map[string]string{}
	for _, g := range representatives() {
		require.Equal(t, g.Arch.Board, g.Name)
		require.NotContains(t, stands, g.CC())
		stands[g.CC()] = g.Name
	}
	for _, g := range all {
		require.Equal(t, stands[g.CC()], g.Arch.Board, g.Name)
	}
}

func TestEveryEntryHasASource(t *testing.T) {
	for _, g := range gpu.Default().All() {
		require.NotEmpty(t, g.Source, g.Name)
		require.NotEmpty(t, g.Arch.Source, g.CC())
		require.NotEmpty(t, g.Arch.TimeSource, g.CC())
		require.NotEmpty(t, g.Product, g.Name)
	}
}

func TestLimitsAreNeverEstimates(t *testing.T) {
	times := []string{"issue_per_cycle", "dependent_issue", "shared_per_cycle", "shared_latency", "l1_latency", "l2_latency", "memory_latency"}
	for _, g := range gpu.Default().All() {
		for _, e := range g.Arch.Estimates {
			require.Contains(t, times, e, g.CC())
		}
	}
}

// NVIDIA's headers give the limits up to cc 9.0. After that some follow from the
// architecture before, and the table must say which.
func TestLimitsAreUncheckedOnlyWhereNVIDIAsHeadersEnd(t *testing.T) {
	times := []string{"unified_kib", "issue_per_cycle", "dependent_issue", "shared_per_cycle", "shared_latency", "l1_latency", "l2_latency", "memory_latency"}
	for _, g := range gpu.Default().All() {
		for _, k := range g.Arch.Unchecked {
			require.True(t, g.Arch.Major >= 10 || slices.Contains(times, k), "%s of cc %s", k, g.CC())
		}
		if g.Arch.Major >= 10 {
			require.Contains(t, g.Arch.Unchecked, "register_granularity", g.CC())
		}
	}
}

func TestBoardsAreInOrder(t *testing.T) {
	all := gpu.Default().All()
	require.True(t, slices.IsSortedFunc(all, func(a, b *gpu.GPU) int {
		if a.Arch.Major != b.Arch.Major {
			return a.Arch.Major - b.Arch.Major
		}
		return a.Arch.Minor - b.Arch.Minor
	}))
	require.Equal(t, "gtx285", all[0].Name)
}

// Physics: a cache is faster than what it caches, and closer.
func TestEveryLevelOfMemoryIsFasterThanTheNext(t *testing.T) {
	for _, g := range gpu.Default().All() {
		shared := float64(g.SMs) * g.Arch.SharedPerCycle * hardware.WarpSize * 4 * g.ClockMHz / 1e3 // GB/s
		require.Greater(t, shared, g.Bandwidth, g.Name)
		require.Less(t, g.Arch.SharedLatency, g.Arch.MemoryLatency, g.Name)
		if g.L2Bytes > 0 {
			require.Greater(t, g.L2Bandwidth, g.Bandwidth, g.Name)
			require.Greater(t, shared, g.L2Bandwidth, g.Name)
			require.Less(t, g.Arch.SharedLatency, g.Arch.L2Latency, g.Name)
			require.Less(t, g.L2Bytes, g.MemoryBytes, g.Name)
			require.GreaterOrEqual(t, g.Arch.Hit(), g.Arch.SharedLatency, g.Name)
			require.Less(t, g.Arch.Hit(), g.Arch.L2Latency, g.Name)
			require.Greater(t, g.L2BytesPerCycle()/g.BytesPerCycle(), g.L2Bandwidth/g.Bandwidth, "kernels reach a part of the DRAM's bandwidth")
			require.Less(t, g.PartialBytesPerCycle(), g.L2BytesPerCycle(), g.Name)
		}
	}
}

func TestTheTableIsNotChangedThroughWhatItReturns(t *testing.T) {
	g, err := gpu.Lookup("a100")
	require.NoError(t, err)
	g.Arch.Carveouts[0], g.Arch.ThreadsPerSM, g.SMs = 1, 1, 1
	g.Aliases[0], g.Estimates[0] = "x", "x"
	again, err := gpu.Lookup("a100")
	require.NoError(t, err)
	require.Equal(t, 0, again.Arch.Carveouts[0])
	require.Equal(t, 2048, again.Arch.ThreadsPerSM)
	require.Equal(t, 108, again.SMs)
	require.NotEqual(t, "x", again.Aliases[0])
	require.NotEqual(t, "x", again.Estimates[0])

	b, err := gpu.Lookup("v100")
	require.NoError(t, err)
	b.Unchecked[0] = "x"
	again, err = gpu.Lookup("v100")
	require.NoError(t, err)
	require.NotEqual(t, "x", again.Unchecked[0])
}

func TestNamedSetIsThatOfTheCensus(t *testing.T) {
	var names []string
	for _, g := range gpu.NamedSet() {
		names = append(names, g.Name)
	}
	require.Equal(t, []string{"t4", "rtx3090", "rtx4090", "a100", "h100"}, names)
}

// A person who writes a file of GPUs has the head of gpus.toml to go by.
func TestTheFileExplainsEachOfItsKeys(t *testing.T) {
	src, err := os.ReadFile("gpus.toml")
	require.NoError(t, err)
	head, body, ok := strings.Cut(string(src), "\n\n")
	require.True(t, ok)
	used := regexp.MustCompile(`(?m)^[a-z0-9_]+`).FindAllString(body, -1)
	require.NotEmpty(t, used)
	slices.Sort(used)
	for _, key := range slices.Compact(used) {
		require.Regexp(t, `\b`+key+`\b`, head)
	}
}
