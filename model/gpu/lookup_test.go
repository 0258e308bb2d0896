package gpu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

func TestEveryBoardIsFoundByEachOfItsNames(t *testing.T) {
	for _, g := range gpu.Default().All() {
		for _, name := range append([]string{g.Name, g.Product, strings.ToUpper(g.Name), "NVIDIA " + g.Product}, g.Aliases...) {
			got, err := gpu.Lookup(name)
			require.NoError(t, err, name)
			require.Equal(t, g, got, name)
		}
	}
}

func TestEveryArchitectureIsFoundByItsNumber(t *testing.T) {
	for _, want := range representatives() {
		for _, name := range []string{want.CC(), "cc" + want.CC(), "cc " + want.CC(), want.Arch.SM(), strings.Replace(want.Arch.SM(), "sm_", "compute_", 1)} {
			got, err := gpu.Lookup(name)
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
		}
	}
}

func TestStringIsTheInverseOfLookupForEveryCarveout(t *testing.T) {
	for _, g := range gpu.Default().All() {
		for _, c := range g.Arch.Carveouts {
			g.Carveout = c
			got, err := gpu.Lookup(g.String())
			require.NoError(t, err, g.String())
			require.Equal(t, g, got)
		}
	}
}

func TestLookupIgnoresHowANameIsWritten(t *testing.T) {
	for name, want := range map[string]string{
		"RTX 3090": "rtx3090", "geforce rtx-3090": "rtx3090", "NVIDIA GeForce RTX 3090": "rtx3090",
		"GTX480": "gtx480", "gtx 480 @ 16 kB": "gtx480@16", "gtx480@48K": "gtx480@48",
		"A100-SXM4-80GB": "a100-80", "a100_80gb": "a100-80", "Tesla T4": "t4", "sm_90a": "h100", "SM_86": "rtx3090", "sm86": "rtx3090",
		"sm_80@100": "a100@100", "Quadro RTX A6000": "rtxa6000", "NVIDIA H100 80GB HBM3": "h100", "NVIDIA A100 80GB PCIe": "a100-80",
	} {
		g, err := gpu.Lookup(name)
		require.NoError(t, err, name)
		require.Equal(t, want, g.String(), name)
	}
}

func TestAnUnknownNameComesWithTheNearest(t *testing.T) {
	for _, tt := range []struct {
		name string
		near []string
		text string
	}{
		{"rtx3091", []string{"rtx3090", "rtx3060", "rtx3070"}, `unknown GPU "rtx3091", did you mean rtx3090, rtx3060 or rtx3070?`},
		{"gtx-681", []string{"gtx680"}, `unknown GPU "gtx-681", did you mean gtx680`},
		{"h20", []string{"h200"}, `unknown GPU "h20", did you mean h200`},
		{"radeon", nil, `unknown GPU "radeon"`},
		{"", nil, `unknown GPU ""`},
	} {
		_, err := gpu.Lookup(tt.name)
		var unknown *gpu.UnknownError
		require.ErrorAs(t, err, &unknown, tt.name)
		require.Equal(t, tt.name, unknown.Name)
		require.Len(t, unknown.All, len(gpu.Default().All()))
		require.LessOrEqual(t, len(unknown.Near), 3)
		require.Subset(t, unknown.Near, tt.near)
		require.Equal(t, tt.near == nil, unknown.Near == nil)
		if tt.near != nil {
			require.Equal(t, tt.near[0], unknown.Near[0])
		}
		require.Contains(t, err.Error(), tt.text)
	}
}

func TestAnUnknownComputeCapabilityIsCalledThat(t *testing.T) {
	_, err := gpu.Lookup("sm_99")
	require.EqualError(t, err, `unknown GPU "sm_99": compute capability 9.9 is not in the table`)
}

func TestACarveoutThatTheSMLacksListsThoseItHas(t *testing.T) {
	for name, want := range map[string]string{
		"gtx480@32": "gtx480 has no 32 kB of shared memory per SM, but 16 or 48 kB",
		"gtx285@48": "gtx285 has no 48 kB of shared memory per SM, but 16 kB",
		"v100@0":    "v100 has no 0 kB of shared memory per SM, but 8, 16, 32, 64 or 96 kB",
	} {
		_, err := gpu.Lookup(name)
		require.EqualError(t, err, want)
	}
	for _, name := range []string{"a100@", "a100@big", "a100@-8", "a100@8m", "a100@9999999"} {
		_, err := gpu.Lookup(name)
		require.ErrorContains(t, err, "is not an amount of shared memory", name)
	}
}

func BenchmarkLookup(b *testing.B) {
	gpu.Default()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gpu.Lookup("NVIDIA GeForce RTX 3090@64"); err != nil {
			b.Fatal(err)
		}
	}
}
