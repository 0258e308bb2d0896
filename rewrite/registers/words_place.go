package registers

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// slotEmitter writes the words of one kernel.
type slotEmitter struct {
	*demoteEmitter
	proof  *demoteProof
	number string // name of the thread's number
	first  string // in dynamic shared memory: name of the pointer to the thread's first word
	next   int    // in dynamic shared memory: words given so far
}

// placeWords puts the words of all functions into shared memory.
func (w *demoteEmitter) placeWords(p *demoteProof) {
	s := &slotEmitter{demoteEmitter: w, proof: p, number: w.Fresh("smux_t")}
	if p.layout.dynamic() {
		s.first = w.Fresh("smux_w")
	}
	for _, fn := range p.Kernel.Functions {
		if words := p.wordsOf(fn); len(words) > 0 {
			s.placeSlots(fn, s.slots(words))
		}
	}
}

// slots gives words their places.
func (w *slotEmitter) slots(words []*demotion.Word) (out []slot) {
	for _, word := range words {
		s := slot{Word: word, asm: w.proof.recipe.Form == variant.FormAsm, stride: w.proof.layout.stride()}
		if w.first != "" {
			s.at = fmt.Sprintf("((%s *)%s)[%d]", word.Scalar, w.first, w.next)
			w.next += word.Words
		} else {
			s.array = w.Fresh("smux_" + word.Var.Name)
			s.at = fmt.Sprintf("%s[%s]", s.array, w.number)
		}
		out = append(out, s)
	}
	return out
}

// placeSlots declares the arrays at a function's top, and binds the variables to
// their slots where they were declared.
func (w *slotEmitter) placeSlots(fn *ir.Func, slots []slot) {
	l := w.proof.layout
	v := kit.Values{"t": w.number, "number": l.number, "words": w.first, "n": w.proof.SlotWords}
	lines := kit.Cuda("const unsigned $t = $number;", v)
	if w.first != "" {
		lines = append(lines, kit.Cuda("unsigned *const $words = smux::slots<$n>($t);", v)...)
	}
	moved := map[*ir.Var]slot{}
	for _, s := range slots {
		if w.first == "" {
			lines = append(lines, s.declare(l.threads))
		}
		moved[s.Var] = s
	}
	w.AtTopOf(fn, lines)
	done := map[*ir.Stmt]bool{}
	for _, s := range slots {
		if d := s.Var.Decl; !done[d] {
			done[d] = true
			w.takeApart(fn.File, d, moved)
		}
	}
}

// takeApart makes one declaration of several a list of statements, each on a line
// of its own, in their order: what initialises them keeps its text.
//
//	const float a = f(i), *p = q, b = 2 * a;      -->      const float a = f(i);
//	                                                       const float *p = q;
//	                                                       volatile float &b = smux_b[smux_t];
//	                                                       b = 2 * a;
func (w *demoteEmitter) takeApart(f *parser.File, d *ir.Stmt, moved map[*ir.Var]slot) {
	b := w.Buffer(f)
	broken := ";" + f.Newline() + kit.IndentAt(f, d.Range.Start)
	next := broken
	if !kit.FirstOnLine(f, d.Range.Start) {
		next = "; " // as what stands before it on its line
	}
	spec := strings.TrimRight(string(f.Src[d.Range.Start:d.Vars[0].Range.Start]), " \t\r\n")
	for i, v := range d.Vars {
		start, lead := d.Range.Start, ""
		if i > 0 {
			start = d.Vars[i-1].Range.End
			lead = next
			if c := withoutComma(string(f.Src[start:v.Range.Start])); c != "" {
				lead = "; " + c + strings.TrimPrefix(broken, ";")
			}
		}
		s, ok := moved[v]
		if !ok {
			if i > 0 {
				b.Replace(start, v.Range.Start, lead+spec+" ")
			}
			continue
		}
		lead += s.bind()
		name := nameEnd(f, v)
		switch init := strings.TrimSpace(string(f.Src[name:v.Range.End])); {
		case v.Init == nil:
			b.Replace(start, v.Range.End, lead)
		case s.Count > 0:
			b.Replace(start, v.Range.End, lead+next+strings.Join(w.elements(f, s), next))
		case s.Plain && strings.HasPrefix(init, "="):
			b.Replace(start, name, lead+next+v.Name)
		default:
			// Initialising may convert where assigning would not: by a variable of the original's type.
			value, typ := w.Temporary("v"), s.Scalar
			if s.Fields != nil {
				typ = v.Type.Base
			}
			b.Replace(start, name, lead+next+spaced(typ)+value)
			b.Insert(v.Range.End, next+v.Name+" = "+value)
		}
	}
}

// elements are the assignments that a list of initialisers stands for: what it leaves out is zero.
func (w *demoteEmitter) elements(f *parser.File, s slot) []string {
	var out []string
	kids := s.Var.Init.Kids
	for i, e := range kids {
		value := kit.Text(f, e.Range)
		if e.Op == ir.OpComma {
			value = "(" + value + ")"
		}
		out = append(out, fmt.Sprintf("%s[%d] = %s", s.Var.Name, i, value))
	}
	switch rest := s.Count - len(kids); {
	case rest > 2:
		v := kit.Values{"i": w.Temporary("i"), "from": len(kids), "n": s.Count, "a": s.Var.Name}
		out = append(out, kit.Cuda("for (int $i = $from; $i < $n; ++$i) $a[$i] = 0", v)...)
	default:
		for i := len(kids); i < s.Count; i++ {
			out = append(out, fmt.Sprintf("%s[%d] = 0", s.Var.Name, i))
		}
	}
	return out
}

// nameEnd is the offset after a variable's name in its declarator.
func nameEnd(f *parser.File, v *ir.Var) int {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(v.Name) + `\b`).FindIndex(f.Src[v.Range.Start:v.Range.End])
	return v.Range.Start + at[1]
}

// withoutComma returns the text between two declarators beside the comma: comments.
func withoutComma(s string) string {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "//"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				return strings.TrimSpace(s)
			}
			i += n
		case strings.HasPrefix(s[i:], "/*"):
			i += 2 + max(0, strings.Index(s[i+2:], "*/"))
		case s[i] == ',':
			return strings.TrimSpace(strings.TrimSpace(s[:i]) + " " + strings.TrimSpace(s[i+1:]))
		}
	}
	return strings.TrimSpace(s)
}
