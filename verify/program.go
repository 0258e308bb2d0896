package verify

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Program is a whole CUDA program, as it is to be compiled and run.
type Program struct {
	Files       []File   // what is held in memory; everything else is read from disk. None: a program of the host alone
	Sources     []string // more files to compile, without CUDA in them: .cpp, .c, .o
	IncludeDirs []string // -I
	Defines     []string // -D, NAME or NAME=VALUE
	Libraries   []string // -l
	Remarks     []diag.Message
	// Followed is compiled instead of the one source, a C file: it follows what its directives say of values, and notes what comes
	// back from a device. nil for none.
	Followed []byte
}

// File is one CUDA file of a program. It need not exist on disk: Text counts.
type File struct {
	Name string // as messages show it; #include looks in its folder first
	Text []byte
	// Included is set if the file is not compiled by itself, only where another one includes it.
	Included bool
}

// NewFile returns the file of a name; headers are known by their suffix.
func NewFile(name string, text []byte) File {
	return File{Name: name, Text: text, Included: parser.IsHeader(name)}
}

// Replace returns the program with other texts for some of its files, by name.
func (p Program) Replace(texts map[string][]byte) Program {
	p.Files = slices.Clone(p.Files)
	for i, f := range p.Files {
		if text, ok := texts[f.Name]; ok {
			p.Files[i].Text = text
		}
	}
	return p
}

// name is the file that messages about the program as a whole name.
func (p *Program) name() string {
	if p.isHost() {
		return p.Sources[0]
	}
	return p.Files[0].Name
}

// file returns the file of a name, nil if the program has none.
func (p *Program) file(name string) *File {
	for i := range p.Files {
		if p.Files[i].Name == name || filepath.Clean(p.Files[i].Name) == filepath.Clean(name) {
			return &p.Files[i]
		}
	}
	return nil
}

// isOnDisk reports whether the program equals the files on disk of its names.
func (p *Program) isOnDisk() bool {
	for _, f := range p.Files {
		text, err := os.ReadFile(f.Name)
		if err != nil || !bytes.Equal(text, f.Text) {
			return false
		}
	}
	return true
}

// parserOptions returns those under which the program is read: its own files win over what lies on disk.
func (p *Program) parserOptions() parser.Options {
	return parser.Options{
		IncludeDirs: p.IncludeDirs,
		Defines:     p.Defines,
		ReadFile: func(name string) ([]byte, error) {
			if f := p.file(name); f != nil {
				return f.Text, nil
			}
			return os.ReadFile(name)
		},
	}
}

// parse reads the files that are compiled by themselves, and the headers that they include.
func (p *Program) parse() (*parser.Program, error) {
	opt := p.parserOptions()
	var files []*parser.File
	for _, f := range p.Files {
		if f.Included {
			continue
		}
		parsed, err := parser.Parse(f.Name, f.Text, opt)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	whole := parser.NewProgram(files, opt)
	if own := ownUnits(whole); len(own) < len(files) {
		return parser.NewProgram(own, opt), nil
	}
	return whole, nil
}

// Parsed reads the program, with the options that it is read with.
func (p *Program) Parsed() (*parser.Program, parser.Options, error) {
	prog, err := p.parse()
	return prog, p.parserOptions(), err
}

// ownUnits returns the files that are compiled by themselves: a file that another one includes, whatever its suffix,
// would define everything twice. Of files that include one another the first is compiled.
func ownUnits(prog *parser.Program) []*parser.File {
	byPath := map[string]*parser.File{}
	maps.Copy(byPath, prog.Headers)
	for _, f := range prog.Files {
		byPath[cleanName(f.Name)] = f
	}
	var own []*parser.File
	included := map[*parser.File]bool{}
	var mark func(f, from *parser.File)
	mark = func(f, from *parser.File) {
		for _, inc := range f.Includes {
			if to := byPath[inc.File]; to != nil && to != from && !included[to] {
				included[to] = true
				mark(to, from)
			}
		}
	}
	for _, f := range prog.Files {
		if !included[f] {
			mark(f, f)
		}
	}
	own = lists.Filter(prog.Files, func(f *parser.File) bool { return !included[f] })
	return own
}

// cleanName returns the name by which a file that is included is known.
func cleanName(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// NewProgram returns a parsed program as it is to be run, with the options that it was read with as a whole.
func NewProgram(prog *parser.Program, parse parser.Options) Program {
	p := Program{IncludeDirs: parse.IncludeDirs, Defines: parse.Defines}
	for _, f := range prog.Files {
		p.Files = append(p.Files, NewFile(f.Name, f.Src))
	}
	if !slices.ContainsFunc(p.Files, func(f File) bool { return !f.Included }) && len(p.Files) > 0 {
		p.Files[0].Included = false // a header of kernels that nobody includes
	}
	return p
}
