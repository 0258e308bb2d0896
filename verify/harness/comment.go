package harness

import (
	"errors"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// commentMark begins a specification inside a comment.
const CommentMark = "smux:bench"

// Comments reads the specifications in the comments of a program's files, in order. Specifications that can't be read
// are left out; the error, an Errors, reports why.
func Comments(p *parser.Program) ([]*Spec, error) {
	var out []*Spec
	var errs Errors
	for _, f := range p.Files {
		for _, line := range commentLines(f) {
			s, err := ParseItems(line, &Spec{source: &line})
			if errs = errs.With(err); err == nil {
				out = append(out, s)
			}
		}
	}
	return out, errs.OrNil()
}

// commentLines returns what stands after the mark on each line of a comment that begins with it.
func commentLines(f *parser.File) (out []Phrase) {
	for n := range f.Root.All() {
		if n.Kind != parser.KindComment {
			continue
		}
		at := int(n.Start)
		for _, line := range strings.SplitAfter(strings.TrimSuffix(f.Text(n), "*/"), "\n") {
			begin := len(line) - len(strings.TrimLeft(line, "/*! \t"))
			if rest, ok := strings.CutPrefix(line[begin:], CommentMark); ok && (rest == "" || strings.IndexByte(blanks, rest[0]) >= 0) {
				p := Phrase{Text: rest, file: f, start: at + begin + len(CommentMark)}
				out = append(out, p.trim())
			}
			at += len(line)
		}
	}
	return out
}

// parseItems reads the items of a comment into a specification.
func ParseItems(p Phrase, s *Spec) (*Spec, error) {
	s.named = p
	items, err := p.split(blanks)
	if err != nil {
		return nil, err
	}
	var errs Errors
	for i, item := range joinTypes(p, items) {
		before, _, _ := strings.Cut(item.Text, "<") // template arguments may hold an equals sign
		if i == 0 && !strings.Contains(before, "=") {
			errs = errs.With(s.setKernel(item))
			continue
		}
		errs = errs.With(s.add(item, true))
	}
	if s.Kernel == "" && len(errs) == 0 {
		if s.nearby = below(p); s.nearby == nil {
			errs = errs.With(p.wrong(CodeKernel, "put it right above a kernel, or write the kernel's name first", "no kernel stands below this specification"))
		} else {
			s.Kernel = s.nearby.Fn.Name
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// joinTypes puts together again what was split at the blanks of a type, as in a=unsigned short[8].
func joinTypes(p Phrase, items []Phrase) (out []Phrase) {
	for _, item := range items {
		if n := len(out); n > 0 && !strings.Contains(item.Text, "=") {
			last := out[n-1]
			if word := Words.FindAllString(last.Text, -1); len(word) > 0 && strings.HasSuffix(last.Text, word[len(word)-1]) && typeWords[word[len(word)-1]] {
				out[n-1] = p.cut(last.start-p.start, item.start-p.start+len(item.Text))
				continue
			}
		}
		out = append(out, item)
	}
	return out
}

// typeWords are words that another word of the same type may follow.
var typeWords = map[string]bool{"unsigned": true, "signed": true, "long": true, "short": true, "struct": true, "const": true}

// below returns the function that follows a comment if that is a kernel.
func below(p Phrase) *Definition {
	fns := p.file.Functions
	i := sort.Search(len(fns), func(i int) bool { return fns[i].Start >= p.start })
	if i == len(fns) || !fns[i].IsKernel() {
		return nil
	}
	for _, fn := range fns[:i] {
		if fn.Body != nil && int(fn.Body.Start) < p.start && p.start < int(fn.Body.End) {
			return nil
		}
	}
	return &Definition{p.file, fns[i]}
}

func AsMessage(err error) diag.Message {
	var m diag.Message
	if !errors.As(err, &m) {
		m.Text = err.Error()
	}
	return m
}
