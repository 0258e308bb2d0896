package machine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/tune/record"
)

// SMI runs nvidia-smi with arguments and returns what it prints.
type SMI func(ctx context.Context, args ...string) (string, error)

type Device struct {
	Index  int    // as nvidia-smi counts them
	UUID   string // by which a program is held to it; "" where nvidia-smi tells none
	Name   string // of the product
	Driver string // its version
}

const noGPUHelp = "measure on a machine with an NVIDIA GPU, or on the CPU engine, whose times say nothing of a GPU"

// ParseDevices reads a list of devices such as "0,1"; "" and "all" name none.
func ParseDevices(list string) (indices []int, err error) {
	if list == "" || list == "all" {
		return nil, nil
	}
	for field := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 0 {
			return nil, diag.Usagef("write --devices 0,1 or --devices all", "--devices %q: %q is not an index", list, field)
		}
		indices = append(indices, n)
	}
	return indices, nil
}

// FindDevices asks nvidia-smi for the devices of a list, of one product: "" is the first of CUDA_VISIBLE_DEVICES, "all" all of them.
func FindDevices(ctx context.Context, smi SMI, list string) ([]Device, error) {
	indices, err := ParseDevices(list)
	if err != nil {
		return nil, err
	}
	all, err := listDevices(ctx, smi)
	if err != nil {
		return nil, err
	}
	there := lists.Map(all, func(d Device) string { return fmt.Sprintf("%d (%s)", d.Index, d.Name) })
	help := "the devices are " + strings.Join(there, ", ")
	var out []Device
	for _, i := range indices {
		at := slices.IndexFunc(all, func(d Device) bool { return d.Index == i })
		if at < 0 {
			return nil, diag.Usagef(help, "there is no device %d here", i)
		}
		out = lists.Add(out, all[at])
	}
	if len(indices) == 0 {
		if out = visible(all, os.Getenv("CUDA_VISIBLE_DEVICES")); len(out) == 0 {
			return nil, diag.Usagef(help, "CUDA_VISIBLE_DEVICES hides all GPUs of this machine")
		}
		if list == "" {
			out = out[:1]
		}
	}
	for _, d := range out[1:] {
		if d.Name != out[0].Name {
			return nil, diag.Usagef("name devices of one product; "+help, "device %d is a %s, and device %d a %s: times of both can't be compared", out[0].Index, out[0].Name, d.Index, d.Name)
		}
	}
	return out, nil
}

// listDevices asks nvidia-smi for all devices, of which there is one.
func listDevices(ctx context.Context, smi SMI) ([]Device, error) {
	text, err := smi(ctx, "--query-gpu=index,uuid,name,driver_version", "--format=csv,noheader")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, diag.Usagef(noGPUHelp, "%w", err)
	}
	all := parseDevices(text)
	if len(all) == 0 {
		return nil, diag.Usagef(noGPUHelp, "nvidia-smi lists no GPU")
	}
	return all, nil
}

// parseDevices reads lines "INDEX, UUID, NAME, DRIVER"; others are passed over.
func parseDevices(csv string) []Device {
	var out []Device
	for line := range strings.Lines(csv) {
		f := strings.Split(strings.TrimSpace(line), ", ")
		if len(f) < 4 {
			continue
		}
		index, err := strconv.Atoi(f[0])
		if err != nil || index < 0 {
			continue
		}
		d := Device{Index: index, Name: strings.Join(f[2:len(f)-1], ", "), Driver: f[len(f)-1]}
		if strings.HasPrefix(f[1], "GPU-") {
			d.UUID = f[1]
		}
		out = append(out, d)
	}
	return out
}

// visible returns the devices that CUDA_VISIBLE_DEVICES lists by index or the beginning of a UUID, up to one that is none.
func visible(all []Device, list string) []Device {
	if list == "" {
		return all
	}
	var out []Device
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(all, func(d Device) bool {
			return strconv.Itoa(d.Index) == name || strings.HasPrefix(name, "GPU-") && strings.HasPrefix(d.UUID, name)
		})
		if at < 0 {
			break
		}
		out = append(out, all[at])
	}
	return out
}

// Visible returns the device as CUDA_VISIBLE_DEVICES takes it.
func (d Device) Visible() string {
	if d.UUID != "" {
		return d.UUID
	}
	return strconv.Itoa(d.Index)
}

// throttles are nvidia-smi's names of why clocks are held down, by their bit. Other bits: the GPU is idle, or set by a person.
var throttles = []struct {
	bit  uint64
	name string
}{
	{0x4, "sw_power_cap"}, {0x8, "hw_slowdown"}, {0x10, "sync_boost"}, {0x20, "sw_thermal_slowdown"},
	{0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"},
}

// reasons are the names that the field of the reasons has had, the older first.
var reasons = []string{"clocks_throttle_reasons.active", "clocks_event_reasons.active"}

// ReadState asks for the state of a device, nil where nvidia-smi doesn't tell it.
func ReadState(ctx context.Context, smi SMI, device int) *record.State {
	if smi == nil {
		return nil
	}
	for _, reason := range reasons {
		text, err := smi(ctx, "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,"+reason, "--format=csv,noheader,nounits", "-i", strconv.Itoa(device))
		if s := ParseState(text); err == nil && s != nil {
			return s
		}
	}
	return nil
}

// ParseState reads "CLOCK, CLOCK, TEMPERATURE, 0xREASONS"; what a GPU doesn't tell stays 0. nil for anything else.
func ParseState(csv string) *record.State {
	line, _, _ := strings.Cut(strings.TrimSpace(csv), "\n")
	f := strings.Split(line, ",")
	if len(f) != 4 {
		return nil
	}
	number := func(s string) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	s := &record.State{ClockSM: number(f[0]), ClockMemory: number(f[1]), Temperature: number(f[2])}
	bits, err := strconv.ParseUint(strings.TrimSpace(f[3]), 0, 64)
	var names []string
	for _, t := range throttles {
		if err == nil && bits&t.bit != 0 {
			names = append(names, t.name)
		}
	}
	s.Throttled = strings.Join(names, ",")
	if *s == (record.State{}) {
		return nil
	}
	return s
}
