package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
)

// handFlags describe a thread block by hand.
type handFlags struct {
	threads, regs int
	smem          string
}

func (h *handFlags) register(f *pflag.FlagSet) {
	f.IntVar(&h.threads, "threads", 0, "`N` threads per thread block")
	f.IntVar(&h.regs, "regs", 0, "`N` registers per thread")
	f.StringVar(&h.smem, "smem", "", "`BYTES` of shared memory per thread block: 8192, 8k or 8kB")
}

// handNames are the flags, in the order in which they are named in messages.
var handNames = []string{"threads", "regs", "smem"}

// demand is the thread block that the flags describe; given says which of them
// the person has written.
func (h *handFlags) demand(given *pflag.FlagSet) (occupancy.Demand, error) {
	d := occupancy.Demand{Threads: h.threads, Registers: h.regs}
	if given.Changed("threads") && h.threads < 1 {
		return d, diag.Usagef("", "--threads must be 1 or more, got %d", h.threads)
	}
	if h.regs < 0 {
		return d, diag.Usagef("", "--regs cannot be negative, got %d", h.regs)
	}
	var err error
	if given.Changed("smem") {
		d.Shared, err = parseBytes("--smem", h.smem)
	}
	return d, err
}

// byteUnits are what a number of bytes may end in. A kilobyte is 1024 bytes, as
// everywhere where shared memory is sold.
var byteUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1024}, {"kb", 1024}, {"k", 1024}, {"mib", 1 << 20}, {"mb", 1 << 20}, {"m", 1 << 20}, {"b", 1}, {"", 1},
}

// parseBytes reads 8192, 8k, 8.5 kB or 8KiB.
func parseBytes(flag, text string) (int, error) {
	const help = "write bytes, or kilobytes of 1024 bytes as in 8k"
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(lower, u.suffix)
		if !ok {
			continue
		}
		digits = strings.TrimSpace(digits)
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || digits == "" || strings.Trim(digits, "0123456789.") != "" {
			return 0, diag.Usagef(help, "%s: %q is no amount of bytes", flag, text)
		}
		n *= u.bytes
		switch {
		case n > 1<<30:
			return 0, diag.Usagef(help, "%s: %q is more than any GPU has", flag, text)
		case n != float64(int64(n)):
			return 0, diag.Usagef(help, "%s: %q is no whole number of bytes", flag, text)
		}
		return int(n), nil
	}
	return 0, diag.Usagef(help, "%s: %q is no amount of bytes", flag, text)
}

// bytesText is 544 B, 1.2 kB or 16 kB.
func bytesText(n int) string {
	switch {
	case n < 1024:
		return strconv.Itoa(n) + " B"
	case n%1024 == 0:
		return strconv.Itoa(n/1024) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1024, 'f', 1, 64) + " kB"
}
