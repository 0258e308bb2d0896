package parser

import (
	"errors"
	"fmt"
)

// Parse reads one file. The macros of the includes that can be found are taken into account; the includes themselves
// are not parsed (LoadProgram does). A text that can't be read as source at all gives an *InputError; faults inside
// the source are in File.Errors.
func Parse(name string, src []byte, opt Options) (*File, error) {
	return newLoader(opt).parse(name, src)
}

func (l *loader) parse(name string, src []byte) (*File, error) {
	s, err := l.open(name, src)
	if err != nil {
		return nil, err
	}
	return s.parse()
}

// source is a file that is read and preprocessed, but not parsed yet.
type source struct {
	preprocessed
	load *loader
	name string
	src  []byte
	scan *scan
	list directiveList
	// context holds what other files define before they include this one, nil for nothing.
	context macroContext
	trees   *Trees // of a header
}

// open does all that comes before parsing.
func (l *loader) open(name string, src []byte) (*source, error) {
	if err := checkBytes(name, src); err != nil {
		return nil, err
	}
	s := &source{load: l, name: name, src: src, scan: scanSource(src)}
	s.list = readDirectives(s.scan)
	s.preprocess(nil)
	return s, nil
}

func (s *source) preprocess(context macroContext) {
	s.context = context
	s.preprocessed = preprocess(s.load, s.name, s.list, len(s.src), context)
}

// parse parses the file, and where macros make kernels again with their uses written out.
func (s *source) parse() (*File, error) {
	f, uses, err := s.parseAsIs()
	if err != nil || len(uses) == 0 {
		return f, err
	}
	if g := s.writtenOut(f, uses); g != nil {
		return g, nil
	}
	for _, u := range uses {
		f.Lost = append(f.Lost, u.made...)
	}
	return f, nil
}

// writtenOut parses the file with the uses written out, nil where the grammar knows less of
// that than of the file as it is.
func (s *source) writtenOut(f *File, uses []kernelUse) *File {
	text := writtenOut(f, uses)
	if len(text) > MaxFileBytes {
		return nil
	}
	out := &source{load: s.load, name: s.name, src: text, scan: scanSource(text), trees: s.trees}
	out.list = readDirectives(out.scan)
	out.preprocess(s.context)
	g, _, err := out.parseAsIs()
	if err != nil || len(g.Errors) > len(f.Errors) {
		return nil
	}
	g.original, g.uses, g.lines = f.Src, uses, f.lines
	return g
}

// parseAsIs parses the text as it is. The kernels of the uses that it returns are lost so far.
func (s *source) parseAsIs() (*File, []kernelUse, error) {
	f := &File{
		Name: s.name, Src: s.src, lines: lineTable(s.src), newline: newline(s.src),
		Macros: s.macros, Includes: s.includes, reached: s.reached,
		load: s.load, context: s.context, directives: s.list.directives,
	}
	if err := checkScan(f, s.scan, f.Macros); err != nil {
		return nil, nil, err
	}
	p := parsing{file: f, scan: s.scan, directives: s.list.directives, attrs: newAttributes(f.Macros), trees: s.trees}
	if err := p.run(); err != nil {
		return nil, nil, err
	}
	buildView(f, p.nodes, p.attrs)
	lost, uses := macroKernels(f, s.scan, p.attrs)
	f.Lost = append(f.Lost, lost...)
	return f, uses, nil
}

// parsing is one file on its way through overlay and grammar.
type parsing struct {
	file       *File
	scan       *scan
	directives []directive
	attrs      *attributes
	nodes      []Node
	overlay    *overlay
	trees      *Trees
}

// run parses, and parses again with chosen #if branches where an ERROR meets a directive, as long as that helps.
func (p *parsing) run() error {
	hidden := mergeMarks(append(p.hideDead(), p.hideQualifierGroups()...))
	if err := p.attempt(hidden); err != nil {
		return err
	}
	for level := range retryLevels {
		if !hasError(p.nodes) {
			break
		}
		wider := p.hideBranches(level, hidden)
		if len(wider) == len(hidden) {
			continue
		}
		nodes, overlay := p.nodes, p.overlay
		if err := p.attempt(wider); err != nil {
			return err
		}
		if errorBytes(p.nodes) < errorBytes(nodes) {
			hidden = wider
		} else {
			p.nodes, p.overlay = nodes, overlay
		}
	}
	if hasError(p.nodes) && p.scan.openBraces > 0 {
		if at := p.unclosedBrace(); at >= 0 {
			return p.file.inputError(CodeTruncated, at,
				"the file ends before the brace that opens here is closed", "is the file complete?")
		}
	}
	p.file.Root, p.file.Marks, p.file.masked = &p.nodes[0], p.overlay.marks, p.overlay.out
	return nil
}

func (p *parsing) attempt(hidden []Mark) (err error) {
	p.overlay = overlayText(p.file.Src, p.scan, p.attrs, hidden)
	trees := p.trees
	if len(p.overlay.moves)+len(p.overlay.lambdas)+len(p.overlay.assigned) > 0 { // they change the nodes
		trees = nil
	}
	if p.nodes, err = trees.parse(p.overlay.out); err != nil {
		var deep tooDeep
		if errors.As(err, &deep) {
			return p.file.inputError(CodeTooDeep, int(deep),
				fmt.Sprintf("statements or operators are nested more than %d deep", MaxDepth), "generated code must be flattened first")
		}
		return err
	}
	applyMoves(p.nodes, p.overlay.moves)
	p.overlay.restoreStatements(p.nodes)
	return nil
}

func hasError(nodes []Node) bool { return nodes[0].Flags&FlagHasError != 0 }

// errorBytes reports how much text the faults of a tree cover: what a retry must reduce.
func errorBytes(nodes []Node) (n int) {
	for i := range nodes {
		switch {
		case nodes[i].Flags&FlagMissing != 0:
			n++
		case nodes[i].Kind == KindError:
			n += int(nodes[i].End-nodes[i].Start) + 1
		}
	}
	return n
}
