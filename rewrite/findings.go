package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// findings are what the check of any rewriter says of a kernel: what is to be done to
// it, what is against that, and what its launches must be.
type findings struct {
	Kernel *analysis.Kernel
	// Variant is what is done. Its SharedSets are 1 for vtb with a lock.
	Variant

	reasons []diag.Message // against the rewrite
	notes   []diag.Message // what a reader of the rewritten kernel should know

	opt    Options // of the check
	rests  *rests  // see restsOn
	closed bool    // the proof holds for the launches in view alone
	bound  int     // the most threads that a block can have, since launch bounds were given; 0 if none were
	// slotWords is how many 32-bit words of dynamic shared memory each thread gets
	// beside what the launch asks for: where it is not 0, the third argument of each
	// launch grows by smux::slot_bytes<slotWords>(block).
	slotWords int
}

// newFindings begins the check of a rewriter for a kernel.
func newFindings(k *analysis.Kernel, rewriter string, opt Options) findings {
	f := findings{Kernel: k, Variant: opt.Variant, opt: opt}
	f.Rewriter = rewriter
	return f
}

// refuse adds a reason against the rewrite, at an offset of a file.
func (p *findings) refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	m := diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(p.reasons, m) {
		p.reasons = append(p.reasons, m)
	}
}

func (p *findings) note(f *parser.File, at int, code diag.Code, format string, args ...any) {
	p.notes = append(p.notes, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// assumes notes what a kernel whose launches stay as they are assumes, beside what it checks, of launches that may
// be in a file which was not named. A kernel that is static has no such launches.
func (p *findings) assumes(what string) {
	if k := p.Kernel; what != "" && k.View.Quals&parser.QualStatic == 0 {
		p.note(k.File, k.View.Start, CodeAssumed, "a launch in a file that was not named must %s, too", what)
	}
}

// listed writes what a sentence lists: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// says reports whether the kernel's text holds a mark of an earlier run.
func (p *findings) says(mark string) bool {
	mark, _, _ = strings.Cut(mark, ":")
	return slices.ContainsFunc(p.Kernel.Functions, func(fn *ir.Func) bool {
		return strings.Contains(string(fn.File.Src[fn.View.Start:fn.View.Body.End]), mark) ||
			strings.Contains(fn.File.MacroText(nameOffset(fn.View)), strings.TrimPrefix(mark, "//"))
	})
}

// editable reports whether text can be put around a region: not where its
// statements come out of a macro that also holds other statements.
func (p *findings) editable(r *analysis.Region) bool {
	for _, s := range []*ir.Stmt{r.Stmts[0], r.Stmts[len(r.Stmts)-1]} {
		for q := s.Parent; q != nil; q = q.Parent {
			if q.Macro {
				p.refuse(r.Func.File, s.Range.Start, CodeMacro, "a region begins or ends inside a macro")
				return false
			}
		}
	}
	return true
}

// isTypeParameter reports whether a type is a parameter of the kernel's template.
func (p *findings) isTypeParameter(name string) bool {
	return slices.ContainsFunc(p.Kernel.Func.TParams, func(t *ir.Var) bool {
		return t.Name == name && t.Kind == ir.VarTemplateType
	})
}

// at is where an offset of the kernel's file stands, as proofs are printed.
func (p *findings) at(offset int) string { return lineColumn(p.Kernel.File, offset) }

// title is how the text of a proof begins.
func (p *findings) title() string { return p.Variant.String() + " of " + p.Kernel.Name }

// What most proofs say of themselves; those that have more to say have methods of
// their own.

func (p *findings) found() *findings        { return p }
func (p *findings) files() []*parser.File   { return []*parser.File{p.Kernel.File} }
func (p *findings) functions() []*ir.Func   { return nil }
func (p *findings) runtime() []runtime.Part { return nil }

// needsMore reports whether a rewritten block that stays one may take more of an SM than the original, so
// that fewer are resident: what is staged or moved to shared memory, and loads ahead in registers.
func (p *findings) needsMore() bool {
	switch p.Rewriter {
	case variant.Stage, "stage-loads":
		return true
	case variant.Demote:
		return strings.Contains(p.Recipe, "demote=") || strings.Contains(p.Recipe, "spill=")
	}
	return false
}

// cooperative reports whether a launch of the kernel asks for all its blocks at once.
func (p *findings) cooperative() bool {
	return slices.ContainsFunc(p.Kernel.Launches, func(l *analysis.Launch) bool { return l.View.Call == parser.CallCooperative })
}

func alreadyMultiplexed(k *analysis.Kernel) bool {
	body := k.File.Src[k.View.Start:k.View.Body.End]
	return strings.Contains(string(body), "smux::")
}

// SlotGap is how many bytes slot_bytes leaves between dynamic shared memory of a
// kernel's own and words behind it.
const SlotGap = mostAligned - 4

// paddedStatic is the static shared memory of the kernel, each variable as if it
// were aligned to 16 bytes.
func (p *findings) paddedStatic() int {
	most := 0
	for _, in := range p.Kernel.Instances {
		bytes := 0
		for _, s := range p.Kernel.Shared {
			if !s.Dynamic {
				n, _ := p.Kernel.SharedBytesOf(in, s)
				bytes += (n + 15) / 16 * 16
			}
		}
		most = max(most, bytes)
	}
	return most
}

// mostAligned is the highest alignment that slot_bytes has a gap for.
const mostAligned = 128
