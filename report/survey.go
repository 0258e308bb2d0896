// Package report holds what smux knows of a code base, as plain data: its programs, their kernels, what the analyses,
// the model and the rewriters report of each, and what rewriting would change. Every form in which smux shows that
// (text, JSON, findings for other tools, a page, a baseline) is made of a survey.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// Program holds the facts about files that are looked at together: a kernel in one may be launched in another.
type Program struct {
	Files   []Text // as they are, in the order in which they were named
	Kernels []Kernel
	Lost    []Lost // kernels that could not be parsed at all
	// Directives holds what is wrong with directives in the files, and which ignores
	// stop nothing any more (unused-ignore).
	Directives []diag.Message
	// Changed are the files that rewriting would change, in the order of Files; nil if nothing was to be rewritten.
	Changed []rewrite.FileResult
	// Results holds the outcomes for the kernels; nil if nothing was to be rewritten.
	Results []rewrite.KernelResult
}

// Text is a file as it was read.
type Text struct {
	Name string // as the person named it
	Src  []byte
}

// Evidence is a kept measurement of a kernel's rewrite.
type Evidence struct {
	Device  string  `json:"device"` // as the record names it
	Form    string  `json:"form"`   // the form that was measured, such as "vtb named N=2"
	Chosen  bool    `json:"chosen"` // whether it was found the best
	Ratio   float64 `json:"ratio"`  // time of the original / time of the form
	Low     float64 `json:"low"`    // bounds of its interval of confidence
	High    float64 `json:"high"`
	Pairs   int     `json:"pairs"`   // of runs that were compared
	On      string  `json:"on"`      // "gpu" or "command", as in the record
	Correct string  `json:"correct"` // how far outputs were compared
}

// OutputsEqual is Evidence.Correct where all outputs were compared and are equal.
const OutputsEqual = "outputs equal the original's"

// Models gives the model's report on the kernel at a position, nil where it was not asked.
type Models func(diag.Position) *selection.Report

// Analyze runs all analyses and tries all rewrites on the kernels of a program that want selects, and adds what the
// model predicts of them. kernels are all kernels of the program.
func Analyze(prog *analysis.Program, kernels []*analysis.Kernel, opt rewrite.Options, model Models, want func(name string) bool) Program {
	return survey(prog, kernels, rewrite.CheckedVariants(prog, kernels, opt), summary.Report, model, want)
}

// Limits is Analyze without regions and rewrites, which take most of its time.
func Limits(prog *analysis.Program, kernels []*analysis.Kernel, model Models, want func(name string) bool) Program {
	return survey(prog, kernels, nil, summary.BriefReport, model, want)
}

func survey(prog *analysis.Program, kernels []*analysis.Kernel, offers map[*analysis.Kernel][]rewrite.CheckedVariant, facts func(*analysis.Kernel) summary.KernelReport, model Models, want func(name string) bool) Program {
	var p Program
	for _, k := range kernels {
		if want(k.Name) {
			p.Kernels = append(p.Kernels, kernelOf(k, facts, model, offers[k]))
		}
	}
	p.read(prog.Parsed, want)
	return p
}

// kernelOf returns the facts about one kernel. Where an analysis has a defect, only that
// is reported: the others are none the worse for it.
func kernelOf(k *analysis.Kernel, facts func(*analysis.Kernel) summary.KernelReport, model Models, offers []rewrite.CheckedVariant) (out Kernel) {
	out = Kernel{End: k.File.Position(int(k.View.Body.End)), Offers: offers, Reuse: []rewrite.Staged{}}
	defer func() {
		if v := recover(); v != nil {
			out.KernelReport = summary.ReportOfDefect(k, diag.Panicked(v))
		}
	}()
	r := model(summary.Position(k))
	out.KernelReport, out.Model = facts(k), r
	for _, o := range offers {
		out.Reuse = append(out.Reuse, o.Staged...)
	}
	return out
}

// read takes over what the parser knows.
func (p *Program) read(parsed *parser.Program, want func(name string) bool) {
	for _, f := range parsed.Files {
		p.Files = append(p.Files, Text{f.Name, f.Original()})
		for _, l := range f.Lost {
			if want(l.Name) {
				p.Lost = append(p.Lost, Lost{l.Name, f.Position(l.Mark.Start), l.Macro})
			}
		}
	}
}

// NewReport puts the kernels of programs into one report.
func NewReport(programs []Program) Report {
	r := Report{Schema: summary.ReportSchema, Kernels: []Kernel{}, Lost: []Lost{}}
	for _, p := range programs {
		r.Kernels = append(r.Kernels, p.Kernels...)
		r.Lost = append(r.Lost, p.Lost...)
	}
	return r
}

