package parser

import (
	"errors"
	"fmt"
	"slices"
)

// With returns the program as it is with another text in one of its named files. Everything else is shared with p,
// which stays as it was. The new text must hold the same directives as the old one, pragmas aside: then it means the
// same to all files that include it, and their parses need no second look.
func (p *Program) With(f *File, src []byte) (*Program, error) {
	i := slices.Index(p.Files, f)
	if i < 0 {
		return nil, fmt.Errorf("%s is not a file of the program", f.Name)
	}
	s, err := f.load.open(f.Name, src)
	if err != nil {
		return nil, err
	}
	if !sameDirectives(f.directives, s.list.directives) {
		return nil, fmt.Errorf("%s has other directives than before", f.Name)
	}
	if f.context != nil {
		s.preprocess(f.context)
	}
	g, err := s.parse()
	if err != nil {
		return nil, err
	}
	out := &Program{Files: slices.Clone(p.Files), Headers: p.Headers, load: p.load}
	out.Files[i] = g
	return out, nil
}

// sameDirectives reports whether two files hold the same directives, wherever these stand.
func sameDirectives(a, b []directive) bool {
	pragma := func(d directive) bool { return d.op == opOther }
	a, b = slices.DeleteFunc(slices.Clone(a), pragma), slices.DeleteFunc(slices.Clone(b), pragma)
	return slices.EqualFunc(a, b, func(x, y directive) bool {
		return x.op == y.op && x.name == y.name && x.text == y.text
	})
}

// WithTexts returns the program with other texts in named files, by their names, as it is read with them: each file
// under the options that it was read with before, and files that include a changed one see its new text. What is not
// in texts, and the headers, are as p has them, whatever is on the disk by now. p stays as it was.
func (p *Program) WithTexts(texts map[string][]byte) (*Program, error) {
	now := map[string][]byte{}
	for _, f := range p.Files {
		now[cleanPath(f.Name)] = f.Original()
		if text, ok := texts[f.Name]; ok {
			now[cleanPath(f.Name)] = text
		}
	}
	loaders := map[*loader]*loader{}
	over := func(l *loader) *loader {
		if loaders[l] == nil {
			loaders[l] = l.over(now)
		}
		return loaders[l]
	}
	b := newProgramBuilder(newLoader(Options{}))
	if p.load != nil {
		b.load = over(p.load)
	}
	for i, f := range p.Files {
		s, err := over(f.load).open(f.Name, now[cleanPath(f.Name)])
		if err != nil {
			return nil, err
		}
		b.add(cleanPath(f.Name), &member{source: s, named: true, order: i})
	}
	errs := make([]error, len(p.Files))
	out := b.build(errs)
	out.Elsewhere, out.Beside, out.Usual = p.Elsewhere, p.Beside, p.Usual
	return out, errors.Join(errs...)
}
