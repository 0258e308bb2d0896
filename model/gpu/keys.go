package gpu

import (
	"fmt"
	"math"
	"strings"

	"github.com/smux-cuda/smux/model/hardware"
)

// key is one key of a table of gpus.toml: its name, where its value goes, and what values make sense.
type key[T any] struct {
	name        string
	at          func(*T) any // *int, *float64, *string, *bool, *[]int or *[]string
	optional    bool
	unit        int     // whole numbers are multiplied by this; 0 is 1
	least, most float64 // of numbers, as written in the file
}

// archKeys are the keys of [arch."8.0"].
var archKeys = []key[Arch]{
	{name: "name", at: func(a *Arch) any { return &a.Name }},
	{name: "board", at: func(a *Arch) any { return &a.Board }, optional: true},
	{name: "threads_per_block", at: func(a *Arch) any { return &a.ThreadsPerBlock }, least: hardware.WarpSize, most: 65536},
	{name: "threads_per_sm", at: func(a *Arch) any { return &a.ThreadsPerSM }, least: hardware.WarpSize, most: 65536},
	{name: "blocks_per_sm", at: func(a *Arch) any { return &a.BlocksPerSM }, least: 1, most: 1024},
	{name: "registers_per_sm", at: func(a *Arch) any { return &a.RegistersPerSM }, least: 1024, most: 1 << 24},
	{name: "registers_per_block", at: func(a *Arch) any { return &a.RegistersPerBlock }, least: 1024, most: 1 << 24},
	{name: "registers_per_thread", at: func(a *Arch) any { return &a.RegistersPerThread }, least: 16, most: 4096},
	{name: "register_granularity", at: func(a *Arch) any { return &a.RegisterGranularity }, least: 1, most: 65536},
	{name: "registers_by_block", at: func(a *Arch) any { return &a.RegistersByBlock }, optional: true},
	{name: "warp_granularity", at: func(a *Arch) any { return &a.WarpGranularity }, optional: true, least: 1, most: 32},
	{name: "sub_partitions", at: func(a *Arch) any { return &a.SubPartitions }, least: 1, most: 32},
	{name: "launch_partitions", at: func(a *Arch) any { return &a.LaunchPartitions }, optional: true, least: 1, most: 32},
	{name: "shared_per_block_kib", at: func(a *Arch) any { return &a.SharedPerBlock }, unit: 1024, least: 1, most: 65536},
	{name: "shared_per_block_optin_kib", at: func(a *Arch) any { return &a.SharedPerBlockOptin }, unit: 1024, least: 1, most: 65536},
	{name: "shared_reserved_kib", at: func(a *Arch) any { return &a.SharedReserved }, optional: true, unit: 1024, most: 64},
	{name: "shared_granularity", at: func(a *Arch) any { return &a.SharedGranularity }, least: 1, most: 65536},
	{name: "carveouts_kib", at: func(a *Arch) any { return &a.Carveouts }, unit: 1024, most: 65536},
	{name: "unified_kib", at: func(a *Arch) any { return &a.UnifiedBytes }, optional: true, unit: 1024, most: 65536},
	{name: "issue_per_cycle", at: func(a *Arch) any { return &a.IssuePerCycle }, least: 1.0 / 64, most: 64},
	{name: "dependent_issue", at: func(a *Arch) any { return &a.DependentIssue }, least: 1, most: 1000},
	{name: "shared_per_cycle", at: func(a *Arch) any { return &a.SharedPerCycle }, least: 1.0 / 64, most: 64},
	{name: "shared_latency", at: func(a *Arch) any { return &a.SharedLatency }, least: 1, most: 10000},
	{name: "l1_latency", at: func(a *Arch) any { return &a.L1Latency }, optional: true, most: 10000},
	{name: "l2_latency", at: func(a *Arch) any { return &a.L2Latency }, most: 100000},
	{name: "memory_latency", at: func(a *Arch) any { return &a.MemoryLatency }, least: 1, most: 100000},
	{name: "barrier_latency", at: func(a *Arch) any { return &a.BarrierLatency }, optional: true, most: 10000},
	{name: "barrier_arrival", at: func(a *Arch) any { return &a.BarrierArrival }, optional: true, most: 1000},
	{name: "lock_latency", at: func(a *Arch) any { return &a.LockLatency }, optional: true, most: 100000},
	{name: "block_interval", at: func(a *Arch) any { return &a.BlockInterval }, optional: true, most: 1000},
	{name: "estimates", at: func(a *Arch) any { return &a.Estimates }, optional: true},
	{name: "unchecked", at: func(a *Arch) any { return &a.Unchecked }, optional: true},
	{name: "source", at: func(a *Arch) any { return &a.Source }},
	{name: "time_source", at: func(a *Arch) any { return &a.TimeSource }},
}

