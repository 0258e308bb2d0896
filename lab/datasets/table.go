package datasets

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/space"
)

// The goal of a search.
const (
	most   = 1.0 / 3 // of the measurements
	within = 2.0     // percent of the best
)

// unseenFrom is the first of the seeds that nothing was tuned on.
const unseenFrom = 100000

// strategy is a strategy under a name.
type strategy struct {
	name string
	of   func(forms int) search.Strategy
}

// strategies are those that are compared.
var strategies = []strategy{
	{"guided, looks", func(int) search.Strategy { return search.Guided{Looks: true} }},
	{"guided", func(int) search.Strategy { return search.Guided{} }},
	{"random, a third", func(n int) search.Strategy { return limited(search.Random{Seed: 1}, n/3) }},
}

// tally holds the results of a strategy on some sets.
type tally struct {
	sets, good          int
	share, forms, worst float64 // share and forms are sums
	losses              []float64
}

func (t *tally) add(o Outcome) {
	t.sets++
	t.share += o.Share
	t.forms += float64(o.Forms) / float64(o.AllForms)
	t.losses = append(t.losses, o.Loss)
	if good(o) {
		t.good++
	}
}

// good reports whether a search reached the goal.
func good(o Outcome) bool { return o.Loss <= within && o.Share <= most+1e-9 }

// row is a line of the table.
func (t *tally) row(w io.Writer, on, name string) {
	slices.Sort(t.losses)
	n := float64(t.sets)
	fmt.Fprintf(w, "%s\t%s\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.2f %%\t%.1f %%\n", on, name, t.sets, 100*float64(t.good)/n,
		100*t.share/n, 100*t.forms/n, sum(t.losses)/n, t.losses[len(t.losses)-1])
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// tabulate replays the strategies on the records, on what the same forms give if
// the model errs more or less, and on as many unseen seeds as are asked for.
func tabulate(w io.Writer, seeds int) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "record\tstrategy\tsets\tgoal reached\tmeasurements\tforms\tmean loss\tworst loss")
	var all []kernel
	for _, board := range boards {
		_, kernels, err := read(filepath.Join(folder, fileOf(board)))
		if err != nil {
			return err
		}
		all = append(all, kernels...)
	}
	for _, off := range modelErrors {
		if err := compare(t, fmt.Sprintf("model error %.0f %%", 100*off), all, off, []uint64{seed}); err != nil {
			return err
		}
	}
	for _, off := range modelErrors {
		if seeds == 0 {
			break
		}
		var unseen []uint64
		for i := range seeds {
			unseen = append(unseen, uint64(unseenFrom+i))
		}
		if err := compare(t, fmt.Sprintf("%.0f %%, %d unseen seeds", 100*off, seeds), all, off, unseen); err != nil {
			return err
		}
	}
	return t.Flush()
}

// compare writes the rows of the strategies for one size of the model's error.
func compare(w io.Writer, on string, all []kernel, off float64, seeds []uint64) error {
	tallies := make([]tally, len(strategies))
	for _, s := range seeds {
		for _, k := range all {
			sets, err := simulated(k, off, s)
			if err != nil {
				return err
			}
			for _, set := range sets {
				for i, st := range strategies {
					tallies[i].add(set.Replay(st.of(len(set.Items))))
				}
			}
		}
	}
	for i, st := range strategies {
		tallies[i].row(w, on, st.name)
	}
	return nil
}

func simulated(k kernel, off float64, seed uint64) ([]Set, error) {
	var lines []record.Line
	lines, err := simulate(k, off, seed)
	if err != nil {
		return nil, err
	}
	return Sets(lines, space.Traits), nil
}
