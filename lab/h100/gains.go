package h100

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/smux-cuda/smux/rewrite/variant"
)

// rewriterOf returns the rewriter of a form's name, which is the longest that it begins with, or
// "" of caps and carve-outs of the original.
func rewriterOf(form string) string {
	name := ""
	for _, r := range variant.Rewriters {
		if strings.HasPrefix(form, r.Name) && len(r.Name) > len(name) {
			name = r.Name
		}
	}
	return name
}

// best returns the logarithms of the greatest ratio of each kernel that has a form of which is says
// yes; with original, 1 counts as a form of each kernel.
func best(all []*measured, original bool, is func(form string) bool) (logs []float64) {
	for _, m := range all {
		most := 0.0
		if original {
			most = 1
		}
		for form, ratio := range m.ratios {
			if is(form) {
				most = max(most, ratio)
			}
		}
		if most > 0 {
			logs = append(logs, math.Log(most))
		}
	}
	return logs
}

// printGains prints a table of what the best form of each rewriter gained over the original.
func printGains(all []*measured, out io.Writer) error {
	fmt.Fprint(out, "| rewrite | kernels | faster by 2 % | slower by 2 % | geometric mean | least | most |\n|---|---:|---:|---:|---:|---:|---:|\n")
	row := func(name string, logs []float64) {
		faster, slower, least, most := 0, 0, math.Inf(1), math.Inf(-1)
		for _, l := range logs {
			if l >= math.Log(1.02) {
				faster++
			}
			if l <= math.Log(0.98) {
				slower++
			}
			least, most = min(least, l), max(most, l)
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d | %.2f | %.2f | %.2f |\n", name, len(logs), faster, slower, math.Exp(mean(logs)), math.Exp(least), math.Exp(most))
	}
	for _, r := range variant.Rewriters {
		if logs := best(all, false, func(form string) bool { return rewriterOf(form) == r.Name }); len(logs) > 0 {
			row(r.Name, logs)
		}
	}
	row("caps and carve-outs", best(all, false, func(form string) bool { return rewriterOf(form) == "" && form != "original" }))
	_, err := fmt.Fprintf(out, "\nThe best of all forms, the original among them: %.3f on average. Without stage: %.3f.\n",
		math.Exp(mean(best(all, true, func(string) bool { return true }))),
		math.Exp(mean(best(all, true, func(form string) bool { return rewriterOf(form) != variant.Stage }))))
	return err
}

// printErrors prints how the measured gains of each rewriter compare with the predicted ones.
func printErrors(off map[string][]float64, out io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(off)) {
		q := off[name]
		slices.Sort(q)
		at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, q, nil) }
		if _, err := fmt.Fprintf(out, "%s %d %.2f %.2f %.2f %.2f %.2f\n", name, len(q), q[0], at(0.1), at(0.5), at(0.9), q[len(q)-1]); err != nil {
			return err
		}
	}
	return nil
}
