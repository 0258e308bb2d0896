package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

func TestProductNamesOfNVIDIASMIAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"NVIDIA A100-SXM4-40GB, 8.0, 1410 MHz, 40960 MiB":      "a100",
		"NVIDIA A100-SXM4-80GB, 8.0, 1410 MHz, 81920 MiB":      "a100-80",
		"NVIDIA A100 80GB PCIe, 8.0, 1410 MHz, 81920 MiB":      "a100-80",
		"NVIDIA H100 80GB HBM3, 9.0, 1980 MHz, 81559 MiB":      "h100",
		"NVIDIA H100 PCIe, 9.0, 1755 MHz, 81559 MiB":           "h100-pcie",
		"NVIDIA H200, 9.0, 1980 MHz, 143771 MiB":               "h200",
		"NVIDIA GeForce RTX 3090, 8.6, 2100 MHz, 24576 MiB":    "rtx3090",
		"NVIDIA GeForce GTX 1080 Ti, 6.1, 1911 MHz, 11178 MiB": "gtx1080ti",
		"Tesla V100-SXM2-32GB, 7.0, 1530 MHz, 32768 MiB":       "v100",
		"Tesla T4, 7.5, 1590 MHz, 15360 MiB":                   "t4",
		"NVIDIA RTX A6000, 8.6, 2100 MHz, 49140 MiB":           "rtxa6000",
		"Tesla K80, 875 MHz, 11441 MiB":                        "k80", // a driver without compute_cap
		"NVIDIA L4, 8.9, [N/A], [N/A]":                         "l4",
	} {
		gpus, notes, err := gpu.ParseNVIDIASMI(line + "\n")
		require.NoError(t, err, line)
		require.Empty(t, notes, line)
		want, err := gpu.Lookup(want)
		require.NoError(t, err)
		require.Equal(t, []*gpu.GPU{want}, gpus, line)
	}
}

func TestSeveralGPUsKeepTheirOrder(t *testing.T) {
	gpus, notes, err := gpu.ParseNVIDIASMI("name, compute_cap, clocks.max.sm [MHz], memory.total [MiB]\r\nTesla T4, 7.5, 1590 MHz, 15360 MiB\r\n\r\nNVIDIA A10, 8.6, 1695 MHz, 23028 MiB\r\n")
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, gpus, 2)
	require.Equal(t, "t4", gpus[0].Name)
	require.Equal(t, "a10", gpus[1].Name)
}

func TestAnUnlistedProductIsMadeFromItsComputeCapabilityAndSaysSo(t *testing.T) {
	gpus, notes, err := gpu.ParseNVIDIASMI("NVIDIA GeForce RTX 3050 Laptop GPU, 8.6, 2100 MHz, 4096 MiB")
	require.NoError(t, err)
	model, err := gpu.Lookup("8.6")
	require.NoError(t, err)
	g := gpus[0]
	require.Equal(t, "NVIDIA GeForce RTX 3050 Laptop GPU", g.Product)
	require.Equal(t, model.Arch, g.Arch)
	require.Equal(t, 2100.0, g.ClockMHz)
	require.Equal(t, 4096<<20, g.MemoryBytes)
	require.Equal(t, model.SMs, g.SMs)
	require.Contains(t, g.Estimates, "sms")
	require.Equal(t, []string{"NVIDIA GeForce RTX 3050 Laptop GPU is not in the table: limits are those of compute capability 8.6, SMs and bandwidths those of rtx3090"}, notes)
}

// What was not checked of the board that it is made from is not a doubt about a
// product of another name: its figures are estimates as they are.
func TestAnUnlistedProductTakesOverNoDoubts(t *testing.T) {
	doubted := 0
	for _, model := range representatives() {
		doubted += len(model.Unchecked)
		gpus, _, err := gpu.ParseNVIDIASMI("Board of the future, " + model.CC() + ", 1000 MHz, 1024 MiB")
		require.NoError(t, err)
		require.Empty(t, gpus[0].Unchecked, model.Name)
	}
	require.Positive(t, doubted, "some of them have doubts")
}

func TestAProductOfAnotherComputeCapabilityIsNotTheBoardOfThatName(t *testing.T) {
	gpus, notes, err := gpu.ParseNVIDIASMI("NVIDIA A10, 8.9, 1695 MHz, 23028 MiB")
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.Equal(t, "8.9", gpus[0].CC())
}

func TestOutputWithoutAUsableGPUIsAnError(t *testing.T) {
	for csv, want := range map[string]string{
		"":                        "nvidia-smi: it lists no GPU",
		"\n \n":                   "nvidia-smi: it lists no GPU",
		"No devices were found\n": "nvidia-smi: unexpected output: No devices were found",
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.": "nvidia-smi: unexpected output: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
		`Field "compute_cap" is not a valid field to query.`: `nvidia-smi: unexpected output: Field "compute_cap" is not a valid field to query.`,
		"Unknown board, 1000 MHz, 1024 MiB":                  "nvidia-smi: the driver doesn't tell the compute capability of a GPU that is not in the table by name: Unknown board",
		"NVIDIA R100, 13.0, 2000 MHz, 999 MiB":               "nvidia-smi: compute capability 13.0 is not in the table: NVIDIA R100",
		"[Unknown Error], [Unknown Error]":                   "nvidia-smi: unexpected output: [Unknown Error], [Unknown Error]",
		"Tesla T4, 7.5, fast, 15360 MiB":                     "nvidia-smi: unexpected output: Tesla T4, 7.5, fast, 15360 MiB",
		", 7.5, 1590 MHz":                                    "nvidia-smi: unexpected output: , 7.5, 1590 MHz",
	} {
		gpus, _, err := gpu.ParseNVIDIASMI(csv)
		require.EqualError(t, err, want)
		require.Nil(t, gpus)
	}
}
