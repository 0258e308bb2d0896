package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// standIns returns definitions of the device functions that a program declares and calls, but that no file
// of it defines. They change nothing and return zero, as a value of their type.
func StandInsFor(p *parser.Program, host *parser.File) (out []string) {
	for _, d := range undefined(p, host) {
		result := ""
		for n := d.Fn.Declared.Parent; n != nil && n != d.Fn.Node; n = n.Parent {
			result = " *" // what is between a declaration and its declarator: a pointer
		}
		result = strings.TrimSpace(d.File.Text(d.Fn.Node.Child(parser.FieldType)) + result)
		body := "{ return {}; }"
		if result == "void" {
			body = "{}"
		}
		out = append(out, fmt.Sprintf("__device__ %s %s%s %s", result, d.Fn.Name, d.File.Text(d.Fn.ParamList), body))
	}
	return out
}

// undefined returns the free device functions without a body that are called in a file, each once.
func undefined(p *parser.Program, host *parser.File) (out []Definition) {
	files := append([]*parser.File{host}, p.Reach(host)...)
	defined := map[string]bool{}
	for _, f := range append(append([]*parser.File{}, p.Files...), files...) {
		for _, fn := range f.Functions {
			if fn.Body != nil {
				defined[fn.Name] = true
			}
		}
	}
	for _, f := range files {
		for _, fn := range f.Functions {
			if fn.Body != nil || !fn.IsDevice() || fn.Class != "" || fn.IsTemplate || fn.ParamList == nil || defined[fn.Name] {
				continue
			}
			called := slices.ContainsFunc(files, func(g *parser.File) bool {
				return slices.ContainsFunc(g.Functions, func(by *parser.Function) bool {
					return by.Body != nil && HasWord(g.Text(by.Body), fn.Name)
				})
			})
			if called {
				defined[fn.Name] = true
				out = append(out, Definition{f, fn})
			}
		}
	}
	return out
}

// Undefined returns the names of the device functions that StandIns gives a body.
func Undefined(p *parser.Program) (names []string) {
	for _, f := range p.Files {
		for _, d := range undefined(p, f) {
			names = append(names, d.Fn.Name)
		}
	}
	return names
}
