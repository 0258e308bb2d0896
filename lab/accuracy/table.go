package accuracy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// errors are the figures of a set of kernels.
type errors struct {
	kernels        int
	median, ninety float64 // of the registers that the estimate is off by
	relative       float64 // median of that over what nvcc gives
	relativeNinety float64
	bias           float64 // mean of the estimate less what nvcc gives
	biasMedian     float64
	limited        int // by registers, as nvcc reports
	falsely        int // limited as estimated only
	missed         int // limited as only nvcc reports
	same           int // as many thread blocks at once
}

func errorsOf(kernels []kernel) errors {
	e := errors{kernels: len(kernels)}
	if len(kernels) == 0 {
		return e
	}
	var off, relative, signed []float64
	sum := 0.0
	for _, k := range kernels {
		d := float64(k.off())
		signed = append(signed, d)
		off = append(off, math.Abs(d))
		relative = append(relative, math.Abs(d)/float64(k.nvcc))
		sum += d
		switch {
		case k.limited && !k.truly:
			e.falsely++
		case k.truly && !k.limited:
			e.missed++
		}
		if k.truly {
			e.limited++
		}
		if k.same {
			e.same++
		}
	}
	e.bias, e.biasMedian = sum/float64(len(kernels)), quantile(signed, 0.5)
	e.median, e.ninety = quantile(off, 0.5), quantile(off, 0.9)
	e.relative, e.relativeNinety = quantile(relative, 0.5), quantile(relative, 0.9)
	return e
}

// quantile is the smallest value that a share q of all do not exceed.
func quantile(values []float64, q float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[max(0, int(math.Ceil(q*float64(len(values))))-1)]
}

// table shows the figures of both parts.
func table(kernels []kernel) string {
	var parts [2][]kernel
	for _, k := range kernels {
		part := 0
		if k.heldOut() {
			part = 1
		}
		parts[part] = append(parts[part], k)
	}
	var b strings.Builder
	b.WriteString("| | kernels | off by, median | 90 % | relative, median | 90 % | bias, mean | median | limited by registers | falsely | missed | as many blocks |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for i, name := range [...]string{"looked at", "held out"} {
		e := errorsOf(parts[i])
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.0f | %.0f %% | %.0f %% | %+.1f | %+.0f | %d | %d | %d | %d |\n", name, e.kernels, e.median, e.ninety,
			100*e.relative, 100*e.relativeNinety, e.bias, e.biasMedian, e.limited, e.falsely, e.missed, e.same)
	}
	return b.String()
}
