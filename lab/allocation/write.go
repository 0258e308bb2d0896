// Package allocation compares, over the examples of stage, how much shared memory staging is given with how much
// it should be given (Xie et al., ICCAD, Figures 2 and 3), as Markdown:
//
//	go run ./lab/main.go allocation --gpu k40,a100
//
// --examples has it do so over any folder with programs, each in a folder of its own: what smux acc made of C, say. Kernels of
// which nothing can be staged have no row.
//
// What is copied and how much at a time is gone through in full, far beyond what smux looks at by itself. A form whose tile has one size is
// also given more shared memory than it needs, as much as leaves room for one thread block less on an SM, two less, and so on: the
// paper's second variable (§III.A), by which fewer blocks contend for the L2.
//
// The times are those of the simulation (model/sim), by which smux chooses, too. So that smux's choice is near the best
// tells that it looks at enough of the space and not that it is right; the pick of the closed form (model/timing), which is the paper's
// model, is judged by the simulation, and both by no GPU. Fewest transactions is what the paper compares with:
// the forms whose accesses to global memory ask for the fewest bytes. Which of several it takes is not said there: the table shows the smallest, and the
// summary has the smallest, the mean over all of them, and the largest, as much as fits.
package allocation

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
)

// minGain is the percentage from which on smux rewrites.
const minGain = 5

// Main is the program: it reads the flags and writes the tables to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := pflag.NewFlagSet("allocation", pflag.ExitOnError)
	boards := flags.StringSlice("gpu", []string{"k40", "gtx480@48", "t4", "a100", "h100", "rtx4090"}, "`names` of the GPUs")
	folder := flags.String("examples", filepath.Join("examples", "stage"), "`folder` of the programs, each in its own")
	var opt parser.Options
	flags.StringArrayVarP(&opt.Defines, "define", "D", nil, "define a macro of the programs, `NAME` or NAME=VALUE")
	flags.StringArrayVarP(&opt.IncludeDirs, "include", "I", nil, "add a `DIR` to search for #include")
	flags.BoolVar(&opt.Closed, "closed", false, "what no -D and no file defines is not defined: for texts that smux acc wrote with the same -D")
	flags.Parse(args)
	_, err := write(stdout, *folder, *boards, opt)
	return err
}

// write writes a table for each GPU, and one of all, whose rows it returns.
func write(w io.Writer, folder string, boards []string, opt parser.Options) (all []totals, err error) {
	groups, names, err := groupsIn(folder, opt)
	if err != nil {
		return nil, err
	}
	var summary strings.Builder
	for _, name := range boards {
		board, err := gpu.Lookup(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "**%s**: time over that of the original, by shared bytes of a thread block, and speed-ups.\n\n", name)
		fmt.Fprint(w, "| kernel | time by size | the best | closed form | smux | fewest transactions |\n|---|---|---|---|---|---|\n")
		var t totals
		for i, g := range groups {
			s, ok := sweepOf(g, board)
			if !ok {
				continue
			}
			best := s.best(func(f form) float64 { return f.simulated })
			picked, fewest := s.best(func(f form) float64 { return f.closed }), s.fewest()
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", names[i], s.curve(best), text(best), text(picked), text(s.choice), text(fewest[0]))
			t.add(names[i], best, picked, s.choice, fewest)
		}
		fmt.Fprintln(w)
		all = append(all, t)
		summary.WriteString(t.row(name))
	}
	fmt.Fprint(w, "| GPU | closed form: the best for | loses on average | at most | smux: the best for | loses on average | at most | smux over fewest transactions, the smallest | any | the largest | over naive |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	_, err = io.WriteString(w, summary.String())
	return all, err
}

// curve is the time over the allocated size of what the best form copies, Figure 2 of the paper.
func (s *sweep) curve(best form) string {
	var out []string
	for _, f := range s.forms {
		same := f.way
		same.Tile = best.way.Tile
		if same == best.way || f.way.Rewriter == "" {
			out = append(out, fmt.Sprintf("%s %.2f", prose.Bytes(f.bytes), 1/f.simulated))
		}
	}
	return strings.Join(out, ", ")
}

// text names a form with what it gains.
func text(f form) string {
	switch {
	case f.way.Rewriter == "":
		return fmt.Sprintf("as it is %.2f", f.simulated)
	case f.blocks > 0:
		return fmt.Sprintf("%s with %s %.2f", f.way, prose.Bytes(f.bytes), f.simulated)
	}
	return fmt.Sprintf("%s %.2f", f.way, f.simulated)
}

// loss is a pick against the best.
type loss struct {
	best       int
	sum, worst float64
	where      string
}

// tie is the difference that the simulation does not tell apart.
const tie = 0.005

func (l *loss) add(kernel string, best, picked form) {
	lost := best.simulated/picked.simulated - 1
	if lost < tie {
		l.best++
	}
	l.sum += lost
	if lost > l.worst {
		l.worst, l.where = lost, kernel
	}
}

// totals sums up a GPU.
type totals struct {
	n                        int
	closed, own              loss
	fewest, any, most, naive float64 // sums of logarithms
}

func (t *totals) add(kernel string, best, picked, own form, fewest []form) {
	t.n++
	t.closed.add(kernel, best, picked)
	t.own.add(kernel, best, own)
	over := func(f form) float64 { return math.Log(own.simulated / f.simulated) }
	t.fewest += over(fewest[0])
	t.most += over(fewest[len(fewest)-1])
	for _, f := range fewest {
		t.any += over(f) / float64(len(fewest))
	}
	t.naive += math.Log(own.simulated)
}

func (t *totals) row(gpu string) string {
	n := float64(max(1, t.n))
	cell := func(l loss) string {
		at := fmt.Sprintf("%.1f %%", 100*l.worst)
		if l.where != "" {
			at += " (" + l.where + ")"
		}
		return fmt.Sprintf("%d of %d | %.1f %% | %s", l.best, t.n, 100*l.sum/n, at)
	}
	return fmt.Sprintf("| %s | %s | %s | %.2f | %.2f | %.2f | %.2f |\n", gpu, cell(t.closed), cell(t.own), math.Exp(t.fewest/n), math.Exp(t.any/n), math.Exp(t.most/n), math.Exp(t.naive/n))
}
