package harness

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// hiddenMain is the name that a program's own main gets.
const hiddenMain = "smux_program_main"

// Attach returns the file that holds the kernels, with a main at its end that
// makes all runs, or that includes those that do. A main that the file has already is renamed; one in another
// file must be, too (withoutMain). Lines stay on their lines.
func Attach(p *parser.Program, specs []*Spec, options ...Option) (*parser.File, []byte, error) {
	runs, err := ResolveAll(p, specs)
	if err != nil {
		return nil, nil, err
	}
	text, err := emit(p, runs, options)
	if err != nil {
		return nil, nil, err
	}
	host := compiledIn(p, runs[0].File)
	if host == nil {
		return nil, nil, fmt.Errorf("no file includes %s", runs[0].File.Name)
	}
	return host, append(withoutMain(host), text...), nil
}

// compiledIn returns the named file that a file is compiled with: the first that includes it, or itself.
func compiledIn(p *parser.Program, f *parser.File) *parser.File {
	for _, host := range p.Files {
		if host != f && slices.Contains(p.Reach(host), f) {
			return host
		}
	}
	if slices.Contains(p.Files, f) {
		return f
	}
	return nil
}

// withoutMain returns the text of a file with its main renamed. Statements for a
// main's end without return are not needed: nobody calls it.
func withoutMain(f *parser.File) []byte {
	out, from := []byte{}, 0
	for _, fn := range f.Functions {
		if fn.Name != "main" || fn.Class != "" || fn.Declared == nil {
			continue
		}
		name := fn.Declared.Child(parser.FieldDeclarator)
		if name == nil || f.Text(name) != "main" || int(name.Start) < from {
			continue
		}
		out = append(append(out, f.Src[from:name.Start]...), hiddenMain...)
		from = int(name.End)
	}
	return append(out, f.Src[from:]...)
}
