package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
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
// smux_t is the thread's number in its block, so that the addresses of a warp are
// those of 32 banks, and no two threads have an element in common. What a thread
// stores there it alone reads: no barrier is needed, and neither divergence nor an
// early exit matters. Where no constant bounds the threads of a block, the words
// lie in dynamic shared memory (words_dynamic.go).
//
// The proof that a use means the same of an element is in package demotion.
func (p *Plan) demoteWords(r Recipe) {
	words := p.chosenWords(r)
	if len(p.reasons) > 0 || len(words) == 0 {
		return
	}
	l := p.slotThreads(r)
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
	asm := r.Form == FormAsm
	for _, fn := range p.Kernel.Functions {
		var own []slot
		for _, w := range words {
			if w.Func == fn {
				s := slot{Word: w, asm: asm}
				if l.dynamic() {
					s.at = fmt.Sprintf("((%s *)%s)[%d]", w.Scalar, l.first, l.words)
					l.words += w.Words
				} else {
					s.array = p.fresh("smux_" + w.Var.Name)
					s.at = fmt.Sprintf("%s[%s]", s.array, l.name)
				}
				own = append(own, s)
			}
		}
		if l.dynamic() {
			p.slotWords = l.words | 1
		}
		if len(own) > 0 {
			p.placeSlots(fn, own, l)
		}
	}
	for _, w := range words {
		if asm || w.Fields != nil || w.Count > 0 {
			p.slots = true
		}
		if w.Launched() {
			p.closed = true
		}
	}
}

// chosenWords are the variables that a recipe names, each proved to be one that
// can move.
func (p *Plan) chosenWords(r Recipe) []*demotion.Word {
	k := p.Kernel
	var out []*demotion.Word
	seen := map[*ir.Var]bool{}
	for _, name := range r.Words {
		fn, v, ok := k.Variable(name)
		switch {
		case !ok:
			p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe names a variable %q, which the kernel does not have", name)
			continue
		case seen[v]:
			p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe names the variable %q twice", name)
			continue
		}
		seen[v] = true
		w, why := demotion.WordOf(k, nil, fn, v)
		switch {
		case why != nil:
			p.reasons = append(p.reasons, *why)
		case r.Form == FormAsm && w.NotAsm != "":
			p.refuse(fn.File, v.Range.Start, CodeWordForm, "%s can't be accessed by inline assembly: %s", name, w.NotAsm)
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
}

// rows is how many elements a thread has in the array.
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
func (s slot) bind(l *slotLayout) string {
	at, name := s.at, s.Var.Name
	switch {
	case s.Count > 0:
		return fmt.Sprintf("const smux::array<%s, %s, %d> %s(%s)", s.Scalar, s.cell(), l.stride(), name, at)
	case s.Fields != nil:
		return fmt.Sprintf("const smux::vector%d<%s, %s, %d> %s(%s)", len(s.Fields), s.Var.Type.Base, s.cell(), l.stride(), name, at)
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
