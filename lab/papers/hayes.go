package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
)

// demoted is a row of Hayes and Zhang's Table 1 with what §5.1 has of the kernel: per
// thread and per thread block, on a GTX 680.
type demoted struct {
	name                       string
	registers, shared, threads int
	reduction, gained          float64 // of registers and of occupancy, per cent
	bytes                      int     // shared memory more, per thread block
}

var table1 = []demoted{
	{"heartwall", 38, 11872, 1024, 15.79, 100, 8192},
	{"hotspot", 36, 12288, 1024, 11.11, 100, 8192},
	{"image denoising", 44, 0, 768, 27.27, 97.37, 24576},
	{"particles", 50, 0, 768, 28, 35, 0},
	{"recursive Gaussian", 42, 0, 128, 23.81, 58.73, 2048},
}

// otherBlock is a block size in which the gain of particles comes out as listed.
const otherBlock = 128

// after returns the registers that a reduction leaves.
func (d demoted) after() int {
	return int(math.Round(float64(d.registers) * (1 - d.reduction/100)))
}

// gain returns how many per cent more warps an SM of g holds with other registers per thread,
// in blocks of some threads.
func (d demoted) gain(g *gpu.GPU, registers, threads int) (float64, error) {
	was, err := occupancy.Compute(g, occupancy.Demand{Threads: threads, Registers: d.registers, Shared: d.shared})
	if err != nil {
		return 0, err
	}
	is, err := occupancy.Compute(g, occupancy.Demand{Threads: threads, Registers: registers, Shared: d.shared})
	if err != nil {
		return 0, err
	}
	return 100 * (is.Occupancy/was.Occupancy - 1), nil
}

func writeTable1(out *strings.Builder) error {
	g, err := gpu.Lookup("gtx680")
	if err != nil {
		return err
	}
	out.WriteString("### Hayes and Zhang, Table 1, GTX 680\n\nPaper / by model/occupancy.\n\n" +
		"| | threads | registers | to reach more thread blocks | occupancy gained | in blocks of 128 | shared bytes more, and as words per thread |\n" +
		"|---|---:|---|---|---:|---:|---|\n")
	for _, d := range table1 {
		steps, flat := occupancy.RegisterSteps(g, occupancy.Demand{Threads: d.threads, Registers: d.registers, Shared: d.shared})
		if flat.Case != "" {
			return fmt.Errorf("%s: registers do not limit it", d.name)
		}
		step := steps[0]
		gained, err := d.gain(g, d.after(), d.threads)
		if err != nil {
			return err
		}
		other := "-" // its shared bytes are those of a larger block
		if d.shared == 0 {
			gained, err := d.gain(g, d.after(), otherBlock)
			if err != nil {
				return err
			}
			other = fmt.Sprintf("%.0f %%", gained)
		}
		fits := "fit"
		if !step.Demotable {
			fits = "do not fit"
		}
		fmt.Fprintf(out, "| %s | %d | %d → %d | %.2f %% / %.2f %% (%d registers) | %g %% / %.0f %% | %s | %d (%d) / %d (%d), which %s |\n",
			d.name, d.threads, d.registers, d.after(), d.reduction, 100*float64(step.Words)/float64(d.registers), step.Registers,
			d.gained, gained, other, d.bytes, d.bytes/(4*d.threads), step.WordBytes, step.Words, fits)
	}
	out.WriteByte('\n')
	return nil
}

// activeThreads is the paper's objective (§3): how many threads an SM holds when s of a
// thread's requested registers move to shared memory; all in words.
func activeThreads(registersTotal, sharedTotal, registers, shared, s, block int) int {
	threads := float64(registersTotal) / float64(registers-s)
	if shared+s > 0 {
		threads = min(threads, float64(sharedTotal)/float64(shared+s))
	}
	return int(threads/float64(block)) * block
}

// sweetPoint is the smallest s for which activeThreads is greatest.
func sweetPoint(registersTotal, sharedTotal, registers, shared, block int) (s, threads int) {
	for i := range registers {
		if n := activeThreads(registersTotal, sharedTotal, registers, shared, i, block); n > threads {
			s, threads = i, n
		}
	}
	return s, threads
}

func writeFigure3(out *strings.Builder) error {
	s, threads := sweetPoint(32<<10, 16<<10, 36, 0, 1)
	asIs := activeThreads(32<<10, 16<<10, 36, 0, 0, 1)
	fmt.Fprintf(out, "### Hayes and Zhang, Figure 3\n\n32k registers, 16k words of shared memory, 36 registers per thread, blocks of one thread: "+
		"without demotion %d threads are active, most are with %d of the 36 in shared memory, %d. "+
		"The text gives the setting and not the numbers of the curve.\n\n", asIs, s, threads)
	return nil
}

// writeFigure4 writes from which number of registers on particles has fewer thread blocks.
func writeFigure4(out *strings.Builder) error {
	g, err := gpu.Lookup("gtx680")
	if err != nil {
		return err
	}
	out.WriteString("### Hayes and Zhang, Figure 4, particles on a GTX 680\n\n" +
		"The paper: time jumps above 41 registers, because fewer threads are active, and is flat from 35 to 40.\n\n" +
		"| threads per block | warps per SM by registers per thread |\n|---:|---|\n")
	for _, threads := range []int{768, otherBlock} {
		var runs []string
		from, last := 32, -1
		for registers := from; registers <= 57; registers++ {
			warps := -1
			if registers <= 56 {
				r, err := occupancy.Compute(g, occupancy.Demand{Threads: threads, Registers: registers})
				if err != nil {
					return err
				}
				warps = r.Warps
			}
			if warps != last && last >= 0 {
				runs = append(runs, fmt.Sprintf("%d to %d: %d", from, registers-1, last))
				from = registers
			}
			last = warps
		}
		fmt.Fprintf(out, "| %d | %s |\n", threads, strings.Join(runs, "; "))
	}
	out.WriteByte('\n')
	return nil
}