// GPUs returns those that kernels of programs were looked at for, each once, in the order in which they were.
func GPUs(programs []Program) []string {
	var out []string
	for _, p := range programs {
		for _, k := range p.Kernels {
			if k.Model == nil {
				continue
			}
			for _, o := range k.Model.Originals {
				out = lists.Add(out, o.GPU)
			}
		}
	}
	return out
}

// Forget drops what the reports of the model keep of the program itself: findings and
// the page need it, text and JSON don't.
func (p *Program) Forget() {
	for _, k := range p.Kernels {
		if k.Model != nil {
			k.Model.Forget()
		}
	}
}

// Where reports where the times come from.
func (e Evidence) Where() string {
	if e.On == "command" {
		return "measured by a command, for " + e.Device
	}
	return "measured on " + e.Device
}

// Bounded reports whether there are enough pairs for an interval.
func (e Evidence) Bounded() bool { return e.Pairs > 1 }

// Gain returns the ratio with its interval, where there is one: "1.31x (1.28 to 1.35, 24 pairs)".
func (e Evidence) Gain() string {
	if !e.Bounded() {
		return fmt.Sprintf("%.2fx (%s)", e.Ratio, prose.Count(e.Pairs, "pair"))
	}
	return fmt.Sprintf("%.2fx (%.2f to %.2f, %s)", e.Ratio, e.Low, e.High, prose.Count(e.Pairs, "pair"))
}

// Unknown is a kernel without an answer, and why.
type Unknown struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
	Why      string        `json:"why"`
}

// Unparsed returns the kernels of a program that could not be parsed, those that want selects by name.
func Unparsed(prog *parser.Program, want func(name string) bool) []Unknown {
	var out []Unknown
	for _, f := range prog.Files {
		for _, l := range f.Lost {
			if want(l.Name) {
				out = append(out, Unknown{l.Name, f.Position(l.Mark.Start), l.Why()})
			}
		}
	}
	return out
}

// Request holds a person's request for a kernel, in a directive or in .smux.yaml.
type Request struct {
	// Pin names the rewrite to be done, "" to choose. Refused holds the reasons against it, none if it can be proved.
	Pin     string         `json:"pin,omitempty"`
	Refused []diag.Message `json:"refused,omitempty"`
	// Leave is why the kernel is to be left alone, "" where it may be rewritten.
	Leave string `json:"leave,omitempty"`
	// By is the place where pin or leave is asked for.
	By *diag.Position `json:"by,omitempty"`
	// Wrong is a directive that can't be understood: the kernel is left alone.
	Wrong *diag.Message `json:"wrong,omitempty"`
	// Barred are the rewriters that may not be chosen, as BarredBy asks.
	Barred   []string `json:"barred,omitempty"`
	BarredBy string   `json:"barredBy,omitempty"`
}

// Decides reports whether the model is not asked, since a person decides what becomes of the kernel.
func (w *Request) Decides() bool {
	return w != nil && (w.Pin != "" || w.Leave != "" || w.Wrong != nil)
}

// Done reports whether nothing is against the pin but that the kernel is rewritten
// already: an earlier run has done it.
func (w *Request) Done() bool {
	return w != nil && slices.ContainsFunc(w.Refused, func(m diag.Message) bool { return m.Code == rewrite.CodeAlready })
}

// Text returns in a line what becomes of the kernel where the request decides that.
func (w *Request) Text() string {
	switch {
	case w.Wrong != nil:
		return fmt.Sprintf("left alone: the directive at %s can't be obeyed", w.Wrong.Pos)
	case w.Leave != "":
		return fmt.Sprintf("left alone as %s asks: %s", w.By, w.Leave)
	case w.Done():
		return fmt.Sprintf("left as it is: %s is pinned at %s, and the kernel is rewritten already", w.Pin, w.By)
	case len(w.Refused) > 0:
		return fmt.Sprintf("left alone: %s is pinned at %s, and can't be proved: %s", w.Pin, w.By, w.Refused[0].Text)
	}
	return fmt.Sprintf("%s, pinned at %s", w.Pin, w.By)
}

// barredRows name the rewriters that may not be chosen.
func (k Kernel) barredRows() section {
	s := section{label: "barred"}
	if k.Request != nil && len(k.Request.Barred) > 0 {
		s.row(fmt.Sprintf("%s: not allowed by %s", strings.Join(k.Request.Barred, ", "), k.Request.BarredBy))
	}
	return s
}

// ignored returns what stands after a message that a person suppressed, "" for one that is reported.
func (k Kernel) ignored(m diag.Message) string {
	if reason, ok := config.Suppressed(k.Ignored, m, k.Position); ok {
		return " (ignored: " + reason + ")"
	}
	return ""
}
