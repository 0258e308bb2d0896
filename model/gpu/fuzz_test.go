package gpu_test

import (
	"errors"
	"testing"

	"github.com/smux-cuda/smux/model/gpu"
)

// A file either gives a table in which every board is found by its name, or
// messages that all have a place.
func FuzzRead(f *testing.F) {
	for _, src := range []string{board, arch, arch + board, "[gpu.mine]\nsms = = 3\n", "gpu.mine = {sms = 10}", "[[gpu]]", "[\"gpu\".'x'.arch]\ncc=1", "\"", "[gpu", "a=[", "arch.\"1.3\"=1979-05-27"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		table, err := gpu.Read("f.toml", src)
		if err != nil {
			var file *gpu.FileError
			if !errors.As(err, &file) || len(file.Messages) == 0 {
				t.Fatalf("no messages: %v", err)
			}
			for _, m := range file.Messages {
				if !m.Pos.IsValid() || m.Pos.Column < 1 || m.Text == "" {
					t.Fatalf("message without place or text: %+v", m)
				}
			}
			return
		}
		for _, g := range table.All() {
			got, err := table.Lookup(g.Name)
			if err != nil || got.Name != g.Name {
				t.Fatalf("%q: %v, %v", g.Name, got, err)
			}
		}
	})
}

// Whatever nvidia-smi prints, what comes back can run a kernel or is an error.
func FuzzParseNVIDIASMI(f *testing.F) {
	for _, csv := range []string{
		"NVIDIA A100-SXM4-40GB, 8.0, 1410 MHz, 40960 MiB\nTesla T4, 7.5, 1590 MHz, 15360 MiB\n",
		"NVIDIA GeForce RTX 3050, 8.6, 2100 MHz, 4096 MiB", "Tesla K80, 875 MHz, 11441 MiB",
		"No devices were found", "a, 8.6, 0 MHz, 0 MiB", "x, [N/A], [N/A]", "NVIDIA,8.0", ",,,", "\xff, 8.0",
	} {
		f.Add(csv)
	}
	f.Fuzz(func(t *testing.T, csv string) {
		gpus, notes, err := gpu.ParseNVIDIASMI(csv)
		if (err == nil) == (len(gpus) == 0) || len(notes) > len(gpus) {
			t.Fatalf("%v %v %v", gpus, notes, err)
		}
		for _, g := range gpus {
			if g.SMs < 1 || g.ClockMHz <= 0 || g.Arch.SharedPerSM() <= 0 || g.Name == "" {
				t.Fatalf("%+v", g)
			}
		}
	})
}

// Lookup takes any text, and gives a board that its String finds again.
func FuzzLookup(f *testing.F) {
	for _, name := range []string{"a100", "GeForce RTX 3090@64k", "sm_86", "cc8.6", "8.6@8", "@", "a100@0", "\x00", "sm_90a"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		g, err := gpu.Lookup(name)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("empty message")
			}
			return
		}
		again, err := gpu.Lookup(g.String())
		if err != nil || again.String() != g.String() {
			t.Fatalf("%q: %v, %v", g, again, err)
		}
	})
}
