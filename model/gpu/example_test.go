package gpu_test

import (
	"fmt"

	"github.com/smux-cuda/smux/model/gpu"
)

func ExampleLookup() {
	for _, name := range []string{"GeForce GTX 480 @16", "sm_80", "rtx3091"} {
		g, err := gpu.Lookup(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: cc %s, %d SMs, %d kB of shared memory at most\n", g, g.CC(), g.SMs, g.Arch.SharedPerSM()/1024)
	}
	// Output:
	// gtx480@16: cc 2.0, 15 SMs, 48 kB of shared memory at most
	// a100: cc 8.0, 108 SMs, 164 kB of shared memory at most
	// unknown GPU "rtx3091", did you mean rtx3090, rtx3060 or rtx3070?
}

func ExampleRead() {
	_, err := gpu.Read("mine.toml", []byte(`
[gpu.mine]
product = "A100 with twice the registers"
cc = "8.0"
sms = 108
clock = 1410
bandwidth_gbs = 1555
l2_bandwidth_gbs = 5000
l2_kib = 40960
memory_mib = 40960
source = "a thought"
[gpu.mine.arch]
registers_per_sm = 131072
`))
	fmt.Println(err)
	// Output:
	// mine.toml:2:1: gpu-file: mine lacks the key clock_mhz
	// mine.toml:6:1: gpu-file: unknown key "clock": did you mean "clock_mhz"?
}

func ExampleParseNVIDIASMI() {
	gpus, notes, err := gpu.ParseNVIDIASMI("Tesla T4, 7.5, 1590 MHz, 15360 MiB\nNVIDIA T4G, 7.5, 1590 MHz, 15360 MiB\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gpus, notes)
	// Output:
	// [t4 t4g] [NVIDIA T4G is not in the table: limits are those of compute capability 7.5, SMs and bandwidths those of t4]
}