// boardKeys are the keys of [gpu.a100], but for cc and arch, which choose the architecture.
var boardKeys = []key[GPU]{
	{name: "product", at: func(g *GPU) any { return &g.Product }},
	{name: "aliases", at: func(g *GPU) any { return &g.Aliases }, optional: true},
	{name: "sms", at: func(g *GPU) any { return &g.SMs }, least: 1, most: 10000},
	{name: "clock_mhz", at: func(g *GPU) any { return &g.ClockMHz }, least: 10, most: 100000},
	{name: "bandwidth_gbs", at: func(g *GPU) any { return &g.Bandwidth }, least: 0.1, most: 1e6},
	{name: "sustained_gbs", at: func(g *GPU) any { return &g.Sustained }, optional: true, most: 1e6},
	{name: "partial_stores", at: func(g *GPU) any { return &g.PartialStores }, optional: true, most: 1e6},
	{name: "l2_bandwidth_gbs", at: func(g *GPU) any { return &g.L2Bandwidth }, most: 1e7},
	{name: "l2_kib", at: func(g *GPU) any { return &g.L2Bytes }, unit: 1024, most: 1 << 24},
	{name: "memory_mib", at: func(g *GPU) any { return &g.MemoryBytes }, unit: 1 << 20, least: 1, most: 1 << 24},
	{name: "carveout_kib", at: func(g *GPU) any { return &g.Carveout }, optional: true, unit: 1024, least: 1, most: 65536},
	{name: "estimates", at: func(g *GPU) any { return &g.Estimates }, optional: true},
	{name: "unchecked", at: func(g *GPU) any { return &g.Unchecked }, optional: true},
	{name: "source", at: func(g *GPU) any { return &g.Source }},
}

// assign stores the TOML value v, or reports what is wrong with it.
func (k key[T]) assign(to *T, v any) error {
	switch p := k.at(to).(type) {
	case *string:
		return text(p, v)
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, not %s", kindOf(v))
		}
		*p = b
	case *int:
		return k.whole(p, v)
	case *float64:
		n, ok := number(v)
		if !ok {
			return fmt.Errorf("must be a number, not %s", kindOf(v))
		}
		*p = n
		return k.inRange(n)
	case *[]int:
		return list(p, v, k.whole)
	case *[]string:
		return list(p, v, text)
	}
	return nil
}

// whole stores a whole number in the key's unit.
func (k key[T]) whole(p *int, v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("must be a whole number, not %s", kindOf(v))
	}
	if err := k.inRange(float64(n)); err != nil {
		return err
	}
	*p = int(n) * max(1, k.unit)
	return nil
}

func (k key[T]) inRange(n float64) error {
	if n >= k.least && n <= k.most { // false for NaN
		return nil
	}
	return fmt.Errorf("must be from %v to %v, not %v", round(k.least), round(k.most), n)
}

// round leaves as many digits as a message needs.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func text(p *string, v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("must be text in quotes, not %s", kindOf(v))
	}
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("must not be empty")
	}
	*p = s
	return nil
}

func list[T any](p *[]T, v any, one func(*T, any) error) error {
	values, ok := v.([]any)
	if !ok {
		return fmt.Errorf("must be a list in [ ], not %s", kindOf(v))
	}
	out := make([]T, len(values))
	for i, v := range values {
		if err := one(&out[i], v); err != nil {
			return fmt.Errorf("element %d %w", i+1, err)
		}
	}
	*p = out
	return nil
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// kindOf names a TOML value's type for a message.
func kindOf(v any) string {
	switch v.(type) {
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case string:
		return "text"
	case bool:
		return "true or false"
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return "a date"
}
