package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report"
)

// view holds what the templates show.
type view struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title, Version, Time string
	GPUs                 []string
	Figures              []figure
	Limits               []limitRow
	Kernels              []*kernel
	Codes                []*codeGroup
	Lost                 []report.Lost
	Unreadable           []diag.Message
}

// figure is a number of the summary.
type figure struct {
	Number int
	Text   string
}

// limitRow counts the kernels of a GPU by what limits them.
type limitRow struct {
	GPU    string
	Full   int // with full occupancy
	Counts []int
	Known  int
}

// limitNames are the columns of limitRow.Counts.
var limitNames = []string{"shared memory", "registers", "threads", "thread blocks", "barriers"}

func newView(programs []report.Program, opt Options) *view {
	v := &view{Title: opt.Title, Version: opt.Version, GPUs: report.GPUs(programs), Unreadable: opt.Unreadable}
	if !opt.Time.IsZero() {
		v.Time = opt.Time.UTC().Format(time.DateOnly + " 15:04 MST")
	}
	diffs := diffIndex{}
	for _, p := range programs {
		texts := newTexts(p)
		for _, k := range p.Kernels {
			id := fmt.Sprintf("k%d", len(v.Kernels)+1)
			v.Kernels = append(v.Kernels, newKernel(id, k, texts, v.GPUs, diffs))
		}
		v.Lost = append(v.Lost, p.Lost...)
	}
	v.Codes = groupByCode(v.Kernels)
	v.Figures = figures(v, programs)
	for i, name := range v.GPUs {
		v.Limits = append(v.Limits, newLimitRow(name, i, v.Kernels))
	}
	return v
}

// LimitNames returns the heads of the table of limits.
func (v *view) LimitNames() []string { return limitNames }

// CodesTitle heads the codes: kernels may be against some rewrites alone.
func (v *view) CodesTitle() string {
	if slices.ContainsFunc(v.Codes, func(c *codeGroup) bool { return len(c.Decided) > 0 }) {
		return "Why kernels are left alone"
	}
	return "What is against other rewrites"
}

func figures(v *view, programs []report.Program) []figure {
	names := map[string]bool{}
	for _, p := range programs {
		for _, f := range p.Files {
			names[f.Name] = true
		}
	}
	shared, can, rewritten := 0, 0, 0
	for _, k := range v.Kernels {
		if len(k.Shared) > 0 {
			shared++
		}
		if k.can {
			can++
		}
		if k.Rewritten {
			rewritten++
		}
	}
	out := []figure{
		{len(names), prose.Noun(len(names), "file")}, {len(v.Kernels), prose.Noun(len(v.Kernels), "kernel")}, {shared, "with shared memory"},
		{can, "could be merged"}, {rewritten, "rewritten"}, {len(v.Kernels) - rewritten, "left alone"},
	}
	if n := len(v.Lost); n > 0 {
		out = append(out, figure{n, "not parsed"})
	}
	if n := len(v.Unreadable); n > 0 {
		out = append(out, figure{n, prose.Noun(n, "file") + " not read"})
	}
	return out
}

func newLimitRow(name string, gpu int, kernels []*kernel) limitRow {
	row := limitRow{GPU: name, Counts: make([]int, len(limitNames))}
	for _, k := range kernels {
		s := k.standing[gpu]
		if s == nil {
			continue
		}
		row.Known++
		if s.Occupancy >= 1 {
			row.Full++
			continue
		}
		for i, name := range limitNames {
			if slices.ContainsFunc(s.Limiters.List(), func(l limit) bool { return l.String() == name }) {
				row.Counts[i]++
			}
		}
	}
	return row
}

// texts are the lines of a program's files.
type texts map[string][]string

func newTexts(p report.Program) texts {
	t := texts{}
	for _, f := range p.Files {
		t[f.Name] = lines(f.Src)
	}
	return t
}

// line returns the text of a place's line, "" where the file is not at hand.
func (t texts) line(at diag.Position) string {
	if l := t[at.File]; at.Line >= 1 && at.Line <= len(l) {
		return strings.TrimSpace(l[at.Line-1])
	}
	return ""
}
