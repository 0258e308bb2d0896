// Package slice makes shared arrays smaller: threads exchange what an array holds in rounds,
// each of which needs a part of it.
package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/overlay"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkRounds proves that exchanges through shared arrays can be made in rounds, each of
// which needs a part of the arrays' bytes: component by component of the elements, or
// by windows of the first subscript. Nothing is merged and no launch changes.
//
//	__shared__ float2 s[64];                __shared__ float s[64];
//	s[t] = v;                               s[t] = v.x;
//	__syncthreads();                        __syncthreads();
//	v = s[63 - t];            -->           v.x = s[63 - t];
//	                                        __syncthreads();
//	                                        s[t] = v.y;
//	                                        __syncthreads();
//	                                        v.y = s[63 - t];
//
// An exchange is a region (analysis.Region): nothing in the arrays is live at its ends.
// In it every thread first writes, then meets a barrier, then reads. All uses of an
// array must lie in exchanges, since its type or size is another one everywhere.
//
// What a later round writes, and all that its subscripts and conditions are computed
// from, must be what it was in the first: see roundsCheck.
func checkRounds(k *analysis.Kernel, opt kit.Options) (*sliceProof, []diag.Message) {
	p := &sliceProof{Findings: kit.NewFindings(k, variant.Slice, opt), forms: map[*ir.Func]*slicedFunc{}, inside: map[*ir.Func]*slicedInside{}, lonely: map[*ir.Var]bool{}}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if p.Says(sliceMark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "the kernel's exchanges are already made in rounds")
		return nil, p.Reasons
	}
	if len(k.Shared) == 0 {
		p.Refuse(k.File, k.View.Start, kit.CodeNoShared, "there is no shared array to exchange through")
		return nil, p.Reasons
	}
	if !p.runsQuietly() {
		return nil, p.Reasons
	}
	p.Closed = launches.IsLaunched(k)
	for _, s := range k.Shared {
		if a := p.cut(s); a != nil && p.findUses(a) {
			p.arrays = append(p.arrays, a)
		}
	}
	if p.byArray() {
		p.findGroups()
	}
	// An array that can't be sliced takes those with it that it is exchanged with.
	for again := true; again; {
		again = p.findExchanges()
	}
	if len(p.arrays) > 0 && !slices.ContainsFunc(p.exchanges, func(x *exchange) bool { return len(x.rounds(p.rounds())) > 1 }) {
		at := p.arrays[0].Var
		p.Refuse(at.File, at.Range.Start, CodeNoExchange, "%s is exchanged by itself: --variant overlay lets arrays share bytes that are", at.Name)
		p.arrays = nil
	}
	if len(p.arrays) == 0 {
		return nil, p.Reasons
	}
	p.Reasons = nil
	p.Rounds = p.rounds()
	return p, nil
}

// sliceMark begins the comment above the rounds that were put in front of an exchange.
const sliceMark = "// smux slice:"

// sliceProof says which arrays are sliced, and the exchanges that are made in rounds.
type sliceProof struct {
	kit.Findings
	arrays    []*slicedArray
	exchanges []*exchange
	forms     map[*ir.Func]*slicedFunc   // device functions that are called with an array
	inside    map[*ir.Func]*slicedInside // device functions that make exchanges
	lonely    map[*ir.Var]bool           // see alone
	own       bool                       // no two threads use the same element, see ownElements
	union     *overlay.OverlayProof      // by array: the arrays that have a round each, nil where the rounds are of rows
}

// byComponent reports whether the rounds are of the elements' components.
func (p *sliceProof) byComponent() bool { return p.By == variant.ByComponent }

// byArray reports whether the rounds are of arrays, or of groups of their rows.
func (p *sliceProof) byArray() bool { return p.By == variant.ByArray }

// byWindow reports whether the rounds are windows of the first subscript.
func (p *sliceProof) byWindow() bool { return p.By == variant.ByWindow }

// rounds is in how many rounds an exchange is made.
func (p *sliceProof) rounds() int {
	switch a := p.arrays[0]; {
	case p.byWindow():
		return p.Rounds
	case !p.byArray():
		return len(a.parts)
	case a.groups != nil:
		return len(a.groups)
	}
	return len(p.arrays)
}

// slicedArray is a shared array, and what it becomes.
type slicedArray struct {
	*analysis.Shared
	parts  []named.Member // by component: what one after the other is exchanged
	window int            // by window: the subscripts of a round
	groups []rowGroup     // by array: the rows of each round, nil where one is of all
	turn   int            // by array: which round is of all rows
	uses   []*sliceUse
}

