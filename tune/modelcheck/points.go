package modelcheck

import (
	"bytes"
	"fmt"
)

// Points writes a line for each configuration that ran, with tabs between its columns:
// what another program needs to look for a mechanism that is missing. The first line names
// the columns.
func (r Report) Points(out *bytes.Buffer) {
	fmt.Fprint(out, "kernel\tgpu\tconfiguration\tmeasured ms\tpredicted ms\tregisters\tshared bytes\tthread blocks per SM\tinstructions\twavefronts\tL2 read\tL2 written\tDRAM\n")
	for _, k := range r.Kernels {
		for i := range k.points {
			p := &k.points[i]
			if !p.compared() {
				continue
			}
			c := p.predicted.Counts
			fmt.Fprintf(out, "%s\t%s\t%s\t%g\t%g\t%d\t%d\t%d\t%g\t%g\t%g\t%g\t%g\n", k.Kernel, k.GPU, p.variant.Configuration(), p.measured,
				p.predicted.Milliseconds, p.predicted.Registers, p.predicted.Shared, p.predicted.Static.Blocks,
				c.Instructions, c.Wavefronts, c.L2Read, c.L2Write, c.DRAM)
		}
	}
}
