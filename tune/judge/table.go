package judge

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/record"
)

// Schema is the version of the JSON form of a Report. Members may be added within a version; none changes its meaning.
const Schema = 1

type Report struct {
	Schema   int       `json:"schema"`
	Verdicts []Verdict `json:"verdicts"`
	// All has the text show every form, and not the best ones alone.
	All bool `json:"-"`
}

func NewReport(verdicts []Verdict) Report {
	if verdicts == nil {
		verdicts = []Verdict{}
	}
	return Report{Schema: Schema, Verdicts: verdicts}
}

// Text writes a table for each kernel, and what was decided.
func (r Report) Text(out *bytes.Buffer) {
	for i, v := range r.Verdicts {
		if i > 0 {
			out.WriteByte('\n')
		}
		verdictText(out, v, r.All)
	}
}

// mostRows is the number of forms up to which a table shows all of them, and the number that it shows of more.
const mostRows = 10

// shownRows returns the rows that a table shows: all, or the original, the chosen form, the best original one and the best others.
func (v *Verdict) shownRows(all bool) []int {
	var out []int
	for i := range v.Rows {
		out = append(out, i)
	}
	if all || len(out) <= mostRows {
		return out
	}
	rank := func(i int) float64 {
		switch {
		case i == v.Chosen || i == v.Form || v.Rows[i].Candidate.IsOriginal():
			return math.Inf(1)
		case v.Rows[i].Failure != nil:
			return math.Inf(-1)
		}
		return v.Rows[i].Gain().Median
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(rank(b), rank(a)) })
	out = out[:mostRows]
	slices.Sort(out)
	return out
}

// restText says in a line what forms a table doesn't show, "" for none.
func (v *Verdict) restText(shown []int) string {
	less, failed := 0, map[record.FailureKind]int{}
	for i, r := range v.Rows {
		switch {
		case slices.Contains(shown, i):
		case r.Failure != nil:
			failed[r.Failure.Kind]++
		default:
			less++
		}
	}
	var parts []string
	if less > 0 {
		parts = append(parts, prose.Count(less, "form")+" with less")
	}
	for _, kind := range slices.Sorted(maps.Keys(failed)) {
		parts = append(parts, fmt.Sprintf("%d failed: %s", failed[kind], kind))
	}
	if len(parts) == 0 {
		return ""
	}
	return "and " + strings.Join(parts, ", ") + "; -v shows all"
}

// verdictText writes the table of a kernel: a line for each form, the chosen one with a star; a dash for what is not known.
func verdictText(out *bytes.Buffer, v Verdict, all bool) {
	m := v.Subject.Machine
	on := cmp.Or(m.Device, m.GPU)
	if m.On == "cpu" {
		on = "the CPU engine, predicted for " + m.GPU
	}
	fmt.Fprintf(out, "kernel %s on %s", prose.Printable(v.Subject.Kernel), prose.Printable(on))
	for _, more := range []struct{ before, text string }{{"driver ", m.Driver}, {"", m.Toolkit}} {
		if more.text != "" {
			fmt.Fprintf(out, ", %s%s", more.before, prose.Printable(more.text))
		}
	}
	if len(v.Subject.Args) > 0 {
		fmt.Fprintf(out, ", run with %s", prose.Printable(strings.Join(v.Subject.Args, " ")))
	}
	out.WriteByte('\n')
	t := prose.Table{Indent: 2}
	measured := cmp.Or(map[string]string{"model": "made up", "cpu": "on the CPU"}[m.On], "measured")
	head := []string{"variant", "registers", "shared", "vTBs/SM", "predicted", measured, "interval", "time", "pairs", "correct"}
	withForm := slices.ContainsFunc(v.Rows, func(r Row) bool { return r.OverForm.Pairs > 0 && v.Form > 0 })
	if withForm {
		head = append(head, "over "+v.Rows[v.Form].Name)
	}
	t.Rows = append(t.Rows, head)
	shown := v.shownRows(all)
	for _, i := range shown {
		r := v.Rows[i]
		cells := rowCells(r, i == v.Chosen)
		if withForm && r.Failure == nil {
			cells = append(cells, cell(r.OverForm.Median, "%.3fx"))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Print(out)
	if rest := v.restText(shown); rest != "" {
		fmt.Fprintf(out, "  %s\n", rest)
	}
	if v.Waits != nil && len(v.Missing) > 0 {
		fmt.Fprintf(out, "  not measured to the end: %s\n", prose.Printable(strings.Join(v.Missing, ", ")))
	}
	for _, remark := range v.Remarks {
		fmt.Fprintf(out, "  %s\n", prose.Printable(remark))
	}
	fmt.Fprintf(out, "  %s\n", prose.Printable(v.Why))
}

func rowCells(r Row, chosen bool) []string {
	name := r.Name
	if chosen {
		name += " *"
	}
	cells := []string{prose.Printable(name), cell(r.Registers, "%d"), cell(r.Shared, "%d"), cell(r.VTBs, "%d"), cell(r.Predicted, "%.3fx")}
	if r.Failure != nil {
		return append(cells, fmt.Sprintf("%s: %s", r.Failure.Kind, prose.Printable(FirstLine(r.Failure.Text))))
	}
	best := r.Gain()
	interval, time := "-", "-"
	if best.Known() {
		interval = fmt.Sprintf("%.3f..%.3f", best.Low, best.High)
	}
	if r.Time != 0 {
		time = Milliseconds(r.Time)
	}
	return append(cells, cell(best.Median, "%.3fx"), interval, time, strconv.Itoa(r.Search.Pairs+r.Confirm.Pairs), r.Correct())
}

// cell returns a number, "-" for what is not known.
func cell[T int | float64](x T, format string) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// FirstLine returns what of a message fits into a line.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// Milliseconds returns a time in milliseconds as text with four digits, "12.34 ms".
func Milliseconds(t float64) string {
	if t >= 1000 {
		return fmt.Sprintf("%.0f ms", t)
	}
	return fmt.Sprintf("%.4g ms", t)
}
