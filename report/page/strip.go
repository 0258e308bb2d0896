package page

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report"
)

// strip shows where in a kernel's lines its regions, barriers and exits are: a
// lane each, from its first line to its last.
type strip struct {
	First, Last int
	Lines       int
	Lanes       []lane
	Regions     []regionRow
	Share       *float64 // of the kernel's work that regions take, nil where not known
	NotLooked   bool     // hazards kept the kernel from being cut
}

// lane is the bars of one kind, in lines from the first.
type lane struct {
	Name, Class string
	Bars        []bar
}

type bar struct {
	At, Length int
	Text       string
}

type regionRow struct {
	Lines, Arrays, Control, Inside string
}

// newStrip is nil where the kernel's lines are not known.
func newStrip(s report.Kernel) *strip {
	st := &strip{First: s.Position.Line, Last: s.End.Line, Share: s.RegionShareEstimate, NotLooked: s.Regions == nil}
	st.Lines = st.Last - st.First + 1
	if st.First < 1 || st.Lines < 1 || s.End.File != s.Position.File {
		return nil
	}
	regions, barriers, exits := lane{Name: "regions", Class: "region"}, lane{Name: "barriers", Class: "barrier"}, lane{Name: "exits", Class: "exit"}
	if len(s.Regions) == 0 {
		st.Share = nil
	}
	for _, g := range s.Regions {
		row := regionRow{Lines: lineSpan(g.StartLine, g.EndLine), Arrays: strings.Join(g.Arrays, ", "), Control: g.Control}
		inside := []string{prose.Count(g.Barriers, "barrier")}
		if g.Loops > 0 {
			inside = append(inside, "in "+prose.Count(g.Loops, "loop"))
		}
		if g.Returns {
			inside = append(inside, "a return")
		}
		if len(g.Live) > 0 {
			inside = append(inside, "live inside: "+strings.Join(g.Live, ", "))
		}
		if g.Function != "" {
			inside = append(inside, "in device function "+g.Function)
		}
		row.Inside = strings.Join(inside, ", ")
		st.Regions = append(st.Regions, row)
		st.add(&regions, s.Position.File, diag.Position{File: g.First.File, Line: g.StartLine}, g.EndLine, "region of "+row.Arrays)
	}
	for _, b := range s.Barriers {
		text := b.Call + ", " + b.Control
		if b.Function != "" {
			text += ", in " + b.Function
		}
		st.add(&barriers, s.Position.File, b.Position, b.Position.Line, text)
	}
	for _, x := range s.Exits {
		st.add(&exits, s.Position.File, x.Position, x.Position.Line, "return, "+x.Control)
	}
	for _, l := range []lane{regions, barriers, exits} {
		if len(l.Bars) > 0 {
			st.Lanes = append(st.Lanes, l)
		}
	}
	return st
}

// add puts a bar into a lane, unless it is out of the kernel's lines: barriers may
// be in device functions.
func (st *strip) add(l *lane, file string, from diag.Position, last int, text string) {
	if from.File != file || from.Line < st.First || last > st.Last {
		return
	}
	where := lineSpan(from.Line, last)
	l.Bars = append(l.Bars, bar{from.Line - st.First, last - from.Line + 1, where + ": " + text})
}

// lineSpan is "line 7" or "lines 7–12".
func lineSpan(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d–%d", first, last)
}
