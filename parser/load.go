package parser

import (
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// cheapHeaderBytes is the size up to which a header without a word of device
// code is parsed all the same: constants and small structures may matter.
const cheapHeaderBytes = 128 << 10

// LoadProgram reads and parses the named files, and the headers that they include as far as they can be found. A file
// that can't be read or parsed gives an error and leaves the others alone; one that is named twice is read once. What
// a file defines before it includes another counts there too.
func LoadProgram(paths []string, opt Options) (*Program, []error) {
	b := newProgramBuilder(newLoader(opt))
	errs := make([]error, len(paths))
	for i, path := range paths {
		if b.files[cleanPath(path)] != nil {
			continue
		}
		src, err := b.load.read(path)
		if err == nil {
			var s *source
			if s, err = b.load.open(path, src); err == nil {
				b.add(cleanPath(path), &member{source: s, named: true, order: i})
			}
		}
		errs[i] = readError(path, err)
	}
	p := b.build(errs)
	return p, dropNil(errs)
}

func readError(path string, err error) error {
	var input *InputError
	if err == nil || errors.As(err, &input) {
		return err
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

func dropNil(errs []error) []error {
	return lists.Filter(errs, func(err error) bool { return err != nil })
}

// NewProgram makes a program of files that are parsed already, and reads the headers that they include. A file that
// another one of them includes is parsed again with the macros in force there: the program then holds the new parse.
func NewProgram(files []*File, opt Options) *Program {
	b := newProgramBuilder(newLoader(opt))
	members := make([]*member, len(files))
	for i, f := range files {
		s := &source{preprocessed: preprocessed{f.Macros, f.Includes, f.reached}, name: f.Name}
		members[i] = &member{source: s, named: true, order: i, parsed: f}
		b.add(cleanPath(f.Name), members[i])
	}
	p := b.build(nil)
	p.Files = make([]*File, len(files))
	for i, m := range members {
		p.Files[i] = m.parsed
	}
	return p
}

// Reread returns a program of one file of this one, with another text.
func (p *Program) Reread(f *File, text []byte) (*Program, error) {
	opt := p.load.opt
	file, err := Parse(f.Name, text, opt)
	if err != nil {
		return nil, err
	}
	return NewProgram([]*File{file}, opt), nil
}

// member is a file on its way into a program.
type member struct {
	*source
	named     bool
	order     int
	parsed    *File
	ancestors int // how many files of the program include it, directly or not
}

// programBuilder collects files and their headers, and parses includers before what they include.
type programBuilder struct {
	load    *loader
	files   map[string]*member
	ordered []string // paths, as they were added
	edges   map[string]macroContext
}

func newProgramBuilder(load *loader) *programBuilder {
	return &programBuilder{load: load, files: map[string]*member{}, edges: map[string]macroContext{}}
}

func (b *programBuilder) add(path string, m *member) {
	b.files[path] = m
	b.ordered = append(b.ordered, path)
}

// build parses everything; errs gets the errors of named files, by order.
func (b *programBuilder) build(errs []error) *Program {
	for i := 0; i < len(b.ordered); i++ { // grows while headers are found
		for _, path := range b.files[b.ordered[i]].reached {
			if b.files[path] != nil {
				continue
			}
			h := b.load.header(path)
			if h == nil {
				continue
			}
			if s, err := b.load.open(path, h.src); err == nil {
				s.trees = b.load.opt.Trees
				b.add(path, &member{source: s})
			}
		}
	}
	for _, path := range b.ordered {
		for _, reached := range b.files[path].reached {
			if m := b.files[reached]; m != nil {
				m.ancestors++
			}
		}
	}
	// An includer has fewer ancestors than what it includes, but for cycles.
	sort.SliceStable(b.ordered, func(i, j int) bool {
		return b.files[b.ordered[i]].ancestors < b.files[b.ordered[j]].ancestors
	})
	p := &Program{Headers: map[string]*File{}, load: b.load}
	for _, path := range b.ordered {
		m := b.files[path]
		if m.parsed != nil {
			b.parseAgain(path, m)
			b.noteIncludes(path, m)
		} else if err := b.parse(path, m); err != nil && m.named {
			errs[m.order] = err
		}
		if m.parsed != nil && !m.named {
			p.Headers[path] = m.parsed
		}
	}
	p.Files = b.namedFiles()
	return p
}

func (b *programBuilder) namedFiles() []*File {
	var named []*member
	for _, m := range b.files {
		if m.named && m.parsed != nil {
			named = append(named, m)
		}
	}
	sort.Slice(named, func(i, j int) bool { return named[i].order < named[j].order })
	return lists.Map(named, func(m *member) *File { return m.parsed })
}

// parse parses one file in the context of its includers. A header that can't
// hold anything of interest is preprocessed only.
func (b *programBuilder) parse(path string, m *member) (err error) {
	if context := b.edges[path]; len(context) > 0 {
		m.preprocess(context)
	}
	b.noteIncludes(path, m)
	if !m.named && (b.isToolkit(path) || len(m.src) > cheapHeaderBytes && !mentionsDevice(m.src)) {
		return nil
	}
	m.parsed, err = m.source.parse()
	return err
}

// parseAgain parses a file that was parsed by itself in the context of its includers, if it has any.
func (b *programBuilder) parseAgain(path string, m *member) {
	context := b.edges[path]
	if len(context) == 0 {
		return
	}
	s, err := m.parsed.load.open(m.parsed.Name, m.parsed.Original())
	if err != nil {
		return // it was read before: the text has not changed
	}
	s.preprocess(context)
	if f, err := s.parse(); err == nil {
		m.source, m.parsed = s, f
	}
}

// noteIncludes makes a file's definitions known to what it includes.
func (b *programBuilder) noteIncludes(path string, m *member) {
	for _, inc := range m.includes {
		if inc.File != "" && inc.File != path {
			b.edges[inc.File] = append(b.edges[inc.File], includedAt{m.macros, inc.Pos})
		}
	}
}

// isToolkit reports whether a header is one of the CUDA toolkit's: what it
// declares is known, and there is much of it.
func (b *programBuilder) isToolkit(header string) bool {
	for _, dir := range b.load.opt.IncludeDirs {
		dir = cleanPath(dir)
		if strings.HasPrefix(header, dir+"/") && b.load.header(path.Join(dir, "cuda_runtime.h")) != nil {
			return true
		}
	}
	return false
}
