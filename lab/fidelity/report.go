package fidelity

import (
	"fmt"
	"io"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// Set is ten benchmarks from somewhere, named as in Table 1.
type Set struct {
	Title   string
	Kernels []*workload.Kernel
}

// WriteMarkdown writes the tables and correlations as Markdown; extra sets of the
// ten benchmarks get a table each.
func WriteMarkdown(w io.Writer, opt sim.Options, extra ...Set) error {
	proportions, err := Proportions()
	if err != nil {
		return err
	}
	counted, err := Kernels()
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := writeTrials(&b, opt); err != nil {
		return err
	}
	if err := writePACT12(&b, "kernels that are nothing but the paper's proportions", proportions, opt); err != nil {
		return err
	}
	if err := writePACT12(&b, "the programs in examples/, counted by hand", counted, opt); err != nil {
		return err
	}
	for _, e := range extra {
		if err := writePACT12(&b, e.Title, e.Kernels, opt); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func writeTrials(b *strings.Builder, opt sim.Options) error {
	for _, blocks := range []int{TrialBlocks, 0} {
		cells, err := Trials(blocks, opt)
		if err != nil {
			return err
		}
		grid := fmt.Sprintf("a grid of %d thread blocks", blocks)
		if blocks == 0 {
			grid = "a large grid"
		}
		fmt.Fprintf(b, "### Trials, GTX480 with 16 kB, %s\n\nSpeed-up over the original: measured / simulated.\n\n|", grid)
		for _, c := range columns {
			fmt.Fprintf(b, " | %s", c.name)
		}
		fmt.Fprintf(b, " |\n|---%s|\n", strings.Repeat("|---", len(columns)))
		writeCells(b, cells)
		c := Correlate(cells)
		fmt.Fprintf(b, "\nRank correlation over %d cells: Kendall %.2f, Spearman %.2f; Kendall within kernels %.2f.\n\n", c.Cells, c.Kendall, c.Spearman, c.Within)
	}
	return nil
}

func writeCells(b *strings.Builder, cells []Cell) {
	at := map[[2]string]Cell{}
	for _, c := range cells {
		at[[2]string{c.Kernel, c.Variant}] = c
	}
	for _, k := range trials {
		fmt.Fprintf(b, "| %s", k.name)
		for _, col := range columns {
			if c, ok := at[[2]string{k.name, col.name}]; ok {
				fmt.Fprintf(b, " | %.2f / %.2f", c.Measured, c.Simulated)
			} else {
				b.WriteString(" | -")
			}
		}
		b.WriteString(" |\n")
	}
}

func writePACT12(b *strings.Builder, title string, kernels []*workload.Kernel, opt sim.Options) error {
	rows, err := PACT12(kernels, opt)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "### PACT'12, %s\n\n", title)
	fmt.Fprint(b, "Geometric means of the speed-up over the original.\n\n| GPU | policy | paper | simulated | range |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		paper := "-"
		if r.Paper > 0 {
			paper = fmt.Sprintf("%.2f", r.Paper)
		}
		low, high := extremes(r.Each)
		fmt.Fprintf(b, "| %s | %s | %s | %.2f | %s %.2f … %s %.2f |\n", r.GPU, r.Policy, paper, r.Simulated, low.Kernel, low.Speedup, high.Kernel, high.Speedup)
	}
	var cells []Cell
	for _, r := range rows {
		if r.Paper > 0 {
			cells = append(cells, Cell{r.GPU, r.Policy, r.Paper, r.Simulated})
		}
	}
	c := Correlate(cells)
	fmt.Fprintf(b, "\nRank correlation over %d averages: Kendall %.2f, Spearman %.2f; Kendall within GPUs %.2f.\n", c.Cells, c.Kendall, c.Spearman, c.Within)
	return writeShares(b, kernels)
}

func writeShares(b *strings.Builder, kernels []*workload.Kernel) error {
	g, err := gpu.Lookup("gtx480@16")
	if err != nil {
		return err
	}
	mean, each, err := RegionShare(g, kernels)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\nShare of a lone thread block's life in regions, %s: geometric mean %.1f %% (paper 25.6 %%);", g.Name, 100*mean)
	for i, r := range each {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %s %.0f %%", r.Kernel, 100*r.Speedup)
	}
	b.WriteString(".\n\n")
	return nil
}

func extremes(each []Ratio) (low, high Ratio) {
	for i, r := range each {
		if i == 0 || r.Speedup < low.Speedup {
			low = r
		}
		if i == 0 || r.Speedup > high.Speedup {
			high = r
		}
	}
	return low, high
}
