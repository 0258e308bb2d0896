package cmd

import (
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
)

// handFlags describe a thread block by hand.
type handFlags struct {
	threads, regs int
	smem          string
}

func (h *handFlags) register(f *pflag.FlagSet) {
	f.IntVar(&h.threads, "threads", 0, "describe a thread block of `N` threads")
	f.IntVar(&h.regs, "regs", 0, "give each of its threads `N` registers")
	f.StringVar(&h.smem, "smem", "", "give each thread block `BYTES` of shared memory, such as 8k")
}

// handNames are the flags, in the order in which they are named in messages.
var handNames = []string{"threads", "regs", "smem"}

// demand returns the thread block that the flags describe; given says which of them the person has written.
func (h *handFlags) demand(given *pflag.FlagSet) (occupancy.Demand, error) {
	d := occupancy.Demand{Threads: h.threads, Registers: h.regs}
	if given.Changed("threads") && h.threads < 1 {
		return d, diag.Usagef("", "--threads must be 1 or more, got %d", h.threads)
	}
	if h.regs < 0 {
		return d, diag.Usagef("", "--regs cannot be negative, got %d", h.regs)
	}
	if given.Changed("smem") {
		var err error
		if d.Shared, err = prose.ParseBytes(h.smem); err != nil {
			return d, diag.Usagef("write bytes, or kilobytes of 1024 bytes as in 8k", "--smem: %w", err)
		}
	}
	return d, nil
}
