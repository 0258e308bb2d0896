package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// findImplicit refuses kernels that may run code which no call in them names:
// constructors, destructors, operators and conversions that use a built-in
// whose value changes, a barrier or shared memory. The test is lexical and
// errs on the safe side.
func (k *Kernel) findImplicit() {
	u := k.Prog.unit(k.File)
	classes := k.Prog.implicitClasses(u)
	if len(classes) == 0 {
		return
	}
	for _, fn := range k.Functions {
		generic := false
		for _, tp := range fn.TParams {
			generic = generic || tp.Kind == ir.VarTemplateType
		}
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			if generic || mentions(fn.File.Src[fn.View.Start:fn.View.Body.End], class) {
				k.Hazards = append(k.Hazards, diag.Message{
					Pos: fn.File.Position(fn.View.Start), Code: CodeUnknownCall,
					Text: "class " + class + " has a constructor, operator or conversion that uses a barrier, shared memory or a built-in whose value changes",
				})
				return
			}
		}
	}
}

// implicitClasses returns the classes with such members, directly or by a
// member or base class.
func (p *Program) implicitClasses(u *unit) map[string]bool {
	if u.implicit != nil {
		return u.implicit
	}
	u.implicit = map[string]bool{}
	state := map[string]int{} // function name: 1 under way, 2 harmless, 3 not
	for _, list := range u.byName {
		for _, c := range list {
			if c.fn.Class != "" && onDevice(c.fn) && implicitMember(c.fn) && p.usesBlock(u, c, state) {
				u.implicit[c.fn.Class] = true
			}
		}
	}
	for changed := len(u.implicit) > 0; changed; {
		changed = false
		for _, f := range u.files {
			for _, c := range f.Classes {
				if u.implicit[c.Name] || c.Name == "" || c.Node == nil {
					continue
				}
				for class := range u.implicit {
					if mentions(f.Src[c.Node.Start:c.Node.End], class) {
						u.implicit[c.Name], changed = true, true
						break
					}
				}
			}
		}
	}
	return u.implicit
}

// implicitMember reports whether a member function can run without a call that
// names it.
func implicitMember(fn *parser.Function) bool {
	return fn.Name == fn.Class || strings.HasPrefix(fn.Name, "~") || strings.HasPrefix(fn.Name, "operator")
}

// onDevice reports whether a definition can be called from a kernel.
func onDevice(fn *parser.Function) bool {
	return fn.Body != nil && !fn.IsKernel() && fn.Quals&(parser.QualDevice|parser.QualConstexpr) != 0
}

// usesBlock reports whether a function's text, or that of one that it names,
// holds a word that a merged block gives another meaning.
func (p *Program) usesBlock(u *unit, c funcIn, state map[string]int) bool {
	text := string(c.file.Src[c.fn.Start:c.fn.Body.End])
	rest := strings.NewReplacer("threadIdx.x", "", "threadIdx.y", "", "blockDim.x", "", "blockDim.y", "").Replace(text)
	macros := p.MacroWords(c.file)
	for _, word := range strings.FieldsFunc(rest, notInName) {
		switch word {
		case "threadIdx", "blockIdx", "blockDim", "gridDim", "this_thread_block":
			return true
		case "__shared__":
			if u.sharedClasses(p)[c.fn.Class] == nil {
				return true
			}
		}
		if blockBarriers[word] {
			return true
		}
		if state[word] == 0 && word != c.fn.Name {
			state[word] = 1
			for _, callee := range u.byName[word] {
				if onDevice(callee.fn) && p.usesBlock(u, callee, state) {
					state[word] = 3
				}
			}
			if state[word] == 1 {
				state[word] = 2
			}
		}
		if state[word] == 3 {
			return true
		}
	}
	for _, builtin := range []string{"threadIdx", "blockIdx", "blockDim", "gridDim", "__syncthreads"} {
		for _, m := range macros[builtin] {
			if mentions([]byte(rest), m.Name) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a word occurs in a text.
func mentions(text []byte, word string) bool {
	s := string(text)
	for i := 0; ; {
		j := strings.Index(s[i:], word)
		if j < 0 {
			return false
		}
		i += j
		end := i + len(word)
		if (i == 0 || notInName(rune(s[i-1]))) && (end == len(s) || notInName(rune(s[end]))) {
			return true
		}
		i = end
	}
}
