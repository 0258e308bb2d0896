package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// KernelUses lists where the name of a kernel stands in one file, all in the order of the text.
type KernelUses struct {
	File      *parser.File
	Launches  []*parser.Launch
	Functions []*parser.Function // definitions and declarations
	// Mentions are all identifiers of that name, those of launches and functions
	// too, template arguments, and strings, which may be how the kernel is looked up.
	Mentions []*parser.Node
	bodies   map[*parser.Node]*parser.Function // of all functions of the file
}

// Within returns the outermost function in whose body a mention stands, nil for none.
func (u *KernelUses) Within(n *parser.Node) (fn *parser.Function) {
	for ; n != nil; n = n.Parent {
		if outer := u.bodies[n]; outer != nil {
			fn = outer
		}
	}
	return fn
}

// KernelUses returns the files in which a kernel's name stands: those of the program in their order, then the headers
// by name. All files are walked once, for all kernels.
func (p *Program) KernelUses(name string) []*KernelUses {
	if p.uses == nil {
		p.findKernelUses()
	}
	return p.uses[name]
}

func (p *Program) findKernelUses() {
	p.uses = map[string][]*KernelUses{}
	files := p.AllFiles()
	for _, f := range files {
		for _, fn := range f.Functions {
			if fn.IsKernel() {
				p.uses[fn.Name] = nil
			}
		}
	}
	for _, f := range files {
		bodies := map[*parser.Node]*parser.Function{}
		for _, fn := range f.Functions {
			if fn.Body != nil {
				bodies[fn.Body] = fn
			}
		}
		in := func(name string) *KernelUses {
			all := p.uses[name]
			if n := len(all); n > 0 && all[n-1].File == f {
				return all[n-1]
			}
			u := &KernelUses{File: f, bodies: bodies}
			p.uses[name] = append(all, u)
			return u
		}
		for _, l := range f.Launches {
			if _, kernel := p.uses[l.Kernel]; kernel {
				u := in(l.Kernel)
				u.Launches = append(u.Launches, l)
			}
		}
		for _, fn := range f.Functions {
			if _, kernel := p.uses[fn.Name]; kernel {
				u := in(fn.Name)
				u.Functions = append(u.Functions, fn)
			}
		}
		for n := range f.Root.All() {
			templateArgument := n.Kind == parser.KindTypeIdentifier && n.Parent.Kind == parser.KindTypeDescriptor && n.Parent.Parent.Kind == parser.KindTemplateArgumentList
			if n.Kind == parser.KindIdentifier || n.Kind == parser.KindStringContent || templateArgument {
				names := []string{f.Text(n)}
				if n.Kind == parser.KindStringContent {
					names = append(names, MangledNames(names[0])...)
				}
				for _, name := range names {
					if _, kernel := p.uses[name]; kernel {
						u := in(name)
						u.Mentions = append(u.Mentions, n)
					}
				}
			}
		}
	}
}

// MangledNames returns the names in a symbol as compilers make it of a function's name and
// its types, as _Z6kernelPf; none where the text is no such symbol.
func MangledNames(text string) (names []string) {
	if !strings.HasPrefix(text, "_Z") {
		return nil
	}
	for i := 2; i < len(text); {
		n, digits := 0, i
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && n < len(text); i++ {
			n = 10*n + int(text[i]-'0')
		}
		switch {
		case i == digits:
			i++
		case n > 0 && i+n <= len(text):
			names = append(names, text[i:i+n])
			i += n
		}
	}
	return names
}
