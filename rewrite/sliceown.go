package rewrite

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// checkSlice proves that exchanges can be made in rounds (see checkRounds), and that other
// arrays of which each thread uses one element of its own can be variables of the thread:
//
//	__shared__ int cases[64];               int cases;
//	cases[t] = n;                  -->      cases = n;
//	k = table[cases[t]];                    k = table[cases];
//
// These are two rewrites, as those of co-vtb are: the rounds are proved of the text in which such
// arrays are variables. Where they can't be there, or there are none, they are proved of the kernel as it is.
func checkSlice(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
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
	if len(own) == 0 || rereadsTooMuch(k.File) {
		return p, nil
	}
	s, err := newSnapshot(k, asVariables(k, own))
	if err != nil {
		return p, nil
	}
	second, _ := checkRounds(s.kernel, opt)
	if second == nil {
		return p, nil
	}
	told := second.findings
	told.Kernel, told.notes = k, s.messages(told.notes)
	return &ownedSlice{sliceProof: second, told: told, own: own, parted: s}, nil
}

// ownedSlice is the proof of rounds of the text in which arrays are variables.
type ownedSlice struct {
	*sliceProof
	told   findings // of the kernel as it is
	own    []*analysis.Shared
	parted *snapshot
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
	head, declarator := string(k.File.Src[d.Range.Start:v.Range.Start]), text(k.File, v.Range)
	open, end := brackets(declarator, len(v.Name))
	if !strings.HasPrefix(declarator, v.Name) || open < 0 || end != len(declarator) || !oneLine(head+declarator) ||
		!strings.HasPrefix(head, sharedWord+" ") || strings.ContainsAny(head, "({") || len(wordOffsets(head, "static")) > 0 {
		return false
	}
	plain := true
	for _, e := range elementsOf(k, s) {
		plain = plain && !e.Macro && !e.Kids[0].Macro && e.Kids[0].Op == ir.OpIdent
	}
	return plain && k.OwnElements(s, 0)
}

// sharedWord begins the declaration of a shared variable.
const sharedWord = "__shared__"

// elementsOf are the elements of an array of one dimension that the kernel names.
func elementsOf(k *analysis.Kernel, s *analysis.Shared) (out []*ir.Expr) {
	k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIndex && k.SharedVar(k.Func, e.Kids[0]) == s {
			out = append(out, e)
		}
		return true
	})
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
func (p *ownedSlice) Apply() *Edits {
	edits := p.sliceProof.Apply()
	if err := p.parted.rebase(edits); err != nil {
		panic("rounds and variables want to change the same: " + err.Error())
	}
	return edits
}

func (p *ownedSlice) found() *findings { return &p.told }

func (p *ownedSlice) files() (out []*parser.File) {
	for _, f := range p.sliceProof.files() {
		if f == p.parted.kernel.File {
			f = p.told.Kernel.File
		}
		out = append(out, f)
	}
	return out
}

func (p *ownedSlice) functions() (out []*ir.Func) {
	for _, fn := range p.sliceProof.functions() {
		out = append(out, p.parted.function(fn))
	}
	return out
}

// String names the arrays that are variables, and the rounds with places in the text in which they are.
func (p *ownedSlice) String() string {
	var names []string
	for _, s := range p.own {
		names = append(names, s.Name)
	}
	return p.sliceProof.String() + "\n\tvariables of each thread: " + strings.Join(names, ", ")
}
