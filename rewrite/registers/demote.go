// Package registers takes registers from a kernel as a recipe says: launch bounds, pins,
// unroll factors, and words that move to shared memory (Hayes & Zhang; RegDem).
package registers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeRecipe is a recipe that cannot be followed: it names what is not there, or asks for nothing.
const CodeRecipe diag.Code = "recipe"

// Check proves that what a recipe asks for keeps the kernel's meaning. Each part is proved by itself, in a file of
// its own; what it touches is private to a thread, so that neither barriers nor regions matter, and hazards that
// concern shared memory alone don't either.
//
// Which recipe makes a kernel faster is for package regreduce to find out.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &demoteProof{Findings: kit.NewFindings(k, variant.Demote, opt)}
	var err error
	if p.recipe, err = variant.ParseRecipe(p.Recipe); err != nil {
		p.Refuse(k.File, k.View.Start, CodeRecipe, "the recipe can't be read: %v", err)
		return nil, p.Reasons
	}
	if p.recipe.String() == "" {
		p.Refuse(k.File, k.View.Start, CodeRecipe, "the recipe asks for nothing")
		return nil, p.Reasons
	}
	for _, h := range k.Hazards {
		if h.Code == analysis.CodeSyntax {
			return nil, []diag.Message{h}
		}
	}
	if p.Says(demoteMark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "the kernel's registers are already brought down")
		return nil, p.Reasons
	}
	p.checkSpill(p.recipe)
	p.cap = p.CapRegisters(p.recipe)
	p.pinVariables()
	p.demoteWords()
	if p.recipe.Spill && p.SlotWords > 0 {
		p.Refuse(k.File, k.View.Start, CodeSpill, "words move to dynamic shared memory, which spills can't stand beside")
	}
	p.unrolled = p.unrollLoops(p.recipe)
	return p, p.Reasons
}

// demoteMark begins the comment that tells what was done to a kernel.
const demoteMark = "// smux demote"

// demoteProof says what the parts of a recipe come to.
type demoteProof struct {
	kit.Findings
	recipe   variant.Recipe
	cap      *kit.RegisterCap // nil for none
	consts   []constToken     // that pinned variables lose
	pins     []pinPlace       // in the order of the text
	words    []*demotion.Word
	layout   slotLayout // of the words
	unrolled []unrolled
}

// String lists the changes by part of the recipe.
func (p *demoteProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	if c := p.cap; c != nil {
		fmt.Fprintf(&b, "\n\tcap at %s: %s", p.At(c.At.Start), strings.TrimSpace(c.Text))
	}
	for _, c := range p.consts {
		fmt.Fprintf(&b, "\n\tno const at %s", kit.LineColumn(c.fn.File, c.at.Start))
	}
	for _, at := range p.pins {
		fmt.Fprintf(&b, "\n\tpin %s %s:", at.where, kit.LineColumn(at.fn.File, at.stmt.Range.Start))
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
		fmt.Fprintf(&b, "\n\tunroll %d at %s", u.factor, kit.LineColumn(u.fn.File, u.loop.Range.Start))
	}
	return b.String()
}

// demoteEmitter makes the edits of a recipe.
type demoteEmitter struct{ kit.Emitter }

// Apply follows the recipe, the unroll factors last.
func (p *demoteProof) Apply() *kit.Edits {
	w := &demoteEmitter{kit.NewEmitter(p.Kernel)}
	top := []string{demoteMark + ": " + p.recipe.String()}
	if p.recipe.Spill {
		top = append(top, spillLines...)
	}
	w.AtTop(top)
	if c := p.cap; c != nil {
		w.Buffer(p.Kernel.File).Replace(c.At.Start, c.At.End, c.Text)
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
		w.AtTop(w.Checks(&p.Findings))
	case p.Closed:
		w.AtTop(p.Assertions())
	}
	return w.Done()
}

func (p *demoteProof) Files() []*parser.File {
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

func (p *demoteProof) Runtime() (parts []runtime.Part) {
	if p.SlotWords > 0 {
		parts = append(parts, runtime.SlotBytes)
	}
	// Words of more than references have types of the runtime's.
	if slices.ContainsFunc(p.words, func(w *demotion.Word) bool { return p.recipe.Form == variant.FormAsm || w.Fields != nil || w.Count > 0 }) {
		parts = append(parts, runtime.Slots)
	}
	return parts
}
