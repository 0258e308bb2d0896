package harness

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// find returns the kernel that a specification means.
func (s *Spec) find(p *parser.Program) (*Definition, error) {
	if s.nearby != nil {
		return s.nearby, nil
	}
	name := s.Kernel
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	var found, fitting []*Definition
	var names []string
	for _, f := range append(append([]*parser.File{}, p.Files...), HeadersOf(p)...) {
		for _, fn := range f.Functions {
			if !fn.IsKernel() || fn.Body == nil || fn.Specialization || fn.Instantiation {
				continue
			}
			d := &Definition{f, fn}
			if fn.Name != name || !strings.HasSuffix("::"+d.qualified(), "::"+s.Kernel) {
				names = append(names, fn.Name)
				continue
			}
			found = append(found, d)
			if s.fitsNames(fn) {
				fitting = append(fitting, d)
			}
		}
	}
	// Of two that are written alike, the preprocessor takes one.
	if len(fitting) > 0 && !slices.ContainsFunc(fitting, func(d *Definition) bool { return d.head() != fitting[0].head() }) {
		found = fitting[:1]
	}
	switch len(found) {
	case 0:
		return nil, s.named.wrong(CodeKernel, diag.DidYouMean(s.Kernel, names, "there are"), "there is no kernel %s", s.Kernel)
	case 1:
		return found[0], nil
	}
	return nil, s.named.wrong(CodeKernel, "", "%d kernels are called %s, and the names of their parameters don't tell which is meant", len(found), s.Kernel)
}

// head returns the text up to the body, without spaces.
func (d *Definition) head() string {
	return d.File.Name + d.qualified() + strings.Join(strings.Fields(string(d.File.Src[d.Fn.Declared.Start:d.Fn.Body.Start])), "")
}

// fitsNames reports whether the kernel has just the parameters that are given.
func (s *Spec) fitsNames(fn *parser.Function) bool {
	given := map[string]bool{}
	for _, a := range s.Arguments {
		given[a.Name] = true
	}
	for _, b := range s.Buffers {
		if given[b.Name] = true; ParamNamed(fn, b.Name) == nil {
			return false
		}
	}
	return !slices.ContainsFunc(fn.Params, func(p parser.Param) bool { return !given[p.Name] })
}

func ParamNamed(fn *parser.Function, name string) *parser.Param {
	for i := range fn.Params {
		if fn.Params[i].Name == name {
			return &fn.Params[i]
		}
	}
	return nil
}

// headersOf returns the headers of a program, each reached file once, in the order in which they are included.
func HeadersOf(p *parser.Program) (out []*parser.File) {
	seen := map[*parser.File]bool{}
	for _, f := range p.Files {
		seen[f] = true
	}
	for _, f := range p.Files {
		for _, h := range p.Reach(f) {
			if !seen[h] {
				seen[h] = true
				out = append(out, h)
			}
		}
	}
	return out
}

// qualified returns the kernel's name with its namespaces.
func (d *Definition) qualified() string {
	return strings.Join(append(d.namespaces(), d.Fn.Name), "::")
}

// namespaces returns the named namespaces around the kernel, the outermost first.
func (d *Definition) namespaces() (out []string) {
	for n := d.Fn.Outer.Parent; n != nil; n = n.Parent {
		if n.Kind != parser.KindNamespaceDefinition {
			continue
		}
		if name := d.File.Text(n.Child(parser.FieldName)); name != "" {
			out = append([]string{strings.Join(strings.Fields(name), "")}, out...)
		}
	}
	return out
}

// templateArguments parts the arguments that a specification gives, by the name of the kernel's template parameter.
func (s *Spec) TemplateArguments(fn *parser.Function) (map[string]string, error) {
	out := map[string]string{}
	if s.Template == "" {
		return out, nil
	}
	p := Phrase{Text: strings.TrimSuffix(s.Template[1:], ">")}
	list, err := p.split(",")
	if err != nil {
		return nil, s.named.wrong(CodeSyntax, "", "the template arguments of %s can't be read", s.Name())
	}
	if !fn.IsTemplate {
		return nil, s.named.wrong(CodeKernel, "", "%s is not a template", s.Kernel)
	}
	for i, a := range list {
		switch {
		case i < len(fn.Template) && !fn.Template[i].Pack:
			out[fn.Template[i].Name] = a.Text
		case len(fn.Template) == 0 || !fn.Template[len(fn.Template)-1].Pack:
			return nil, s.named.wrong(CodeKernel, "", "%s has %d template parameters, not %d", s.Kernel, len(fn.Template), len(list))
		}
	}
	return out, nil
}
