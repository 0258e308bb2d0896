package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// Report is the document that `smux analyze --json` prints.
type Report struct {
	Schema  int      `json:"schema"` // analysis.ReportSchema
	Kernels []Kernel `json:"kernels"`
	Lost    []Lost   `json:"lost"` // kernels that could not be parsed at all
}

// Kernel holds what the analyses and the rewriters report of a kernel.
type Kernel struct {
	summary.KernelReport
	End    diag.Position            `json:"-"` // after the kernel's last brace
	Offers []rewrite.CheckedVariant `json:"offers"`
	// Model is the model's prediction for the kernel and its rewrites; kernels that are rewritten together share it.
	Model *selection.Report `json:"model"`
	// Reuse are the global arrays that a thread block reads again and that stage copies to shared memory.
	// What that brings is what Model ranks stage with.
	Reuse []rewrite.Staged `json:"reuse"`
	// Sizes are the constants that set the kernel's sizes; null where they were not asked for.
	Sizes []SizeConstant `json:"sizes,omitempty"`
	// Evidence holds what was measured of the kernel before, where a record is at hand.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Judgement says how far the kernel's rewrite is confirmed to be right: of what would be made
	// of it, or of what was, where a certificate is named. Null elsewhere.
	Judgement *Judgement `json:"judgement,omitempty"`

	// Request is a person's request for the kernel, nil for none.
	Request *Request `json:"wish,omitempty"`
	// Ignored are the directives that stop messages about the kernel, in their order.
	// The messages are in the report all the same.
	Ignored []config.Ignore `json:"ignored,omitempty"`

	// Result tells what became of the kernel, nil if nothing was to be rewritten.
	Result *rewrite.KernelResult `json:"-"`
	// Fix is every file that changes where this kernel alone, with those that are
	// rewritten together with it, is rewritten; nil where it is left alone.
	Fix []rewrite.FileResult `json:"-"`
}

// Lost is a __global__ that the parser could make no function of.
type Lost struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
	Macro    string        `json:"macro,omitempty"` // the macro that makes the kernel, "" where it could not be parsed
}

// Summary counts the kernels, and those that can be rewritten so that other numbers of thread blocks run at once.
func (r Report) Summary() string {
	shared, can := 0, 0
	for _, k := range r.Kernels {
		if len(k.Shared) > 0 {
			shared++
		}
		if rewrite.CanGain(k.Offers) {
			can++
		}
	}
	out := fmt.Sprintf("%s, %d with shared memory, %d can be rewritten", prose.Count(len(r.Kernels), "kernel"), shared, can)
	if len(r.Lost) > 0 {
		made := 0
		for _, l := range r.Lost {
			if l.Macro != "" {
				made++
			}
		}
		if made < len(r.Lost) {
			out += fmt.Sprintf(", %d more not parsed", len(r.Lost)-made)
		}
		if made > 0 {
			out += fmt.Sprintf(", %d more made by macros", made)
		}
	}
	return out
}

