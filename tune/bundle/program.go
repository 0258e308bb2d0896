package bundle

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// buildText builds a form: make calls it.
//
//go:embed files/build.sh.tmpl
var buildText string

var buildTemplate = template.Must(template.New("build.sh").Funcs(template.FuncMap{"quote": quote, "quoteAll": quoteAll, "comment": comment}).Parse(buildText))

// comment returns a text as it may stand after "# ".
func comment(text string) string { return strings.Join(strings.Fields(text), " ") }

// parts are the fields of the template.
type parts struct {
	Name                                  string
	Includes, Defines, Flags, Units, More []string
}

// sourcesName is the folder of a form's texts, which lie in it as in the project.
const sourcesName = "src"

// files returns the files of a form's folder: the texts, what they include from the
// project, further files to compile or link, and the script that builds them all.
func (w *writer) files(f Form, texts map[string][]byte, units []string) (map[string][]byte, error) {
	g := &gatherer{root: w.root, read: readRegular, left: w.left}
	b := parts{Name: f.Variant.Name, Flags: f.Flags, Defines: w.Request.Defines}
	for _, dir := range w.Request.Includes {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		g.includes = append(g.includes, path)
		if g.inside(path) {
			path = dotted(g.short(path))
		} else {
			w.leave("-I %s lies outside of the project; it is passed on as it is", path)
		}
		b.Includes = append(b.Includes, path)
	}
	for _, flag := range f.Flags {
		if strings.Contains(flag, "/") {
			w.leave("the flag %s names a path; it is passed on as it is", flag)
		}
	}
	all := map[string][]byte{}
	for name, text := range texts {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		if !g.inside(path) {
			return nil, &Error{name, fmt.Sprintf("the file lies outside of the project's folder %s; call smux in a folder that holds all of them", w.root)}
		}
		all[path] = text
		if slices.Contains(units, name) {
			b.Units = append(b.Units, dotted(g.short(path)))
		}
	}
	slices.Sort(b.Units)
	for _, name := range w.Program.Further {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		text, there := readRegular(path)
		if !there || !g.inside(path) {
			w.leave("%s, which is compiled or linked, lies outside of the project or can't be read; it is passed on as it is", path)
			b.More = append(b.More, path)
			continue
		}
		all[path] = text
		b.More = append(b.More, dotted(g.short(path)))
	}
	for _, l := range w.Program.Libraries {
		b.More = append(b.More, "-l"+l)
	}
	if err := g.gather(all); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for path, text := range all {
		out[sourcesName+"/"+g.short(path)] = text
	}
	var script bytes.Buffer
	if err := buildTemplate.Execute(&script, b); err != nil {
		return nil, err
	}
	out["build.sh"] = script.Bytes()
	return out, nil
}

func (w *writer) leave(format string, args ...any) { w.left[fmt.Sprintf(format, args...)] = true }

// dotted returns a path that can't be taken for a flag.
func dotted(path string) string { return "./" + path }
