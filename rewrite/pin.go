package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// CodePin is a variable that can't be pinned.
const CodePin diag.Code = "pin"

// pinVariables plans pins: an empty asm at each read and write of a variable,
// which the compiler must take for one that may change it. So it does not
// replace the variable by others that live longer.
//
//	i = j + n;                    i = j + n;
//	s += a[i];         -->        asm volatile("" : "+r"(i));
//	                              s += a[i];
//
// For a thread an empty asm does nothing. Each stands where its variables have
// a value for certain (assigned).
func (p *Plan) pinVariables(r Recipe) {
	k := p.Kernel
	pinned := map[*ir.Func]map[*ir.Var]bool{}
	for _, name := range r.Pins {
		fn, v, ok := k.Variable(name)
		if !ok {
			p.refuse(k.File, k.View.Start, CodeRecipe, "the recipe names a variable %q, which the kernel does not have", name)
			continue
		}
		if slices.ContainsFunc(r.Words, func(word string) bool { _, o, _ := k.Variable(word); return o == v }) {
			p.refuse(fn.File, v.Range.Start, CodeRecipe, "the recipe pins %s, which is to move to shared memory", v.Name)
			continue
		}
		if why := demotion.NotPinned(k, fn, v); why != "" {
			p.refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: %s", v.Name, why)
			continue
		}
		if v.Type.Const && !p.loseConst(r, fn, v, pinned[fn]) {
			continue
		}
		if pinned[fn] == nil {
			pinned[fn] = map[*ir.Var]bool{}
		}
		pinned[fn][v] = true
	}
	for _, fn := range k.Functions {
		if len(pinned[fn]) == 0 {
			continue
		}
		w := newPinner(p, fn, pinned[fn])
		w.function()
		for _, v := range w.order {
			if w.placed[v] == 0 {
				p.refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: there is no place where it has a value for certain", v.Name)
			}
		}
	}
}

// loseConst takes the const off a variable's declaration.
func (p *Plan) loseConst(r Recipe, fn *ir.Func, v *ir.Var, pinned map[*ir.Var]bool) bool {
	for _, name := range r.Words {
		if _, o, ok := p.Kernel.Variable(name); ok && o.Decl == v.Decl {
			p.refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: %s, which is declared with it, is to move to shared memory", v.Name, o.Name)
			return false
		}
	}
	for o := range pinned {
		if o.Type.Ptr == 0 && o.Type.Const && o.Decl == v.Decl {
			return true // they share their const
		}
	}
	places, _ := demotion.ConstTokens(fn, v)
	for _, at := range places {
		for at.End < len(fn.File.Src) && (fn.File.Src[at.End] == ' ' || fn.File.Src[at.End] == '\t') {
			at.End++
		}
		p.buffer(fn.File).Replace(at.Start, at.End, "")
	}
	return true
}

// mostOperands is how many variables one asm has: each is an output and an
// input, and an asm takes 30.
const mostOperands = 8

// pins are the statements that pin variables, in the order of order.
func (w *pinner) pins(set map[*ir.Var]bool) []string {
	var lines, operands []string
	flush := func() {
		if len(operands) > 0 {
			lines = append(lines, fmt.Sprintf("asm volatile(\"\" : %s);", strings.Join(operands, ", ")))
			operands = nil
		}
	}
	for _, v := range w.order {
		if !set[v] {
			continue
		}
		w.placed[v]++
		operands = append(operands, fmt.Sprintf("\"+%s\"(%s)", demotion.Constraint(w.fn, v), v.Name))
		if len(operands) == mostOperands {
			flush()
		}
	}
	flush()
	return lines
}
