package modelcheck

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report/plot"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/record"
)

func (r Report) Text(out *bytes.Buffer) {
	if len(r.Kernels) == 0 {
		return
	}
	t := prose.Table{Rows: [][]string{{"kernel", "on", "configurations", "ran", "predicted", "rho", "tau", "by occupancy", "first", "of 3", "of 10", "random"}}}
	for _, k := range r.Kernels {
		row := []string{prose.Printable(k.Kernel), k.GPU, number(k.Configurations), number(k.Ran), number(k.Predicted),
			fidelity.Figure(k.Spearman), fidelity.Figure(k.Kendall), fidelity.Figure(k.Occupancy), "-", "-", "-", "-"}
		if r := k.Regret; r != nil {
			row = append(row[:8], percent(r.First), percent(r.Three), percent(r.Ten), percent(r.Random))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Print(out)
	for _, k := range r.Kernels {
		k.text(out)
	}
}

func (k Kernel) text(out *bytes.Buffer) {
	fmt.Fprintf(out, "\n%s on %s\n", prose.Printable(k.Kernel), k.GPU)
	if k.Regret != nil {
		fmt.Fprintf(out, "  model's first  %s\n  fastest        %s\n", prose.Printable(k.Regret.Chosen), prose.Printable(k.Regret.Best))
	}
	for _, u := range k.Unpredicted {
		fmt.Fprintf(out, "  not predicted  %d: %s\n", u.Count, prose.Printable(u.Why))
	}
	if k.Recorded < k.Predicted {
		fmt.Fprintf(out, "  registers of %d configurations are estimates\n", k.Predicted-k.Recorded)
	}
	if len(k.Changes) > 0 {
		t := prose.Table{Indent: 2, Rows: [][]string{{"one step more of", "pairs", "right", "wrong", "no difference", "larger is faster"}}}
		for _, c := range k.Changes {
			if c.Pairs == 0 {
				continue
			}
			n := float64(c.Pairs)
			t.Rows = append(t.Rows, []string{prose.Printable(c.Of), number(c.Pairs), percent(float64(c.Right) / n), percent(float64(c.Wrong) / n),
				percent(float64(c.Pairs-c.Right-c.Wrong) / n), percent(float64(c.Faster) / n)})
		}
		t.Print(out)
	}
	if len(k.Efforts) > 0 {
		t := prose.Table{Indent: 2, Rows: [][]string{{"measured until one is within", "5 %", "1 %"}}}
		for _, e := range k.Efforts {
			t.Rows = append(t.Rows, []string{"by " + e.By, effort(e.Five), effort(e.One)})
		}
		t.Print(out)
	}
	k.Residency.text(out)
	if len(k.Counters) > 0 {
		t := prose.Table{Indent: 2, Rows: [][]string{{"counter", "configurations", "predicted/counted", "median error", "nine in ten", "on one side only"}}}
		for _, c := range k.Counters {
			t.Rows = append(t.Rows, []string{c.Of, number(c.Configurations), fmt.Sprintf("%.2f", c.Ratio), percent(c.Median), percent(c.Ninety), number(c.Absent)})
		}
		t.Print(out)
	}
}

func (r Residency) text(out *bytes.Buffer) {
	if r.Active > 0 {
		fmt.Fprintf(out, "  warps active   %.0f %% of what the occupancy allows at the median; more than it in %d of %d, and in %d more by warps that end before their block\n", 100*r.Full, r.Over, r.Active, r.Early)
	}
	fmt.Fprintf(out, "  ran            %d; of %d not one thread block fits by recorded registers, of %d by estimated ones\n", r.Ran, r.Denied, r.Guessed)
	if r.Failed > 0 {
		why := lists.Map(r.Explained, func(e Reason) string { return fmt.Sprintf("%d for want of %s", e.Count, e.Why) })
		if r.Possible > 0 {
			why = append(why, fmt.Sprintf("%d if they take too many registers, which are not known", r.Possible))
		}
		why = append(why, fmt.Sprintf("%d for no known reason", r.Unknown))
		fmt.Fprintf(out, "  failed         %d: %s\n", r.Failed, strings.Join(why, ", "))
	}
	for _, e := range r.Examples {
		fmt.Fprintf(out, "  contradiction  %s\n", prose.Printable(e))
	}
}

func effort(n int) string {
	if n == 0 {
		return fmt.Sprintf("> %d", MostEffort)
	}
	return number(n)
}

func number(n int) string { return fmt.Sprint(n) }

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// SVG draws measured over predicted times, a chart for each kernel and GPU, with another colour for those with shared arrays. Of a
// model that is right up to a factor all dots are on a line in parallel to the diagonal.
func (r Report) SVG() []byte {
	var clouds []plot.Cloud
	for _, k := range r.Kernels {
		c := plot.Cloud{Title: fmt.Sprintf("%s on %s", k.Kernel, k.GPU), XLabel: "predicted, ms", YLabel: "measured, ms"}
		with, without := plot.Dots{Name: "with shared memory"}, plot.Dots{Name: "without"}
		k.Each(func(_ record.Configuration, measured float64, p *Prediction) {
			to := &without
			if p.Shared > 0 {
				to = &with
			}
			to.X, to.Y = append(to.X, p.Milliseconds), append(to.Y, measured)
		})
		for _, d := range []plot.Dots{with, without} {
			if len(d.X) > 0 {
				c.Dots = append(c.Dots, d)
			}
		}
		clouds = append(clouds, c)
	}
	return plot.Clouds("Predicted and measured times", clouds)
}
