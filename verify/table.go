package verify

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
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
		if args && first.Args != nil {
			order += " " + argsText(first.Args)
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

// lines groups the rows of one variant, argument list and order; of a variant in which all is well, those of all of its runs.
func (v *Verdict) lines() [][]Row {
	var out [][]Row
	for _, r := range v.Rows {
		if n := len(out); n > 0 {
			last := out[n-1][0]
			if last.Variant == r.Variant && last.Order == r.Order && argsText(last.Args) == argsText(r.Args) {
				out[n-1] = append(out[n-1], r)
				continue
			}
		}
		out = append(out, []Row{r})
	}
	for i := 0; i < len(out); i++ {
		end := i + 1
		for end < len(out) && out[end][0].Variant == out[i][0].Variant {
			end++
		}
		made := slices.DeleteFunc(slices.Concat(out[i:end]...), func(r Row) bool { return r.Result == NotMade })
		if end-i > 1 && len(made) > 0 && !slices.ContainsFunc(made, func(r Row) bool { return r.Result != OK || r.Order == everyOrder.Kind }) {
			made[0].Order, made[0].Args = plural(end-i, "run"), nil
			out = slices.Replace(out, i+1, end)
			out[i] = made
		} else {
			i = end - 1
		}
	}
	return out
}

func argsText(args []string) string { return "[" + strings.Join(args, " ") + "]" }

// cell returns the result of one check as the table shows it.
func cell(line []Row, c Check) string {
	for _, r := range line {
		if r.Check != c {
			continue
		}
		switch r.Result {
		case Failed, Known:
			return fmt.Sprintf("%d %s", r.Count, r.Result)
		}
		return string(r.Result)
	}
	return string(NotMade)
}

// Summary returns the verdict in one line.
func (v *Verdict) Summary() string {
	counted, known, guessed, recorded := 0, 0, 0, 0
	for _, f := range v.Findings {
		switch f.Severity {
		case Counts:
			counted++
		case Recorded:
			recorded++
		case Guessed:
			guessed++
		default:
			known++
		}
	}
	text := map[Outcome]string{
		Equal:       "equal",
		Unchanged:   "unchanged: smux rewrite would leave every kernel alone, so nothing was run",
		Clean:       "nothing found",
		Different:   "not equal",
		Found:       plural(counted, "finding"),
		CouldNotRun: "could not be judged",
	}[v.Outcome]
	if n := len(v.variants()); n > 0 && v.Outcome == Equal {
		text += fmt.Sprintf(": %s, %s", plural(n, "variant"), plural(v.runs(), "run"))
	}
	if v.Outcome == Different {
		text += fmt.Sprintf(": %s", plural(counted, "finding"))
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
	if recorded > 0 {
		text += fmt.Sprintf(" (%d more that the baseline has)", recorded)
	}
	if guessed > 0 {
		text += fmt.Sprintf(" (%d more that may come from a guessed launch)", guessed)
	}
	if idle, _ := v.notLaunched(); idle != "" {
		text += "; " + idle
	}
	return text + v.exploredText() + unjudged
}

// unjudged returns the summary of programs that could not be judged, beside what
// was found in others.
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
		text := fmt.Sprintf("%d of %s", len(names), plural(of, "variant"))
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

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
