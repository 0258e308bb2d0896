package footprint

import (
	"fmt"
	"io"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
)

// write writes a table of counts with a column for each, and one of the kernels that were
// offered, with the rewrite of most use where several are.
func write(w io.Writer, gpus []*gpu.GPU, counts []*count) error {
	var head, rule strings.Builder
	for _, n := range counts {
		fmt.Fprintf(&head, " %s, %s |", n.folder, n.way)
		rule.WriteString("---:|")
	}
	fmt.Fprintf(w, "| |%s\n|---|%s\n", head.String(), rule.String())
	row := func(name string, of func(*count) int) {
		var cells strings.Builder
		for _, n := range counts {
			fmt.Fprintf(&cells, " %d |", of(n))
		}
		fmt.Fprintf(w, "| %s |%s\n", name, cells.String())
	}
	row("kernels", func(n *count) int { return n.kernels })
	row("with shared variables, for overlay two", func(n *count) int { return n.shared })
	row("offered", func(n *count) int { return len(n.offers) })
	row("bytes saved, all together", func(n *count) (bytes int) {
		for _, o := range n.offers {
			bytes += o.before - o.after
		}
		return bytes
	})
	for i, g := range gpus {
		row("kernels with more thread blocks per SM: "+g.String(), func(n *count) (more int) {
			for _, o := range n.offers {
				if i < len(o.blocks) && o.blocks[i].after > o.blocks[i].before {
					more++
				}
			}
			return more
		})
	}
	for _, code := range sortedCodes(counts) {
		row(code, func(n *count) int { return n.refused[code] })
	}
	fmt.Fprint(w, "\n| kernel | rewrite | shared bytes |")
	for _, g := range gpus {
		fmt.Fprintf(w, " %s |", g)
	}
	fmt.Fprintf(w, "\n|---|---|---|%s\n", strings.Repeat("---|", len(gpus)))
	for _, n := range counts {
		for _, o := range n.offers {
			fmt.Fprintf(w, "| %s, %s | %s | %d -> %d |", n.folder, o.name, n.way, o.before, o.after)
			for i := range gpus {
				if i < len(o.blocks) {
					fmt.Fprintf(w, " %d -> %d |", o.blocks[i].before, o.blocks[i].after)
				} else {
					fmt.Fprint(w, " not known |")
				}
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}
