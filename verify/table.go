package verify

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
)

// WriteTable writes the verdict's rows as a table for a person: a line for each
// variant in which all is well, else for each of its orders, and a column for each check.
func (v *Verdict) WriteTable(out io.Writer) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "program\torder")
	for _, c := range Checks {
		fmt.Fprintf(table, "\t%s", c)
	}
	fmt.Fprintln(table)
	args := slices.ContainsFunc(v.Rows, func(r Row) bool { return argsText(r.Args) != argsText(v.Rows[0].Args) })
	variant := ""
	for _, line := range v.lines() {
		first := line[0]
		name := first.Variant
		if name == variant {
			name = "" // the name stands before the first of its lines alone
		}
		variant = first.Variant
		order := first.Order
		if args {
			order += " " + argsText(first.Args)
		}
		if n := v.Runs(first.Variant); n > 1 && v.well(first.Variant) {
			order = prose.Count(n, "run")
		}
		fmt.Fprintf(table, "%s\t%s", name, order)
		for _, c := range Checks {
			fmt.Fprintf(table, "\t%s", cell(line, c))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// lines groups the rows of one variant, argument list and order; all those of a variant in which all is well.
func (v *Verdict) lines() [][]Row {
	var out [][]Row
	for _, r := range v.Rows {
		if n := len(out); n > 0 {
			last := out[n-1][0]
			if last.Variant == r.Variant && (v.well(r.Variant) || last.Order == r.Order && argsText(last.Args) == argsText(r.Args)) {
				out[n-1] = append(out[n-1], r)
				continue
			}
		}
		out = append(out, []Row{r})
	}
	return out
}

// well reports whether nothing was found in any run of a variant; where every order was asked for the table shows how far that went.
func (v *Verdict) well(variant string) bool {
	return !slices.ContainsFunc(v.Rows, func(r Row) bool {
		return r.Variant == variant && (r.Result != OK && r.Result != NotMade || r.Order == everyOrder.Kind)
	})
}

func argsText(args []string) string { return "[" + strings.Join(args, " ") + "]" }

// cell returns the result of one check as the table shows it.
func cell(line []Row, c Check) string {
	i := slices.IndexFunc(line, func(r Row) bool { return r.Check == c && r.Result != NotMade })
	if i < 0 {
		return string(NotMade)
	}
	if r := line[i]; r.Result == Failed || r.Result == Known {
		return fmt.Sprintf("%d %s", r.Count, r.Result)
	}
	return string(line[i].Result)
}

// Summary returns the verdict in one line.
func (v *Verdict) Summary() string {
	n := map[Severity]int{}
	for _, f := range v.Findings {
		n[f.Severity]++
	}
	counted, known := n[Counts], n[Inherited]+n[Note]
	text := map[Outcome]string{
		Equal:       "equal",
		Unchanged:   "unchanged: smux rewrite would leave every kernel alone, so nothing was run",
		Clean:       "nothing found",
		Different:   "not equal",
		Found:       prose.Count(counted, "finding"),
		CouldNotRun: "could not be judged",
	}[v.Outcome]
	if v.Alone == Clean || v.Alone == Equal {
		text = "nothing found against kernels run alone; the program could not be judged"
	}
	if n := len(v.variants()); n > 0 && v.Outcome == Equal {
		text += fmt.Sprintf(": %s, %s", prose.Count(n, "variant"), prose.Count(v.runs(), "run"))
	}
	if v.Outcome == Different {
		text += fmt.Sprintf(": %s", prose.Count(counted, "finding"))
	}
	unjudged := v.unjudged()
	if v.Outcome == CouldNotRun {
		text, unjudged = text+unjudged, ""
	}
	if known > 0 {
		others := "that the original has, too, or without an effect"
		if len(v.variants()) == 0 {
			others = "without an effect"
		}
		text += fmt.Sprintf(" (%d more %s)", known, others)
	}
	if n[Recorded] > 0 {
		text += fmt.Sprintf(" (%d more that the baseline has)", n[Recorded])
	}
	if n[Guessed] > 0 {
		text += fmt.Sprintf(" (%d more that may come from a guessed launch)", n[Guessed])
	}
	if idle, _ := v.notLaunched(); idle != "" {
		text += "; " + idle
	}
	if v.Branches != nil && len(v.Branches.NotReached) > 0 && (v.Outcome == Clean || v.Outcome == Equal) {
		text += "; " + v.Branches.String()
	}
	absent := lists.Filter(v.Remarks, func(m diag.Message) bool { return m.Code == CodeNeedsLibrary })
	if len(absent) > 0 && (v.Outcome == Clean || v.Outcome == Equal) {
		text += fmt.Sprintf("; %s taken for empty", prose.Count(len(absent), "header"))
	}
	return text + v.exploredText() + unjudged
}

// unjudged returns the summary of programs that could not be judged, beside what was found in others.
func (v *Verdict) unjudged() string {
	var names []string
	for _, f := range v.Failures {
		if !slices.Contains(names, f.Variant) {
			names = append(names, f.Variant)
		}
	}
	of := len(v.variants())
	switch {
	case len(names) == 0:
		return ""
	case !slices.Contains(names, OriginalName) && of > 1:
		text := fmt.Sprintf("%d of %s", len(names), prose.Count(of, "variant"))
		if v.Outcome == CouldNotRun {
			return ": " + text
		}
		return "; " + text + " could not be judged"
	case v.Outcome == CouldNotRun:
		return ""
	}
	return "; not every run could be judged"
}

// variants lists the programs that were compared.
func (v *Verdict) variants() []string {
	var out []string
	for _, r := range v.Rows {
		if r.Variant != OriginalName && (len(out) == 0 || out[len(out)-1] != r.Variant) {
			out = append(out, r.Variant)
		}
	}
	return out
}

// runs counts the variants' runs that were compared.
func (v *Verdict) runs() (n int) {
	for _, name := range v.variants() {
		n += v.Runs(name)
	}
	return n
}

// Runs counts the runs of a variant that were compared.
func (v *Verdict) Runs(variant string) (n int) {
	for _, r := range v.Rows {
		if r.Variant == variant && r.Check == Output && r.Result != NotMade {
			n++
		}
	}
	return n
}
