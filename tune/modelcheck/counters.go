package modelcheck

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/tune/judge"
)

// CounterError is the distance of the model's counts from the hardware's.
type CounterError struct {
	Of       string   `json:"of"`       // what is counted
	Counters []string `json:"counters"` // whose sum it is
	// Configurations are those that both count at all.
	Configurations int `json:"configurations"`
	// Ratio is the median of predicted over counted; half and nine in ten errors stay below Median and Ninety (0.1: factor 1.1).
	Ratio  float64 `json:"ratio"`
	Median float64 `json:"median"`
	Ninety float64 `json:"ninety"`
	// Absent are configurations of which one side counts something, and the other nothing.
	Absent int `json:"absent"`
}

// counted lists what the model and the hardware both count.
var counted = []struct {
	of       string
	counters []string
	model    func(Counts) float64
}{
	{"instructions of warps", []string{"smsp__inst_executed.sum"}, func(c Counts) float64 { return c.Instructions }},
	{"shared wavefronts", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}, func(c Counts) float64 { return c.Wavefronts }},
	{"L2 sectors read", []string{"lts__t_sectors_op_read.sum"}, func(c Counts) float64 { return c.L2Read }},
	{"L2 sectors written", []string{"lts__t_sectors_op_write.sum"}, func(c Counts) float64 { return c.L2Write }},
	{"DRAM sectors", []string{"dram__sectors_read.sum", "dram__sectors_write.sum"}, func(c Counts) float64 { return c.DRAM }},
}

// counters compares what is counted; none where the record has no counters.
func counters(of []*point) []CounterError {
	out := []CounterError{}
	for _, c := range counted {
		e := CounterError{Of: c.of, Counters: c.counters}
		var errors, ratios []float64
		for _, p := range of {
			hardware, has := 0.0, true
			for _, name := range c.counters {
				n, ok := p.counters[name]
				hardware, has = hardware+n, has && ok
			}
			model := c.model(p.predicted.Counts)
			switch {
			case !has || hardware == 0 && model == 0:
			case hardware == 0 || model == 0:
				e.Absent++
			default:
				e.Configurations++
				ratios = append(ratios, model/hardware)
				errors = append(errors, math.Exp(math.Abs(math.Log(model/hardware)))-1)
			}
		}
		if e.Configurations > 0 {
			slices.Sort(errors)
			e.Ratio, e.Median, e.Ninety = judge.Median(ratios), judge.Median(errors), errors[(len(errors)-1)*9/10]
		}
		if e.Configurations > 0 || e.Absent > 0 {
			out = append(out, e)
		}
	}
	return out
}
