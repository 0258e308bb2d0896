package machine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/record"
)

const twoAndOne = `0, GPU-aa, NVIDIA A100-SXM4-80GB, 535.54.03
1, GPU-ab, NVIDIA A100-SXM4-80GB, 535.54.03
2, GPU-b, Tesla T4, 535.54.03
`

// says is an nvidia-smi that prints a text.
func says(text string) SMI {
	return func(context.Context, ...string) (string, error) { return text, nil }
}

func TestWhichDevicesAreUsed(t *testing.T) {
	for _, c := range []struct {
		list    string
		visible string
		want    []int
		why     string
	}{
		{want: []int{0}},
		{visible: "2,0", want: []int{2}},
		{visible: "GPU-ab", want: []int{1}},
		{visible: "-1", why: "CUDA_VISIBLE_DEVICES hides all GPUs of this machine"},
		{list: "1,0,1", want: []int{1, 0}},
		{list: "2", visible: "0", want: []int{2}}, // named by a person
		{list: "all", visible: "1,0", want: []int{1, 0}},
		{list: "all", visible: "GPU-ab,9,0", want: []int{1}},
		{list: "all", visible: "-1", why: "CUDA_VISIBLE_DEVICES hides all GPUs of this machine"},
		{list: "all", why: "device 0 is a NVIDIA A100-SXM4-80GB, and device 2 a Tesla T4: times of both can't be compared"},
		{list: "3", why: "there is no device 3 here"},
		{list: "0,2", why: "device 0 is a NVIDIA A100-SXM4-80GB, and device 2 a Tesla T4: times of both can't be compared"},
	} {
		t.Setenv("CUDA_VISIBLE_DEVICES", c.visible)
		devices, err := FindDevices(t.Context(), says(twoAndOne), c.list)
		if c.why != "" {
			var wrong *diag.Failure
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, c.why, wrong.Error())
			assert.Contains(t, wrong.Help, "2 (Tesla T4)")
			continue
		}
		require.NoError(t, err)
		var got []int
		for _, d := range devices {
			got = append(got, d.Index)
			assert.Equal(t, "535.54.03", d.Driver)
			assert.NotEmpty(t, d.UUID)
		}
		assert.Equal(t, c.want, got)
	}
}

func TestAMachineWithoutGPUs(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	missing := func(context.Context, ...string) (string, error) {
		return "", errors.New("there is no nvidia-smi on this machine")
	}
	for name, smi := range map[string]SMI{
		"there is no nvidia-smi on this machine": missing,
		"nvidia-smi lists no GPU":                says("No devices were found\n"),
	} {
		_, err := FindDevices(t.Context(), smi, "")
		var wrong *diag.Failure
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, name, wrong.Error())
		assert.Equal(t, noGPUHelp, wrong.Help)
	}
	_, err := NewGPU(Program{}, GPUOptions{})
	assert.Error(t, err)
}

func TestStateOfADevice(t *testing.T) {
	for text, want := range map[string]*record.State{
		"1410, 1593, 41, 0x0000000000000000\n":              {ClockSM: 1410, ClockMemory: 1593, Temperature: 41},
		"210, 405, 30, 0x0000000000000001\n":                {ClockSM: 210, ClockMemory: 405, Temperature: 30}, // idle
		"900, 1593, 84, 0x0000000000000024\n":               {ClockSM: 900, ClockMemory: 1593, Temperature: 84, Throttled: "sw_power_cap,sw_thermal_slowdown"},
		"1500, [N/A], 50, Not Active\n":                     {ClockSM: 1500, Temperature: 50},
		"[N/A], [N/A], [N/A], [N/A]\n":                      nil,
		"Field \"clocks.sm\" is not a valid field to query": nil,
		"": nil,
	} {
		assert.Equal(t, want, ReadState(t.Context(), says(text), 0), text)
	}
}

// Newer drivers have another name for what holds the clocks down.
func TestStateByTheNewerName(t *testing.T) {
	var asked []string
	smi := func(_ context.Context, args ...string) (string, error) {
		asked = append(asked, strings.Join(args, " "))
		if strings.Contains(args[0], "throttle") {
			return "", errors.New(`Field "clocks_throttle_reasons.active" is not a valid field to query.`)
		}
		return "1000, 2000, 60, 0x0000000000000008\n", nil
	}
	assert.Equal(t, &record.State{ClockSM: 1000, ClockMemory: 2000, Temperature: 60, Throttled: "hw_slowdown"}, ReadState(t.Context(), smi, 3))
	for _, a := range asked {
		assert.Contains(t, a, "-i 3")
	}
}

func FuzzNVIDIASMI(f *testing.F) {
	f.Add(twoAndOne)
	f.Add("1410, 1593, 41, 0x24\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range parseDevices(text) {
			if d.Index < 0 || d.Visible() == "" {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if s := ParseState(text); s != nil && (s.ClockSM < 0 || s.ClockMemory < 0 || s.Temperature < 0) {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