// cut says what becomes of an array, nil where it can't be anything.
func (p *sliceProof) cut(s *analysis.Shared) *slicedArray {
	f, at := s.Var.File, s.Var.Range.Start
	d := s.Var.Decl
	switch {
	case s.Dynamic:
		p.Refuse(f, at, CodeSliceType, "%s has the bytes that the launch asks for, which does not change", s.Name)
		return nil
	case d == nil || p.holder(s) == nil:
		p.Refuse(f, at, CodeSliceType, "%s is declared outside of the kernel and its functions", s.Name)
		return nil
	case len(s.Var.Dims) == 0:
		p.Refuse(f, at, CodeSliceType, "%s is not an array", s.Name)
		return nil
	case s.Var.Type.Volatile:
		p.Refuse(f, at, CodeSliceAccess, "%s is volatile: threads may tell each other something by it without a barrier", s.Name)
		return nil
	case d.Macro || s.Var.Macro:
		p.Refuse(f, at, kit.CodeMacro, "%s is declared inside a macro", s.Name)
		return nil
	}
	switch p.By {
	case variant.ByWindow:
		return p.windows(s)
	case variant.ByArray:
		return &slicedArray{Shared: s}
	}
	return p.components(s)
}

// components are the parts of an array's elements, all of one type.
func (p *sliceProof) components(s *analysis.Shared) *slicedArray {
	f, at := s.Var.File, s.Var.Range.Start
	a := &slicedArray{Shared: s, parts: named.Members(p.Kernel, p.Kernel.Func, s.Type)}
	one := func(m named.Member) bool { return m.Type != a.parts[0].Type }
	switch {
	case len(a.parts) < 2 || len(a.parts) > variant.MostRounds || slices.ContainsFunc(a.parts, one):
		p.Refuse(f, at, CodeSliceType, "the elements of %s are not of 2 to %d numbers of one type", s.Name, variant.MostRounds)
		return nil
	case p.Rounds != 0 && p.Rounds != len(a.parts):
		p.Refuse(f, at, CodeSliceType, "the elements of %s have %d components, and the rounds are %d", s.Name, len(a.parts), p.Rounds)
		return nil
	case len(p.arrays) > 0 && len(a.parts) != len(p.arrays[0].parts):
		p.Refuse(f, at, CodeSliceType, "the elements of %s have %d components, and those of %s another number", s.Name, len(a.parts), p.arrays[0].Name)
		return nil
	case len(s.Var.Decl.Vars) > 1:
		p.Refuse(f, at, CodeSliceType, "%s is declared along with other variables, whose type stays", s.Name)
		return nil
	case typeWord(s) < 0:
		p.Refuse(f, at, kit.CodeMacro, "the element type of %s can't be found in its declaration", s.Name)
		return nil
	}
	return a
}

// typeWord returns the offset of the element type in the declaration of an array, -1 where it
// does not stand there as a word.
func typeWord(s *analysis.Shared) int {
	start := s.Var.Decl.Range.Start
	head := string(s.Var.File.Src[start:s.Var.Range.Start])
	at := kit.WordOffsets(head, s.Type)
	if len(at) != 1 {
		return -1
	}
	return start + at[0]
}

// windows are the subscripts of an array that a round is of.
func (p *sliceProof) windows(s *analysis.Shared) *slicedArray {
	f, at := s.Var.File, s.Var.Range.Start
	switch {
	case len(s.Dims) == 0 || footprint.Extents(p.Kernel, s) == nil || s.Count < 0:
		p.Refuse(f, at, CodeSliceType, "the size of %s is not known, or not the same in every launch", s.Name)
		return nil
	case len(p.Kernel.Func.TParams) > 0 || len(p.holder(s).TParams) > 0:
		p.Refuse(f, at, CodeSliceType, "the size of %s may be another one in each kernel that the template makes", s.Name)
		return nil
	case s.Dims[0] < p.Rounds:
		p.Refuse(f, at, CodeSliceType, "%s has fewer rows than there are rounds", s.Name)
		return nil
	}
	return &slicedArray{Shared: s, window: (s.Dims[0] + p.Rounds - 1) / p.Rounds}
}

// String names what becomes of each array, and the exchanges.
func (p *sliceProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, a := range p.arrays {
		switch {
		case a.window > 0:
			fmt.Fprintf(&b, "\n\t%s: %d of %d rows", a.Name, a.window, a.Dims[0])
		case p.byArray():
			for r := range max(1, len(a.groups)) {
				fmt.Fprintf(&b, "\n\tround %d: %s", max(r, a.turn)+1, a.rowsText(r))
			}
		default:
			fmt.Fprintf(&b, "\n\t%s: %s of %s", a.Name, a.parts[0].Type, a.Type)
		}
	}
	for _, x := range p.exchanges {
		fmt.Fprintf(&b, "\n\texchange at %s", kit.LineColumn(x.fn.File, x.stmts[0].Range.Start))
		if x.fn != p.Kernel.Func {
			fmt.Fprintf(&b, " in %s", x.fn.View.Name)
		}
	}
	return b.String()
}

func (p *sliceProof) Functions() (out []*ir.Func) {
	for _, f := range p.Kernel.Functions {
		if p.forms[f] != nil && slices.ContainsFunc(p.exchanges, func(x *exchange) bool { return x.calls(f) }) || p.exchangesIn(f) {
			out = append(out, f)
		}
	}
	return out
}

func (p *sliceProof) Files() (out []*parser.File) {
	out = append(out, p.Kernel.File)
	for _, f := range p.Functions() {
		out = append(out, f.File)
	}
	return out
}
