package parser

import (
	"fmt"
	"slices"
)

// With returns the program as it is with another text in one of its named files.
// Everything else is shared with p, which stays as it was. The new text must
// hold the same directives as the old one, pragmas aside: then it means the same
// to all files that include it, and their parses need no second look.
func (p *Program) With(f *File, src []byte) (*Program, error) {
	i := slices.Index(p.Files, f)
	if i < 0 {
		return nil, fmt.Errorf("%s is no file of the program", f.Name)
	}
	s, err := f.load.open(f.Name, src)
	if err != nil {
		return nil, err
	}
	if !sameDirectives(readDirectives(scanSource(f.Src)).directives, s.list.directives) {
		return nil, fmt.Errorf("%s has other directives than before", f.Name)
	}
	if f.context != nil {
		s.preprocess(f.context)
	}
	g, err := s.parse()
	if err != nil {
		return nil, err
	}
	out := &Program{Files: slices.Clone(p.Files), Headers: p.Headers}
	out.Files[i] = g
	return out, nil
}

// sameDirectives reports whether two files say the same to a preprocessor,
// wherever they say it.
func sameDirectives(a, b []directive) bool {
	pragma := func(d directive) bool { return d.op == opOther }
	a, b = slices.DeleteFunc(slices.Clone(a), pragma), slices.DeleteFunc(slices.Clone(b), pragma)
	return slices.EqualFunc(a, b, func(x, y directive) bool {
		return x.op == y.op && x.name == y.name && x.text == y.text
	})
}