// Text prints the report for people: per kernel a heading and labelled rows, few of them unless verbosely.
func (r Report) Text(out *bytes.Buffer, verbose bool) {
	for i, k := range r.Kernels {
		if i > 0 && verbose {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s: kernel %s\n", prose.Printable(k.Position.String()), prose.Printable(k.Name))
		rows := []section{k.limitRows(), k.choiceRows(), k.possibleRows(), k.sizeRows()}
		if verbose {
			rows = []section{k.sharedRows(), k.regionRows(), k.barrierRows(), k.exitRows(), k.launchRows(), k.sizeRows(), k.resourceRows(), k.reuseRows(), k.rewriteRows(), k.barredRows(), k.rankingRows(), k.assumedRows(), k.choiceRows()}
		}
		for _, s := range rows {
			s.print(out)
		}
	}
	for i, l := range r.Lost {
		if i == 0 && len(r.Kernels) > 0 && verbose {
			out.WriteByte('\n')
		}
		name := cmp.Or(l.Name, "(name not known)")
		why := "could not be parsed"
		if l.Macro != "" {
			why = "is made by macro " + prose.Printable(l.Macro) + ": write it out to have it rewritten"
		}
		fmt.Fprintf(out, "%s: kernel %s %s\n", prose.Printable(l.Position.String()), prose.Printable(name), why)
	}
}

// section is a label with rows of cells, aligned within the section. A
// row of a single cell is free text and widens no column.
type section struct {
	label string
	rows  [][]string
}

func (s *section) row(cells ...string) {
	for i, c := range cells {
		cells[i] = prose.Printable(c)
	}
	s.rows = append(s.rows, cells)
}

func (s *section) print(out *bytes.Buffer) {
	var width []int
	for _, r := range s.rows {
		if len(r) == 1 {
			continue
		}
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	label := s.label
	for _, r := range s.rows {
		line := fmt.Sprintf("  %-10s", label)
		for i, c := range r {
			line += c
			if i < len(r)-1 {
				line += strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
		label = ""
	}
}

// unread describes what a kernel holds whose body could not be read.
const unread = "not known: the kernel could not be read"

func (k Kernel) sharedRows() section {
	s := section{label: "shared"}
	switch {
	case k.Unread:
		s.row(unread)
	case len(k.Shared) == 0:
		s.row("none")
	}
	dynamic := false
	for _, v := range k.Shared {
		dims := ""
		for _, d := range v.Dims {
			dims += fmt.Sprintf("[%d]", d)
		}
		size := "size not known"
		switch {
		case v.Dynamic:
			dims, size, dynamic = "[]", "dynamic: sized by the launch", true
		case v.Bytes != nil:
			size = prose.Count(*v.Bytes, "byte")
		}
		s.row(v.Name, v.Type+dims, size)
	}
	if len(k.Shared) > 1 && k.SharedBytes != nil {
		text := prose.Count(*k.SharedBytes, "byte") + " per thread block"
		if dynamic {
			text += ", without the dynamic part"
		}
		s.row(text)
	}
	return s
}

// wholeKernel is the share from which on regions are said to be the whole kernel:
// there is nothing left to do at the same time.
const wholeKernel = 0.95

// Inside says in words what else is in a region: returns, live variables, its device function.
func Inside(g summary.RegionReport) (words []string) {
	if g.Returns {
		words = append(words, "a return")
	}
	if len(g.Live) > 0 {
		words = append(words, "live inside: "+strings.Join(g.Live, ", "))
	}
	if g.Function != "" {
		words = append(words, "in device function "+g.Function)
	}
	return words
}

func (k Kernel) regionRows() section {
	s := section{label: "regions"}
	switch {
	case k.Regions == nil:
		s.row("not looked for, see below")
		return s
	case len(k.Regions) == 0:
		s.row("none")
		return s
	}
	for _, g := range k.Regions {
		inside := []string{}
		if g.Loops > 0 {
			inside = append(inside, fmt.Sprintf("in %s", prose.Count(g.Loops, "loop")))
		}
		inside = append(inside, prose.Count(g.Barriers, "barrier"))
		inside = append(inside, Inside(g)...)
		s.row(fmt.Sprintf("%s - %d:%d", g.First, g.Last.Line, g.Last.Column), strings.Join(g.Arrays, ", "), g.Control, strings.Join(inside, ", "))
	}
	text := fmt.Sprintf("estimate: %.1f %% of the kernel, counting statements, x10 per loop level", 100**k.RegionShareEstimate)
	if len(k.Regions) > 1 {
		text += "; between regions nothing is live"
	}
	s.row(text)
	if *k.RegionShareEstimate >= wholeKernel {
		for _, g := range k.Regions {
			s.row(fmt.Sprintf("so large because of %s: %s", g.Hold.Position, g.Hold.Text))
		}
	}
	return s
}

func (k Kernel) barrierRows() section {
	s := section{label: "barriers"}
	switch {
	case k.Unread:
		s.row(unread)
	case len(k.Barriers) == 0:
		s.row("none")
	}
	for _, b := range k.Barriers {
		where := ""
		if b.Function != "" {
			where = "in device function " + b.Function
		}
		s.row(b.Position.String(), b.Call, b.Control, where)
	}
	return s
}

func (k Kernel) exitRows() section {
	s := section{label: "exits"}
	for _, x := range k.Exits {
		s.row(x.Position.String(), x.Control)
	}
	return s
}

func (k Kernel) launchRows() section {
	s := section{label: "launches"}
	if len(k.Launches) == 0 {
		text := "none in view"
		if hides := k.hidesLaunch(); hides != nil {
			text = fmt.Sprintf("none that can be read: %s: %s", hides.Pos, hides.Text)
		}
		if k.AssumedBlock != nil {
			text += ", block " + analysis.ShapeText(*k.AssumedBlock) + " assumed"
		}
		s.row(text)
	}
	for _, l := range k.Launches {
		block := "block not known"
		if l.Shape != nil {
			block = "block " + analysis.ShapeText(*l.Shape)
		}
		if l.Assumed {
			block += " assumed"
		}
		dynamic := ""
		if l.DynamicBytes != nil {
			dynamic = prose.Count(*l.DynamicBytes, "byte") + " of dynamic shared memory"
		}
		s.row(l.Position.String(), "<<<"+l.Grid+", "+l.Block+">>>", block, dynamic)
	}
	return s
}

// hidesLaunch returns what is said of a place that launches the kernel in a form that is not read, nil for none.
func (k Kernel) hidesLaunch() *diag.Message {
	for _, o := range k.Offers {
		for i, m := range o.Refused {
			if m.Code == rewrite.CodeKernelAddress || m.Code == rewrite.CodeMacro && strings.Contains(m.Text, "launche") {
				return &o.Refused[i]
			}
		}
	}
	return nil
}

// rewriteRows shows "can" or the reasons; rewrites with the same reasons share them.
func (k Kernel) rewriteRows() section {
	s := section{label: "rewrites"}
	for i := 0; i < len(k.Offers); {
		same := []string{offerName(k.Offers[i])}
		j := i + 1
		for j < len(k.Offers) && k.Offers[j].Can == k.Offers[i].Can && slices.Equal(k.Offers[j].Refused, k.Offers[i].Refused) {
			same = append(same, offerName(k.Offers[j]))
			j++
		}
		verdict := "no"
		if k.Offers[i].Can {
			verdict = "can"
		}
		s.row(strings.Join(same, ", ") + ": " + verdict)
		for _, m := range k.Offers[i].Refused {
			s.row("  " + m.Pos.String() + ": " + string(m.Code) + ": " + m.Text + k.ignored(m))
		}
		i = j
	}
	return s
}

// possibleRows count the rewrites that are possible; where none is they say why.
func (k Kernel) possibleRows() section {
	s := section{label: "rewrites"}
	can := 0
	for _, o := range k.Offers {
		if o.Can {
			can++
		}
	}
	text := fmt.Sprintf("%d of %d possible", can, len(k.Offers))
	if can == 0 {
		text = "none possible"
		var codes []string
		for _, m := range refusedAll(k) {
			codes = lists.Add(codes, string(m.Code))
		}
		if len(codes) > 0 {
			text += ": " + strings.Join(codes, ", ")
		}
	}
	s.row(text)
	return s
}

func offerName(o rewrite.CheckedVariant) string {
	return o.Variant.String()
}
