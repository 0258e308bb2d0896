package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeRecipe is a recipe that cannot be followed: it names what is not there, or
// asks for nothing.
const CodeRecipe diag.Code = "recipe"

// checkDemote proves that what a recipe asks for keeps the kernel's meaning. Each
// part is proved by itself, in a file of its own; what it touches is private to a
// thread, so that neither barriers nor regions matter, and hazards that concern
// shared memory alone don't either.
//
// Which recipe makes a kernel faster is for package regreduce to find out.
func checkDemote(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	p := &demoteProof{findings: newFindings(k, variant.Demote, opt)}
	var err error
	if p.recipe, err = variant.ParseRecipe(p.Recipe); err != nil {
		p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe can't be read: %v", err)
		return nil, p.reasons
	}
	if p.recipe.String() == "" {
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
	p.checkSpill(p.recipe)
	p.cap = p.capRegisters(p.recipe)
	p.pinVariables()
	p.demoteWords()
	if p.recipe.Spill && p.slotWords > 0 {
		p.refuse(k.File, k.View.Start, CodeSpill, "words move to dynamic shared memory, which spills can't stand beside")
	}
	p.unrolled = p.unrollLoops(p.recipe)
	return p, p.reasons
}

// demoteMark begins the comment that tells what was done to a kernel.
const demoteMark = "// smux demote"

// demoteProof says what the parts of a recipe come to.
type demoteProof struct {
	findings
	recipe   variant.Recipe
	cap      *registerCap // nil for none
	consts   []constToken // that pinned variables lose
	pins     []pinPlace   // in the order of the text
	words    []*demotion.Word
	layout   slotLayout // of the words
	unrolled []unrolled
}

// String lists the changes by part of the recipe.
func (p *demoteProof) String() string {
	var b strings.Builder
	b.WriteString(p.title())
	if c := p.cap; c != nil {
		fmt.Fprintf(&b, "\n\tcap at %s: %s", p.at(c.at.Start), strings.TrimSpace(c.text))
	}
	for _, c := range p.consts {
		fmt.Fprintf(&b, "\n\tno const at %s", lineColumn(c.fn.File, c.at.Start))
	}
	for _, at := range p.pins {
		fmt.Fprintf(&b, "\n\tpin %s %s:", at.where, lineColumn(at.fn.File, at.stmt.Range.Start))
		for _, v := range at.vars {
			b.WriteString(" " + v.Name)
		}
	}
	for _, w := range p.words {
		fmt.Fprintf(&b, "\n\tword %s: %d of thread %s", w.Name, w.Words, p.layout.number)
		if !p.layout.dynamic() {
			fmt.Fprintf(&b, " of %d", p.layout.threads)
		}
	}
	for _, u := range p.unrolled {
		fmt.Fprintf(&b, "\n\tunroll %d at %s", u.factor, lineColumn(u.fn.File, u.loop.Range.Start))
	}
	return b.String()
}

// demoteEmitter makes the edits of a recipe.
type demoteEmitter struct{ emitter }

// Apply follows the recipe, the unroll factors last.
func (p *demoteProof) Apply() *Edits {
	w := &demoteEmitter{newEmitter(p.Kernel)}
	top := []string{demoteMark + ": " + p.recipe.String()}
	if p.recipe.Spill {
		top = append(top, spillLines...)
	}
	w.atTop(top)
	if c := p.cap; c != nil {
		w.buffer(p.Kernel.File).Replace(c.at.Start, c.at.End, c.text)
	}
	for _, c := range p.consts {
		w.loseConst(c)
	}
	for _, at := range p.pins {
		w.pin(at)
	}
	if len(p.words) > 0 {
		w.placeWords(p)
	}
	for _, u := range p.unrolled {
		w.setPragma(u.fn.File, u.loop, u.factor)
	}
	switch { // launch bounds are kept by whoever launches
	case len(p.recipe.Words) > 0:
		w.atTop(w.checks(&p.findings))
	case p.closed:
		w.atTop(p.assertions())
	}
	return w.done()
}

func (p *demoteProof) files() []*parser.File {
	out := []*parser.File{p.Kernel.File}
	for _, at := range p.pins {
		out = append(out, at.fn.File)
	}
	for _, w := range p.words {
		out = append(out, w.Func.File)
	}
	for _, u := range p.unrolled {
		out = append(out, u.fn.File)
	}
	return out
}

func (p *demoteProof) runtime() (parts []runtime.Part) {
	if p.slotWords > 0 {
		parts = append(parts, runtime.SlotBytes)
	}
	// Words of more than references have types of the runtime's.
	if slices.ContainsFunc(p.words, func(w *demotion.Word) bool { return p.recipe.Form == variant.FormAsm || w.Fields != nil || w.Count > 0 }) {
		parts = append(parts, runtime.Slots)
	}
	return parts
}
