// Package summary says in short what the analyses found of a kernel.
package summary

import (
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/diag"
)

// ReportSchema is the version of the reports' JSON form. It grows when a field
// changes its meaning or goes away; new fields alone do not change it.
const ReportSchema = 3

// KernelReport holds what the analyses found out about one kernel, as plain data.
// Numbers that are not known are null.
type KernelReport struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`

	Shared []SharedReport `json:"shared"`
	// SharedBytes is the sum over the static shared variables, per thread block.
	SharedBytes *int `json:"sharedBytes"`

	// Regions is null where hazards kept the kernel from being cut. Between regions, before the first and after the
	// last, nothing in the shared variables is live.
	Regions []RegionReport `json:"regions"`
	// RegionShareEstimate is the part of the kernel's statements that stands in regions, from 0 to 1, each loop level
	// weighing ten times the one around it and calls weighing what their callee does. It estimates the share of a
	// thread block's time; it is not a measurement.
	RegionShareEstimate *float64 `json:"regionShareEstimate"`

	// Unread is set if nothing of the kernel's body is known: of its shared variables, barriers and
	// exits there may be any.
	Unread   bool            `json:"unread,omitempty"`
	Barriers []BarrierReport `json:"barriers"`
	Exits    []ExitReport    `json:"exits"`
	Launches []LaunchReport  `json:"launches"`
	// AssumedBlock is the block shape from the command line, where no launch in view gives it.
	AssumedBlock *[3]int        `json:"assumedBlock,omitempty"`
	Hazards      []diag.Message `json:"hazards"`
}

// SharedReport is one shared variable.
type SharedReport struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
	Type     string        `json:"type"` // of an element
	Dims     []int         `json:"dims"` // null for a scalar or where a dimension is not known
	Elements *int          `json:"elements"`
	Bytes    *int          `json:"bytes"`
	Dynamic  bool          `json:"dynamic"` // extern: the launch decides the size
}

// RegionReport is one region (Region).
type RegionReport struct {
	First     diag.Position `json:"first"` // first access, a definition
	Last      diag.Position `json:"last"`  // last access, a use
	StartLine int           `json:"startLine"`
	EndLine   int           `json:"endLine"`
	Arrays    []string      `json:"arrays"`
	Loops     int           `json:"loops"`    // how many loops enclose it
	Barriers  int           `json:"barriers"` // inside, calls included
	Returns   bool          `json:"returns"`  // a thread may leave the kernel inside
	// Live are the variables that hold values between two statements of the
	// region: what keeps it from being cut there.
	Live    []string           `json:"live"`
	Control string             `json:"control"` // uniformity of the control around it
	Hold    regions.HoldReport `json:"hold"`    // why it is not smaller
	// Function is the device function that the region is in, if it is not the
	// kernel. A rewriter that can't take turns there takes the call for the region.
	Function string `json:"function,omitempty"`
}

// BarrierReport is one thread-block barrier.
type BarrierReport struct {
	Position diag.Position `json:"position"`
	Call     string        `json:"call"`
	Control  string        `json:"control"`            // uniformity of the control around it in its function
	Function string        `json:"function,omitempty"` // the device function that holds it, if it is not the kernel
}

// ExitReport is one return statement of the kernel.
type ExitReport struct {
	Position diag.Position `json:"position"`
	Control  string        `json:"control"`
}

// LaunchReport is one launch of the kernel that is in view.
type LaunchReport struct {
	Position     diag.Position `json:"position"`
	Grid         string        `json:"grid"`  // as written
	Block        string        `json:"block"` // as written
	Shape        *[3]int       `json:"shape"` // the block, if known
	Assumed      bool          `json:"assumed,omitempty"`
	DynamicBytes *int          `json:"dynamicBytes"` // of shared memory, where any is known
}

// emptyReport is the report of a kernel that nothing is known of but its hazards.
func emptyReport(k *analysis.Kernel) KernelReport {
	return KernelReport{
		Name:     k.Name,
		Position: Position(k),
		Shared:   []SharedReport{},
		Barriers: []BarrierReport{},
		Exits:    []ExitReport{},
		Launches: []LaunchReport{},
		Hazards:  append([]diag.Message{}, k.Hazards...),
	}
}

// ReportOfDefect returns the report of a kernel that an analysis outside of this package
// has a defect with; what names it.
func ReportOfDefect(k *analysis.Kernel, what string) KernelReport {
	r := emptyReport(k)
	r.Hazards = append(r.Hazards, diag.Message{Pos: Position(k), Code: analysis.CodeInternal, Text: what})
	return r
}

// Report returns the facts about the kernel as plain data.
func Report(k *analysis.Kernel) KernelReport {
	r := BriefReport(k)
	if len(k.Hazards) == 0 {
		r.regions(k)
	}
	return r
}

// BriefReport is Report without the regions, which take most of its time.
func BriefReport(k *analysis.Kernel) KernelReport {
	r := emptyReport(k)
	if r.Unread = k.Unread(); !r.Unread {
		r.shared(k)
	}
	for _, b := range k.Barriers {
		br := BarrierReport{Position: b.Func.File.Position(b.Expr.Range.Start), Call: b.Expr.Name, Control: b.Control.String()}
		if b.Func != k.Func {
			br.Function = b.Func.View.Name
		}
		r.Barriers = append(r.Barriers, br)
	}
	for _, x := range k.Exits {
		r.Exits = append(r.Exits, ExitReport{k.File.Position(x.Stmt.Range.Start), x.Control.String()})
	}
	for _, l := range slices.Concat(k.Launches, k.Indirect) {
		r.Launches = append(r.Launches, launchReport(k, l))
	}
	if len(r.Launches) == 0 && k.Prog.Block.Known() {
		d := k.Prog.Block.Dims()
		r.AssumedBlock = &d
	}
	return r
}

// Position returns the position of the kernel's name.
func Position(k *analysis.Kernel) diag.Position {
	if d := k.View.Declared; d != nil {
		return k.File.Position(int(d.Start))
	}
	return k.File.Position(k.View.Start)
}

func (r *KernelReport) shared(k *analysis.Kernel) {
	total := 0
	for _, s := range k.Shared {
		bytes := bytesOfAll(k, s)
		r.Shared = append(r.Shared, SharedReport{
			Name: s.Name, Position: s.Var.File.Position(s.Var.Range.Start), Type: s.Type, Dims: s.Dims,
			Elements: known(s.Count), Bytes: known(bytes), Dynamic: s.Dynamic,
		})
		switch {
		case s.Dynamic:
		case bytes < 0 || total < 0:
			total = -1
		default:
			total += bytes
		}
	}
	r.SharedBytes = known(total)
}

// bytesOfAll is the bytes of a static shared variable that all instances agree on, -1 where
// they are not known: of a type that the program declares they are told by an instance.
func bytesOfAll(k *analysis.Kernel, s *analysis.Shared) int {
	if s.Bytes >= 0 || s.Dynamic || k.View.IsTemplate {
		return s.Bytes
	}
	bytes := -1
	for i, in := range k.Instances {
		n, exact := launches.SharedBytesOf(k, in, s)
		if !exact || i > 0 && n != bytes {
			return -1
		}
		bytes = n
	}
	return bytes
}

// known is n, or nil for the -1 that stands for "not known".
func known(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

func (r *KernelReport) regions(k *analysis.Kernel) {
	r.Regions = []RegionReport{}
	w := regions.Weights{K: k, Callees: map[*ir.Func]float64{}}
	inside := 0.0
	for _, g := range regions.InCalls(k, analysis.GridUniform) {
		f, last := g.Func.File, g.Stmts[len(g.Stmts)-1]
		out := RegionReport{
			First: f.Position(g.First.Start), Last: f.Position(g.Last.Start),
			StartLine: f.Position(g.Stmts[0].Range.Start).Line,
			EndLine:   f.Position(max(last.Range.Start, last.Range.End-1)).Line,
			Arrays:    regions.Names(g.Arrays), Loops: g.Loops, Barriers: g.Barriers, Returns: g.Returns,
			Live: regions.Names(g.Live), Control: regions.Control(k, g).String(), Hold: regions.ReportHold(g),
		}
		if g.Func != k.Func {
			out.Function = g.Func.View.Name
		}
		r.Regions = append(r.Regions, out)
		for _, s := range g.Stmts {
			inside += w.Of(g.Func, s) * math.Pow(10, float64(g.Loops))
		}
	}
	share := 0.0
	if all := w.Of(k.Func, k.Func.Body); all > 0 {
		share = math.Round(1000*inside/all) / 1000
	}
	r.RegionShareEstimate = &share
}

func launchReport(k *analysis.Kernel, l *analysis.Launch) LaunchReport {
	r := LaunchReport{Position: l.File.Position(l.View.Open)}
	config := func(i int) string {
		if i < len(l.View.Config) {
			return strings.Join(strings.Fields(l.View.ConfigText(l.File, i)), " ")
		}
		return ""
	}
	r.Grid, r.Block = config(0), config(1)
	in := &analysis.Instance{Launch: l}
	if all := launches.Instances(k, l); len(all) == 1 { // else there is no one shape
		in = all[0]
	}
	if !in.Shape.Known() && k.Prog.Block.Known() {
		in.Shape, r.Assumed = k.Prog.Block, true
	}
	if d, ok := in.BlockShape(); ok {
		r.Shape = &d
	}
	if in.DynamicBytes > 0 {
		r.DynamicBytes = &in.DynamicBytes
	}
	return r
}
