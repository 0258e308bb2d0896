package stress

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

const ReportSchema = 1

// Report is the document that `smux occupancy --stress --json` prints.
type Report struct {
	Schema int            `json:"schema"`
	Series []JudgedSeries `json:"series"`
}

// JudgedSeries is a kernel on a GPU, with what follows from its measurements.
type JudgedSeries struct {
	Subject
	Rows  []JudgedRow `json:"rows"`
	Curve []Point     `json:"curve"` // of the rows that count, by which Flat was found
	Flat  Flatness    `json:"flat"`
	Text  string      `json:"text"` // Flat in words
}

// JudgedRow is a level. What is not known is null.
type JudgedRow struct {
	Level    Level           `json:"level"`
	Blocks   int             `json:"blocks"` // per SM, as the CUDA runtime said
	How      string          `json:"how"`
	Median   *float64        `json:"median"` // milliseconds
	Ratio    *float64        `json:"ratio"`  // of the original's median
	Spread   *float64        `json:"spread"`
	Runs     int             `json:"runs"`
	Launches int             `json:"launches"`
	Failure  *record.Failure `json:"failure,omitempty"`
}

// NewReport judges series: gains of less than the tolerance, a part of the time, don't count.
func NewReport(series []Series, tolerance float64) Report {
	report := Report{Schema: ReportSchema}
	for _, s := range series {
		out := JudgedSeries{Subject: s.Subject, Curve: s.Curve(), Flat: s.Flat(tolerance)}
		out.Text = out.Flat.String()
		var original float64
		for _, r := range s.Rows {
			row := JudgedRow{Level: r.Level, Blocks: r.Blocks(), How: r.Level.How(), Runs: len(r.Milliseconds), Launches: r.Launches, Failure: r.Failure}
			p, ok := NewPoint(row.Blocks, false, r.Milliseconds)
			if ok && r.Failure == nil {
				if r.Level.Original() {
					original = p.Median
				}
				row.Median, row.Spread = &p.Median, &p.Spread
				if original > 0 {
					ratio := p.Median / original
					row.Ratio = &ratio
				}
			}
			out.Rows = append(out.Rows, row)
		}
		report.Series = append(report.Series, out)
	}
	return report
}

func (r Report) Text(out *bytes.Buffer) {
	for i, one := range r.Series {
		if i > 0 {
			out.WriteByte('\n')
		}
		one.text(out)
	}
}

func (s JudgedSeries) text(out *bytes.Buffer) {
	fmt.Fprintf(out, "kernel %s, %s, on %s", prose.Printable(s.Kernel), prose.Count(s.Threads, "thread"), prose.Printable(s.GPU))
	if len(s.Args) > 0 {
		fmt.Fprintf(out, ", run with %s", prose.Printable(strings.Join(s.Args, " ")))
	}
	out.WriteByte('\n')
	t := prose.Table{Indent: 2}
	t.Row("thread blocks", "occupancy", "had by", "median", "against original", "spread")
	for _, r := range s.Rows {
		t.Rows = append(t.Rows, r.cells())
	}
	t.Print(out)
	alone := func(r JudgedRow) bool {
		return r.Level.Carveout && r.Level.Bytes == 0 && r.Level.Cap == 0 && r.Ratio != nil
	}
	if i := slices.IndexFunc(s.Rows, alone); i >= 0 && math.Abs(*s.Rows[i].Ratio-1) > s.Flat.Tolerance {
		fmt.Fprintf(out, "  the largest carve-out alone changes the time by %s: the L1 cache counts\n", percentText(*s.Rows[i].Ratio-1))
	}
	fmt.Fprintf(out, "  %s\n", s.Text)
}

func (r JudgedRow) cells() []string {
	how := r.How
	occupancy := fmt.Sprintf("%.0f %%", 100*r.Level.Occupancy)
	if r.Blocks != r.Level.Blocks { // the compiler or the driver did something else than was planned
		how += fmt.Sprintf(" (%d planned)", r.Level.Blocks)
		occupancy = fmt.Sprintf("%.0f %%", 100*r.Level.Occupancy*float64(r.Blocks)/float64(r.Level.Blocks))
	}
	if r.Failure != nil {
		return []string{strconv.Itoa(r.Blocks), occupancy, how, fmt.Sprintf("not counted (%s): %s", r.Failure.Kind, prose.Printable(r.Failure.Text))}
	}
	against := "-"
	if r.Ratio != nil && !r.Level.Original() {
		against = percentText(*r.Ratio - 1)
	}
	return []string{strconv.Itoa(r.Blocks), occupancy, how, judge.Milliseconds(*r.Median), against, fmt.Sprintf("%.1f %%", 100**r.Spread)}
}

func percentText(part float64) string { return fmt.Sprintf("%+.1f %%", 100*part) }
