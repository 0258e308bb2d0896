package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/choose"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
)

// analyzeReport is the document that `smux analyze --json` prints.
type analyzeReport struct {
	Schema  int              `json:"schema"` // analysis.ReportSchema
	Kernels []analyzedKernel `json:"kernels"`
	Lost    []lostKernel     `json:"lost"` // kernels that could not be parsed at all
}

// analyzedKernel is what the analyses say of a kernel, and the rewriters.
type analyzedKernel struct {
	analysis.KernelReport
	Offers []rewrite.Offer `json:"offers"`
	// Model is what the model says of the kernel and its rewrites; kernels that
	// are rewritten together share it.
	Model *choose.Report `json:"model"`
	// Reuse are global arrays that a thread block reads more often than it needs
	// to: what staging in shared memory would save. Nothing rewrites them yet.
	Reuse []reuseCandidate `json:"reuse"`
	// ReuseSets are candidates to be staged together.
	ReuseSets []reuseSet `json:"reuseSets"`
}

// lostKernel is a __global__ that the parser could make no function of.
type lostKernel struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
}

// summary counts the kernels, and those whose thread blocks can be merged.
func (r analyzeReport) summary() string {
	shared, can := 0, 0
	for _, k := range r.Kernels {
		if len(k.Shared) > 0 {
			shared++
		}
		if slices.ContainsFunc(k.Offers, func(o rewrite.Offer) bool { return o.Can && o.Merges() }) {
			can++
		}
	}
	out := fmt.Sprintf("%s, %d with shared memory, %d can be rewritten", count(len(r.Kernels), "kernel"), shared, can)
	if len(r.Lost) > 0 {
		out += fmt.Sprintf(", %d more not parsed", len(r.Lost))
	}
	return out
}

// text prints the report for people: per kernel a heading and labelled rows.
func (r analyzeReport) text(out *bytes.Buffer) {
	for i, k := range r.Kernels {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s: kernel %s\n", k.Position, k.Name)
		for _, s := range []reportSection{k.sharedRows(), k.regionRows(), k.barrierRows(), k.exitRows(), k.launchRows(), k.resourceRows(), k.reuseRows(), k.rewriteRows(), k.rankingRows(), k.assumedRows(), k.choiceRows()} {
			s.print(out)
		}
	}
	for i, l := range r.Lost {
		if i == 0 && len(r.Kernels) > 0 {
			out.WriteByte('\n')
		}
		name := l.Name
		if name == "" {
			name = "(name not known)"
		}
		fmt.Fprintf(out, "%s: kernel %s could not be parsed\n", l.Position, name)
	}
}

// reportSection is a label with rows of cells, aligned within the section. A
// row of a single cell is free text and widens no column.
type reportSection struct {
	label string
	rows  [][]string
}

func (s *reportSection) row(cells ...string) { s.rows = append(s.rows, cells) }

func (s *reportSection) print(out *bytes.Buffer) {
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

func (k analyzedKernel) sharedRows() reportSection {
	s := reportSection{label: "shared"}
	if len(k.Shared) == 0 {
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
			size = count(*v.Bytes, "byte")
		}
		s.row(v.Name, v.Type+dims, size)
	}
	if len(k.Shared) > 1 && k.SharedBytes != nil {
		text := count(*k.SharedBytes, "byte") + " per thread block"
		if dynamic {
			text += ", without the dynamic part"
		}
		s.row(text)
	}
	return s
}

func (k analyzedKernel) regionRows() reportSection {
	s := reportSection{label: "regions"}
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
			inside = append(inside, fmt.Sprintf("in %s", count(g.Loops, "loop")))
		}
		inside = append(inside, count(g.Barriers, "barrier"))
		if g.Returns {
			inside = append(inside, "a return")
		}
		if len(g.Live) > 0 {
			inside = append(inside, "live inside: "+strings.Join(g.Live, ", "))
		}
		s.row(fmt.Sprintf("%s - %d:%d", g.First, g.Last.Line, g.Last.Column), strings.Join(g.Arrays, ", "), g.Control, strings.Join(inside, ", "))
	}
	text := fmt.Sprintf("estimate: %.1f %% of the kernel, counting statements, x10 per loop level", 100**k.RegionShareEstimate)
	if len(k.Regions) > 1 {
		text += "; between regions nothing is live"
	}
	s.row(text)
	return s
}

func (k analyzedKernel) barrierRows() reportSection {
	s := reportSection{label: "barriers"}
	if len(k.Barriers) == 0 {
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

func (k analyzedKernel) exitRows() reportSection {
	s := reportSection{label: "exits"}
	for _, x := range k.Exits {
		s.row(x.Position.String(), x.Control)
	}
	return s
}

func (k analyzedKernel) launchRows() reportSection {
	s := reportSection{label: "launches"}
	if len(k.Launches) == 0 {
		text := "none in view"
		if k.AssumedBlock != nil {
			text += ", block " + shapeText(k.AssumedBlock) + " assumed"
		}
		s.row(text)
	}
	for _, l := range k.Launches {
		block := "block not known"
		if l.Shape != nil {
			block = "block " + shapeText(l.Shape)
		}
		if l.Assumed {
			block += " assumed"
		}
		dynamic := ""
		if l.DynamicBytes != nil {
			dynamic = count(*l.DynamicBytes, "byte") + " of dynamic shared memory"
		}
		s.row(l.Position.String(), "<<<"+l.Grid+", "+l.Block+">>>", block, dynamic)
	}
	return s
}

// shapeText is 64, 16x16 or 8x8x4.
func shapeText(d *[3]int) string {
	switch {
	case d[2] != 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] != 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

// rewriteRows says "can" or the reasons; rewrites with the same reasons share
// them.
func (k analyzedKernel) rewriteRows() reportSection {
	s := reportSection{label: "rewrites"}
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
			s.row("  " + m.Pos.String() + ": " + string(m.Code) + ": " + m.Text)
		}
		i = j
	}
	return s
}

func offerName(o rewrite.Offer) string {
	return o.Way.String()
}
