package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// CodeRecipe is a recipe that cannot be followed: it names what is not there, or
// asks for nothing.
const CodeRecipe diag.Code = "recipe"

// checkDemote proves that what a recipe asks for keeps the kernel's meaning. Each
// part is proved by itself, in a file of its own; what it touches is private to a
// thread, so that neither barriers nor regions matter, and hazards that concern
// shared memory alone don't either.
//
// Which recipe makes a kernel faster is for package ladder to find out.
func checkDemote(k *analysis.Kernel, opt Options) (*Plan, []diag.Message) {
	p := newPlan(k, Demote, opt)
	r, err := ParseRecipe(p.Recipe)
	if err != nil {
		p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe can't be read: %v", err)
		return nil, p.reasons
	}
	if r.String() == "" {
		p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe asks for nothing")
		return nil, p.reasons
	}
	for _, h := range k.Hazards {
		if h.Code == analysis.CodeSyntax {
			return nil, []diag.Message{h}
		}
	}
	if p.says(demoteMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the kernel's registers are already brought down")
		return nil, p.reasons
	}
	p.chooseNames()
	p.atTop(append([]string{demoteMark + ": " + r.String()}, p.spillToShared(r)...))
	p.capRegisters(r)
	p.pinVariables(r)
	p.demoteWords(r)
	if r.Spill && p.slotWords > 0 {
		p.refuse(k.File, k.View.Start, CodeSpill, "words move to dynamic shared memory, which spills can't stand beside")
	}
	p.unrollLoops(r)
	if len(p.reasons) == 0 {
		if asserts := p.assumptions(); len(asserts) > 0 && (len(r.Words) > 0 || p.closed) {
			p.atTop(asserts)
		}
	}
	return p, p.reasons
}

// demoteMark begins the comment that tells what was done to a kernel.
const demoteMark = "// smux demote"
