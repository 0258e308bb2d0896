package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Findings hold what the check of any rewriter finds of a kernel: what is to be done to
// it, what is against that, and what its launches must be.
type Findings struct {
	Kernel *analysis.Kernel
	// Variant names the rewrite. Its SharedSets are 1 for vtb with a lock.
	Variant

	Reasons []diag.Message // against the rewrite
	Notes   []diag.Message // what a reader of the rewritten kernel should know

	Opt    Options // of the check
	Rests  *rests  // see RestsOn
	Closed bool    // the proof holds for the launches in view alone
	Bound  int     // the most threads that a block can have, since launch bounds were given; 0 if none were
	// SlotWords is the number of 32-bit words of dynamic shared memory that each thread gets beside what the launch asks for: where it
	// is not 0, the third argument of each launch grows by smux::slot_bytes<SlotWords>(block).
	SlotWords int
}

// NewFindings begins the check of a rewriter for a kernel.
func NewFindings(k *analysis.Kernel, rewriter string, opt Options) Findings {
	f := Findings{Kernel: k, Variant: opt.Variant, Opt: opt}
	f.Rewriter = rewriter
	return f
}

// Refuse adds a reason against the rewrite, at an offset of a file.
func (p *Findings) Refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	m := diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)}
	p.Reasons = lists.Add(p.Reasons, m)
}

// Note adds a remark for who reads the rewritten kernel.
func (p *Findings) Note(f *parser.File, at int, code diag.Code, format string, args ...any) {
	p.Notes = append(p.Notes, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// Assumes notes what a kernel whose launches stay as they are assumes, beside what it checks, of launches that may
// be in a file which was not named. A kernel that is static has no such launches.
func (p *Findings) Assumes(what string) {
	if k := p.Kernel; what != "" && k.View.Quals&parser.QualStatic == 0 {
		p.Note(k.File, k.View.Start, CodeAssumed, "a launch in a file that was not named must %s, too", what)
	}
}

// Says reports whether the kernel's text holds a mark of an earlier run.
func (p *Findings) Says(mark string) bool {
	mark, _, _ = strings.Cut(mark, ":")
	return slices.ContainsFunc(p.Kernel.Functions, func(fn *ir.Func) bool {
		return strings.Contains(string(fn.File.Src[fn.View.Start:fn.View.Body.End]), mark) ||
			strings.Contains(fn.File.MacroText(NameOffset(fn.View)), strings.TrimPrefix(mark, "//"))
	})
}

// Editable reports whether text can be put around a region: not where its
// statements come out of a macro that also holds other statements.
func (p *Findings) Editable(r *analysis.Region) bool {
	for _, s := range []*ir.Stmt{r.Stmts[0], r.Stmts[len(r.Stmts)-1]} {
		for q := s.Parent; q != nil; q = q.Parent {
			if q.Macro {
				p.Refuse(r.Func.File, s.Range.Start, CodeMacro, "a region begins or ends inside a macro")
				return false
			}
		}
	}
	return true
}

// IsTypeParameter reports whether a type is a parameter of the kernel's template.
func (p *Findings) IsTypeParameter(name string) bool {
	return slices.ContainsFunc(p.Kernel.Func.TParams, func(t *ir.Var) bool {
		return t.Name == name && t.Kind == ir.VarTemplateType
	})
}

// At returns the line and column of an offset of the kernel's file, as proofs print it.
func (p *Findings) At(offset int) string { return LineColumn(p.Kernel.File, offset) }

// Title returns the beginning of a proof's text.
func (p *Findings) Title() string { return p.Variant.String() + " of " + p.Kernel.Name }

// What most proofs say of themselves; those that have more to say have methods of their own.

func (p *Findings) Found() *Findings        { return p }
func (p *Findings) Files() []*parser.File   { return []*parser.File{p.Kernel.File} }
func (p *Findings) Functions() []*ir.Func   { return nil }
func (p *Findings) Runtime() []runtime.Part { return nil }

// NeedsMore reports whether a rewritten block that stays one may take more of an SM than the original, so
// that fewer are resident: what is staged or moved to shared memory, and loads ahead in registers.
func (p *Findings) NeedsMore() bool {
	switch p.Rewriter {
	case variant.Stage, variant.StageLoads:
		return true
	case variant.Demote:
		return strings.Contains(p.Recipe, "demote=") || strings.Contains(p.Recipe, "spill=")
	}
	return false
}

// Cooperative reports whether a launch of the kernel asks for all its blocks at once.
func (p *Findings) Cooperative() bool {
	return slices.ContainsFunc(p.Kernel.Launches, func(l *analysis.Launch) bool { return l.View.Call == parser.CallCooperative })
}

// AlreadyMultiplexed reports whether smux merged the blocks of a kernel before.
func AlreadyMultiplexed(k *analysis.Kernel) bool {
	body := k.File.Src[k.View.Start:k.View.Body.End]
	return strings.Contains(string(body), "smux::")
}

// SlotGap is the number of bytes that slot_bytes leaves between dynamic shared memory of a
// kernel's own and words after it.
const SlotGap = MostAligned - 4

// PaddedStatic is the static shared memory of the kernel, each variable as if it were aligned to 16 bytes.
func (p *Findings) PaddedStatic() int {
	most := 0
	for _, in := range p.Kernel.Instances {
		bytes := 0
		for _, s := range p.Kernel.Shared {
			if !s.Dynamic {
				n, _ := launches.SharedBytesOf(p.Kernel, in, s)
				bytes += (n + 15) / 16 * 16
			}
		}
		most = max(most, bytes)
	}
	return most
}

// MostAligned is the highest alignment that slot_bytes has a gap for.
const MostAligned = 128
