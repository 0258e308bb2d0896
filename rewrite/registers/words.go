package registers

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeWordForm is a variable that the form asm can't have.
const CodeWordForm diag.Code = "word-form"

// demoteWords moves variables to shared memory (RegDem §3): each gets an array of
// one element per thread, and its name becomes that of the thread's element.
//
//	float sum = 0;                      -->      volatile float &sum = smux_sum[smux_t];
//	for (…) sum += a[i];                         sum = 0;
//	                                             for (…) sum += a[i];
//
// smux_t is the thread's number in its block, so that the addresses of a warp are those of 32 banks, and no two
// threads have an element in common. What a thread stores there it alone reads: no barrier is needed, and neither
// divergence nor an early exit matters. Where no constant bounds the threads of a block, the words lie in dynamic
// shared memory (words_dynamic.go).
//
// The proof that a use means the same of an element is in package demotion.
func (p *demoteProof) demoteWords() {
	words := p.chosenWords(p.recipe)
	if len(p.Reasons) > 0 || len(words) == 0 {
		return
	}
	l := p.slotThreads(p.recipe)
	switch {
	case l == nil:
		return
	case l.dynamic():
		if !p.fitsDynamic(words) {
			return
		}
	case !p.fitsShared(words, l):
		return
	}
	p.words, p.layout = words, *l
	for _, fn := range p.Kernel.Functions {
		if fn != p.Kernel.Func && len(p.wordsOf(fn)) > 0 && fn.View.Quals&parser.QualStatic == 0 {
			p.Note(fn.File, fn.View.Start, kit.CodeAssumed, "a kernel in a file that was not named must not call %s: its words are for blocks of %d threads", fn.View.Name, l.threads)
		}
	}
	for _, w := range words {
		if l.dynamic() {
			p.SlotWords += w.Words
		}
		p.Closed = p.Closed || w.Launched()
	}
	if l.dynamic() {
		p.SlotWords |= 1
	}
}

// wordsOf are the words that are variables of a function.
func (p *demoteProof) wordsOf(fn *ir.Func) []*demotion.Word {
	return lists.Filter(p.words, func(w *demotion.Word) bool { return w.Func == fn })
}

// chosenWords are the variables that a recipe names, each proved to be one that can move.
func (p *demoteProof) chosenWords(r variant.Recipe) []*demotion.Word {
	k := p.Kernel
	var out []*demotion.Word
	seen := map[*ir.Var]bool{}
	for _, name := range r.Words {
		fn, v, ok := named.Variable(k, name)
		switch {
		case !ok:
			p.Refuse(k.File, k.View.Start, CodeRecipe, "the recipe names a variable %q, which the kernel does not have", name)
			continue
		case seen[v]:
			p.Refuse(k.File, k.View.Start, CodeRecipe, "the recipe names the variable %q twice", name)
			continue
		}
		seen[v] = true
		w, why := demotion.WordOf(k, nil, fn, v)
		switch {
		case why != nil:
			p.Reasons = append(p.Reasons, *why)
		case r.Form == variant.FormAsm && w.NotAsm != "":
			p.Refuse(fn.File, v.Range.Start, CodeWordForm, "%s can't be accessed by inline assembly: %s", name, w.NotAsm)
		default:
			out = append(out, w)
		}
	}
	return out
}

// slot is a word that has its place.
type slot struct {
	*demotion.Word
	array string // "" in dynamic shared memory
	at    string // the thread's element of it, the first of several
	asm   bool
	// stride is the number of elements between two components.
	stride int
}

// rows counts the elements that a thread has in the array.
func (s slot) rows() int { return max(1, s.Count, len(s.Fields)) }

// declare is the declaration of the array.
func (s slot) declare(threads int) string {
	size := fmt.Sprint(threads)
	if s.rows() > 1 {
		size = fmt.Sprintf("%d * %d", s.rows(), threads)
	}
	return fmt.Sprintf("__shared__ %s%s[%s];", spaced(s.Scalar), s.array, size)
}

// cell is the type of what stands for one component.
func (s slot) cell() string {
	switch {
	case s.asm:
		return "smux::word<" + s.Scalar + ">"
	case s.Var.Type.Ptr > 0:
		return s.Scalar + "volatile &"
	}
	return "volatile " + s.Scalar + " &"
}

// bind declares the variable's name as that of its slot, without the semicolon.
func (s slot) bind() string {
	at, name := s.at, s.Var.Name
	switch {
	case s.Count > 0:
		return fmt.Sprintf("const smux::array<%s, %s, %d> %s(%s)", s.Scalar, s.cell(), s.stride, name, at)
	case s.Fields != nil:
		return fmt.Sprintf("const smux::vector%d<%s, %s, %d> %s(%s)", len(s.Fields), s.Var.Type.Base, s.cell(), s.stride, name, at)
	case s.asm:
		return fmt.Sprintf("const %s %s(%s)", s.cell(), name, at)
	}
	return fmt.Sprintf("%s%s = %s", s.cell(), name, at)
}

// spaced ends a type so that a name can follow.
func spaced(t string) string {
	if t[len(t)-1] == '*' {
		return t
	}
	return t + " "
}
