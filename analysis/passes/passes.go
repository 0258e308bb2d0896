// Package passes lists the analyses that each kernel goes through.
package passes

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hazards"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/parser"
)

// All are all analyses, in an order that respects Requires.
var All = []*analysis.Pass{
	{Name: "calls", Doc: "device functions that the kernel reaches", Run: (*analysis.Kernel).FindFunctions},
	{Name: "size", Doc: "kernels that are too large or too deep for the other passes", Requires: []string{"calls"}, Run: hazards.FindSize},
	{Name: "launches", Doc: "launches in view and the block shapes they use", Unparsed: true, Run: launches.Find},
	{Name: "shared", Doc: "shared variables and their sizes", Requires: []string{"calls", "launches"}, Run: evaluate.FindShared},
	{Name: "hazards", Doc: "constructs that no rewrite may touch", Requires: []string{"calls"}, Run: hazards.Find},
	{Name: "includer macros", Doc: "headers that are included under other macros", Requires: []string{"calls"}, Run: hazards.FindIncluderMacros},
	{Name: "implicit", Doc: "code that runs without a call: constructors, operators", Requires: []string{"calls", "launches"}, Run: hazards.FindImplicit},
	{Name: "aliases", Doc: "pointers and references into shared memory", Requires: []string{"shared"}, Run: pointers.FindAliases},
	{Name: "escapes", Doc: "shared addresses that leave smux's sight", Requires: []string{"aliases"}, Run: pointers.FindEscapes},
	{Name: "levels", Doc: "uniformity of values and control", Requires: []string{"calls", "launches", "shared"}, Run: uniformity.FindLevels},
	{Name: "barriers", Doc: "thread-block barriers and exits with the control around them", Requires: []string{"levels"}, Run: uniformity.FindBarriers},
	{Name: "waits", Doc: "recursion with barriers, and loops that wait for other thread blocks", Requires: []string{"aliases", "barriers", "implicit"}, Run: hazards.Waits},
	{Name: "regions", Doc: "stretches in which the shared variables are live", Requires: []string{"aliases", "levels"}, NeedsClean: true, Run: regions.Find},
}

// NewProgram prepares a parsed program for analysis. block is the block shape
// to assume for kernels whose launch is out of sight; zero if there is none.
func NewProgram(p *parser.Program, block [3]int) *analysis.Program {
	return analysis.NewProgram(p, block, All)
}
