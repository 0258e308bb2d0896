package space

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
)

// Schema is the version of the report's JSON. It grows when a field changes its meaning or is removed.
const Schema = 1

// Report is the document that `smux acc --report --json` prints.
type Report struct {
	Schema  int      `json:"schema"`
	Kernels []Kernel `json:"kernels"`
}

// Kernel reports on a nest of loops.
type Kernel struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"` // of the outermost loop
	Loops    []string      `json:"loops"`    // the counters, that of the outermost first
	Trips    []int64       `json:"trips"`    // the iterations of each loop
	Known    bool          `json:"known"`    // the program tells trips; else they follow from assumptions
	// Assumptions are sentences about what had to be guessed.
	Assumptions []string `json:"assumptions,omitempty"`
	// Kept tells why nothing is chosen, "" where the model has chosen.
	Kept string `json:"kept,omitempty"`
	GPUs []GPU  `json:"gpus"`
}

// GPU is the design space of a kernel on one GPU.
type GPU struct {
	Name string `json:"gpu"`
	Rows []Row  `json:"rows"` // the fastest first, then those that can't run
}

// Row is a point of the design space.
type Row struct {
	Block  []int    `json:"block"`            // the extents of the thread block
	Along  []string `json:"along"`            // the counters of the loops in these dimensions
	Scheme string   `json:"scheme,omitempty"` // what is staged in shared memory, and how; "" for nothing
	// Impossible tells why no thread block of it can run; then all below is 0.
	Impossible string `json:"impossible,omitempty"`

	// Grid is the largest number of thread blocks where a reduction combines them; 0 for what acc takes by itself.
	Grid int `json:"grid,omitempty"`

	Registers int              `json:"registers"` // per thread, an estimate
	Shared    int              `json:"shared"`    // bytes of a thread block
	Blocks    int              `json:"blocksPerSM"`
	Limiters  occupancy.Limits `json:"limiters"`
	Occupancy float64          `json:"occupancy"` // from 0 to 1
	// Comp, Mem and the hit rates are those of the closed form, times in microseconds.
	Comp  float64 `json:"comp"`  // T_comp: issuing, and waiting for results
	Mem   float64 `json:"mem"`   // T_mem: moving bytes
	L1Hit float64 `json:"l1Hit"` // part of the loaded bytes that the L1 has, from 0 to 1
	L2Hit float64 `json:"l2Hit"` // part that the L2 has, of what the L1 has not
	Time  float64 `json:"time"`  // by the simulation, in microseconds

	Default bool `json:"default,omitempty"` // what is written where no GPU is named
	Chosen  bool `json:"chosen,omitempty"`  // what is written here
}

// mostShown is the number of fastest rows of a GPU that are printed for people.
const mostShown = 6

// Text prints the report for people: per kernel and GPU a table.
func (r Report) Text(out *bytes.Buffer) {
	for i, k := range r.Kernels {
		if i > 0 {
			out.WriteByte('\n')
		}
		k.text(out)
	}
	if len(r.Kernels) == 0 {
		out.WriteString("no nest of loops has threads\n")
	}
}

func (k Kernel) text(out *bytes.Buffer) {
	var loops []string
	for i, l := range k.Loops {
		loops = append(loops, fmt.Sprintf("%s (%d)", l, k.Trips[i]))
	}
	fmt.Fprintf(out, "%s: kernel %s: loops %s\n", k.Position, k.Name, strings.Join(loops, ", "))
	for _, g := range k.GPUs {
		t := prose.Table{Indent: 2}
		t.Row(g.Name, "along", "scheme", "shared", "registers", "thread blocks", "limited by", "occupancy", "T_comp", "T_mem", "L1 hit", "L2 hit", "predicted", "")
		left := 0
		for i, row := range g.Rows {
			if i >= mostShown && !row.Chosen && !row.Default {
				left++
				continue
			}
			t.Rows = append(t.Rows, row.cells())
		}
		t.Print(out)
		if left > 0 {
			fmt.Fprintf(out, "  and %d more, which --json has\n", left)
		}
	}
	if k.Kept != "" {
		fmt.Fprintf(out, "  kept as it is: %s\n", k.Kept)
	}
	for _, a := range k.Assumptions {
		fmt.Fprintf(out, "  assumed: %s\n", a)
	}
}

func (r Row) cells() []string {
	var marks []string
	if r.Chosen {
		marks = append(marks, "<- chosen")
	}
	if r.Default && !r.Chosen {
		marks = append(marks, "default")
	}
	shape, scheme := acc.Mapping{Block: r.Block, Blocks: r.Grid}.Shape(), cmp.Or(r.Scheme, "-")
	if r.Impossible != "" {
		return []string{shape, strings.Join(r.Along, ", "), scheme, "can't run: " + r.Impossible}
	}
	percent := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	return []string{shape, strings.Join(r.Along, ", "), scheme, prose.Bytes(r.Shared), fmt.Sprintf("%d est.", r.Registers), fmt.Sprint(r.Blocks), r.Limiters.String(),
		percent(r.Occupancy), micros(r.Comp), micros(r.Mem), percent(r.L1Hit), percent(r.L2Hit), micros(r.Time), strings.Join(marks, " ")}
}

// micros spells microseconds with three digits.
func micros(t float64) string {
	switch {
	case t >= 1e5:
		return fmt.Sprintf("%.0f ms", t/1e3)
	case t >= 1e3:
		return fmt.Sprintf("%.3g ms", t/1e3)
	}
	return fmt.Sprintf("%.3g us", t)
}

// sorted puts the fastest rows first, and those that can't run last.
func sorted(rows []Row) {
	time := func(r Row) float64 {
		if r.Impossible != "" {
			return math.Inf(1)
		}
		return r.Time
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(time(a), time(b)) })
}
