package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Check proves that exchanges can be made in rounds (see checkRounds), and that other
// arrays of which each thread uses one element of its own can be variables of the thread:
//
//	__shared__ int cases[64];               int cases;
//	cases[t] = n;                  -->      cases = n;
//	k = table[cases[t]];                    k = table[cases];
//
// These are two rewrites, as those of co-vtb are: the rounds are proved of the text in which such
// arrays are variables. Where they can't be there, or there are none, they are proved of the kernel as it is.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p, reasons := checkRounds(k, opt)
	if p == nil {
		return nil, reasons
	}
	var own []*analysis.Shared
	for _, s := range k.Shared {
		sliced := slices.ContainsFunc(p.arrays, func(a *slicedArray) bool { return a.Shared == s })
		if !sliced && isThreadOwn(k, s) {
			own = append(own, s)
		}
	}
	if len(own) == 0 || kit.RereadsTooMuch(k.File) {
		return p, nil
	}
	s, err := kit.NewSnapshot(k, asVariables(k, own))
	if err != nil {
		return p, nil
	}
	second, _ := checkRounds(s.Kernel, opt)
	if second == nil {
		return p, nil
	}
	told := second.Findings
	told.Kernel, told.Notes = k, s.Messages(told.Notes)
	return &ownedSlice{sliceProof: second, told: told, own: own, parted: s}, nil
}

// ownedSlice is the proof of rounds of the text in which arrays are variables.
type ownedSlice struct {
	*sliceProof
	told   kit.Findings // of the kernel as it is
	own    []*analysis.Shared
	parted *kit.Snapshot
}

// mostOwnBytes are the largest elements that become variables: four registers.
const mostOwnBytes = 16

// isThreadOwn reports whether a shared array can be a variable of each thread: it has one dimension,
// in which no thread uses an element but its own, and lives as long as the thread does.
func isThreadOwn(k *analysis.Kernel, s *analysis.Shared) bool {
	v := s.Var
	d := v.Decl
	if s.Dynamic || len(v.Dims) != 1 || s.Elem < 1 || s.Elem > mostOwnBytes || v.Macro || d == nil || d.Macro || d.Parent != k.Func.Body || len(d.Vars) != 1 {
		return false
	}
	head, declarator := string(k.File.Src[d.Range.Start:v.Range.Start]), kit.Text(k.File, v.Range)
	open, end := kit.Brackets(declarator, len(v.Name))
	if !strings.HasPrefix(declarator, v.Name) || open < 0 || end != len(declarator) || !kit.OneLine(head+declarator) ||
		!strings.HasPrefix(head, sharedWord+" ") || strings.ContainsAny(head, "({") || len(kit.WordOffsets(head, "static")) > 0 {
		return false
	}
	plain := true
	for _, e := range elementsOf(k, s) {
		plain = plain && !e.Macro && !e.Kids[0].Macro && e.Kids[0].Op == ir.OpIdent
	}
	return plain && liveness.OwnElements(k, s, 0)
}

// sharedWord begins the declaration of a shared variable.
const sharedWord = "__shared__"

// elementsOf are the elements of an array of one dimension that the kernel names.
func elementsOf(k *analysis.Kernel, s *analysis.Shared) (out []*ir.Expr) {
	for e := range k.Func.Body.AllExprs() {
		if e.Op == ir.OpIndex && evaluate.SharedVar(k, k.Func, e.Kids[0]) == s {
			out = append(out, e)
		}
	}
	return out
}

// asVariables makes variables of arrays.
func asVariables(k *analysis.Kernel, own []*analysis.Shared) (out []edit.Edit) {
	for _, s := range own {
		v := s.Var
		at := v.Decl.Range.Start
		out = append(out, edit.Edit{Start: at, End: at + len(sharedWord) + 1}, edit.Edit{Start: v.Range.Start + len(v.Name), End: v.Range.End})
		for _, e := range elementsOf(k, s) {
			out = append(out, edit.Edit{Start: e.Kids[0].Range.End, End: e.Range.End})
		}
	}
	return out
}

// Apply writes the rounds, and brings the edits back to the original text.
func (p *ownedSlice) Apply() *kit.Edits {
	edits := p.sliceProof.Apply()
	if err := p.parted.Rebase(edits); err != nil {
		panic("rounds and variables want to change the same: " + err.Error())
	}
	return edits
}

func (p *ownedSlice) Found() *kit.Findings { return &p.told }

func (p *ownedSlice) Files() (out []*parser.File) {
	for _, f := range p.sliceProof.Files() {
		if f == p.parted.Kernel.File {
			f = p.told.Kernel.File
		}
		out = append(out, f)
	}
	return out
}

func (p *ownedSlice) Functions() []*ir.Func {
	return lists.Map(p.sliceProof.Functions(), func(fn *ir.Func) *ir.Func { return p.parted.Function(fn) })
}

// String names the arrays that are variables, and the rounds with places in the text in which they are.
func (p *ownedSlice) String() string {
	names := lists.Map(p.own, func(s *analysis.Shared) string { return s.Name })
	return p.sliceProof.String() + "\n\tvariables of each thread: " + strings.Join(names, ", ")
}
