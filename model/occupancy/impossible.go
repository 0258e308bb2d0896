package occupancy

import (
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// ImpossibleError reports that no thread block with the demand can run on the GPU.
type ImpossibleError struct {
	GPU string // its name, with the carve-out where one is set
	// Limits are all the resources that don't suffice; Limit is one of them:
	// threads, which others depend on, or else the first.
	Limits Limits
	Limit  Limit
	// Asked and Allowed count the resource per thread block, or per thread
	// where PerThread is set: bytes, registers, threads, barriers.
	Asked, Allowed int
	PerThread      bool
}

func (e *ImpossibleError) Error() string {
	holder := "thread block"
	if e.PerThread {
		holder = "thread"
	}
	return fmt.Sprintf("%d %s; a %s on %s gets at most %d", e.Asked, units[e.Limit], holder, e.GPU, e.Allowed)
}

var units = [numLimits]string{
	Shared:    "bytes of shared memory",
	Registers: "registers",
	Threads:   "threads",
	Blocks:    "thread blocks",
	Barriers:  "barriers",
}

// impossible is the error of a demand for which the resources in limits allow
// no block.
func impossible(g *gpu.GPU, d Demand, limits Limits) error {
	a := &g.Arch
	e := &ImpossibleError{GPU: g.String(), Limit: limits.List()[0], Limits: limits}
	if limits.Has(Threads) {
		e.Limit = Threads
	}
	switch e.Limit {
	case Shared:
		e.Asked, e.Allowed = d.Shared, MaxShared(g, 1)
	case Registers:
		e.Asked, e.Allowed = d.Registers, a.RegistersPerThread
		e.PerThread = d.Registers > a.RegistersPerThread
		if !e.PerThread {
			e.Asked, e.Allowed = blockRegisters(a, d.Registers, warpsOf(d.Threads)), a.RegistersPerBlock
		}
	case Threads:
		e.Asked, e.Allowed = d.Threads, a.ThreadsPerBlock
	case Barriers:
		e.Asked, e.Allowed = d.Barriers, hardware.BarriersPerBlock
	}
	return e
}

// errInvalid is the error about a demand that makes no sense on any GPU.
var errInvalid = errors.New("there must be at least")

func invalid(d Demand) error {
	of := func(n int, what string, least int) error {
		return fmt.Errorf("%d %s; %w %d", n, what, errInvalid, least)
	}
	switch {
	case d.Threads <= 0:
		return of(d.Threads, "threads in a thread block", 1)
	case d.Registers < 0:
		return of(d.Registers, "registers per thread", 0)
	case d.Shared < 0:
		return of(d.Shared, "bytes of shared memory", 0)
	}
	return of(d.Barriers, "barriers", 0)
}

func isInvalid(err error) bool { return errors.Is(err, errInvalid) }
