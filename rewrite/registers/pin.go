package registers

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
)

// CodePin is a variable that can't be pinned.
const CodePin diag.Code = "pin"

// pinVariables proves that variables can be pinned, and finds the places: an empty asm at each read and write of a variable,
// which the compiler must take for one that may change it. So it does not
// replace the variable by others that live longer.
//
//	i = j + n;                    i = j + n;
//	s += a[i];         -->        asm volatile("" : "+r"(i));
//	                              s += a[i];
//
// For a thread an empty asm does nothing. Each stands where its variables have a value for certain (assigned).
func (p *demoteProof) pinVariables() {
	r := p.recipe
	k := p.Kernel
	pinned := map[*ir.Func]map[*ir.Var]bool{}
	for _, name := range r.Pins {
		fn, v, ok := named.Variable(k, name)
		if !ok {
			p.Refuse(k.File, k.View.Start, CodeRecipe, "the recipe names a variable %q, which the kernel does not have", name)
			continue
		}
		if slices.ContainsFunc(r.Words, func(word string) bool { _, o, _ := named.Variable(k, word); return o == v }) {
			p.Refuse(fn.File, v.Range.Start, CodeRecipe, "the recipe pins %s, which is to move to shared memory", v.Name)
			continue
		}
		if why := demotion.NotPinned(k, fn, v); why != "" {
			p.Refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: %s", v.Name, why)
			continue
		}
		if v.Type.Const && !p.losesConst(fn, v, pinned[fn]) {
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
		w := newPinner(fn, pinned[fn])
		w.Function()
		p.pins = append(p.pins, w.places...)
		for _, v := range w.order {
			if w.placed[v] == 0 {
				p.Refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: smux finds no place where it certainly has a value", v.Name)
			}
		}
	}
}

// losesConst proves that the const can be taken off a variable's declaration.
func (p *demoteProof) losesConst(fn *ir.Func, v *ir.Var, pinned varSet) bool {
	for _, name := range p.recipe.Words {
		if _, o, ok := named.Variable(p.Kernel, name); ok && o.Decl == v.Decl {
			p.Refuse(fn.File, v.Range.Start, CodePin, "%s can't be pinned: %s, which is declared with it, is to move to shared memory", v.Name, o.Name)
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
		p.consts = append(p.consts, constToken{fn, at})
	}
	return true
}

// constToken is a const that a declaration loses.
type constToken struct {
	fn *ir.Func
	at ir.Range
}

// loseConst takes a const out, and the white space after it.
func (w *demoteEmitter) loseConst(c constToken) {
	f, end := c.fn.File, c.at.End
	for end < len(f.Src) && (f.Src[end] == ' ' || f.Src[end] == '\t') {
		end++
	}
	w.Buffer(f).Replace(c.at.Start, end, "")
}
