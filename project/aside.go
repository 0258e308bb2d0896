package project

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// Mention reports that a file which is left out of a tree names one of the tree's kernels, so that it may launch it.
type Mention struct {
	Kernel string
	In     int    // the index in facts of a file that defines or declares the kernel
	File   string // the one that is left out
}

// sources are the extensions of files that may be compiled with a tree's, or be a part of one that is.
var sources = []string{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".ipp", ".tpp", ".tcc", ".txx", ".ixx", ".cppm", ".impl"}

// IsHostSource reports whether a file by its name is one that a C or C++ compiler is given.
func IsHostSource(name string) bool {
	return slices.Contains([]string{".c", ".cc", ".cpp", ".cxx", ".c++", ".C"}, filepath.Ext(name))
}

// Aside lists the source files below the roots that are not among those of facts:
// ignored, excluded, vendored, or of another kind. Those that one of facts includes
// are read with it, and left out here; so are links, and what cannot be read.
func Aside(ctx context.Context, roots []string, facts []Facts) []string {
	seen := map[string]bool{}
	for i := range facts {
		if facts[i].None {
			continue
		}
		seen[Resolved(facts[i].abs)] = true
		for _, path := range facts[i].Includes {
			seen[Resolved(path)] = true
		}
	}
	var out []string
	for _, root := range roots {
		top := Resolved(root)
		_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return nil
			case e.IsDir() && e.Name() == ".git":
				return fs.SkipDir
			case !e.Type().IsRegular() || seen[path]:
				return nil
			case kindOf(path) == other && !slices.Contains(sources, filepath.Ext(path)):
				return nil
			}
			seen[path] = true
			if below, err := filepath.Rel(top, path); err == nil {
				out = append(out, filepath.Join(root, below))
			}
			return nil
		})
	}
	slices.Sort(out)
	return out
}

// Mentions finds out which kernels of the files of facts other files may launch: each of these that names a kernel
// and either includes a file with it, or launches or declares a kernel of that name which it does not define. Like
// the parting into programs it takes the nearest kernel of a name.
func Mentions(facts []Facts, files []string, how Reading) ([]Mention, error) {
	kernels := map[string]bool{}
	for i := range facts {
		for _, k := range facts[i].Kernels {
			kernels[k.Name] = true
		}
	}
	named := make([]names, len(files))
	err := how.Each(len(files), func(i int) {
		if src, err := how.read(files[i]); err == nil {
			named[i] = namesIn(src, kernels)
		}
	})
	if err != nil {
		return nil, err
	}
	how.Taken = map[string]bool{}
	all := slices.Clone(facts)
	var from []int // of those in all that are not of the tree, in files
	r := &reader{Reading: how, context: map[string]*Facts{}}
	for i, name := range files {
		if len(named[i]) > 0 {
			how.Taken[name] = true
			all, from = append(all, r.file(name, nil)), append(from, i)
		}
	}
	r.index(all)
	r.resolve(all)
	for i := range all[len(facts):] {
		f := &all[len(facts)+i]
		for _, path := range f.Includes {
			if k, ok := r.at[path]; ok && k < len(facts) { // whose text is gone
				f.Includes = append(f.Includes, facts[k].Includes...)
			}
		}
	}
	p := newParting(all)
	var out []Mention
	for i, file := range from {
		for _, kernel := range slices.Sorted(maps.Keys(named[file])) {
			for _, k := range p.meant(len(facts)+i, kernel, named[file][kernel], len(facts)) {
				out = append(out, Mention{Kernel: kernel, In: k, File: files[file]})
			}
		}
	}
	return out, nil
}

// meant returns the files of the tree, the first n, whose kernel of a name file i names.
func (p *parting) meant(i int, kernel string, launches bool, n int) (out []int) {
	out = lists.Filter(p.includes[i], func(k int) bool {
		return k < n && slices.ContainsFunc(p.facts[k].Kernels, func(of Kernel) bool { return of.Name == kernel })
	})
	if out != nil || p.definedWith(i)[kernel] || !launches && !slices.Contains(p.facts[i].needs(), kernel) {
		return out
	}
	for _, k := range p.nearest(i, p.exporters[kernel]) {
		if k < n {
			out = append(out, k)
		}
	}
	return out
}

// names are kernels that a text names, and whether it launches what is so named by a
// function of the runtime or the driver.
type names map[string]bool

// namesIn returns those of some kernels that a text names: in its code, or in a string
// where it launches kernels that it finds by name.
func namesIn(src []byte, kernels map[string]bool) names {
	runtime := bytes.Contains(src, []byte("cudaLaunch"))
	driver := bytes.Contains(src, []byte("cuLaunch"))
	out := names{}
	quoted := false
	for i := 0; i < len(src); i++ {
		rest := src[i:]
		switch {
		case !quoted && bytes.HasPrefix(rest, []byte("//")):
			i += end(rest, "\n") - 1
		case !quoted && bytes.HasPrefix(rest, []byte("/*")):
			i += 1 + end(rest[2:], "*/")
		case !quoted && bytes.HasPrefix(rest, []byte(`'"'`)), quoted && rest[0] == '\\':
			i++
		case rest[0] == '"', quoted && rest[0] == '\n':
			quoted = !quoted
		case isWord(rest[0]):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			if word := string(rest[:n]); kernels[word] && (!quoted || driver && isName(src, i, i+n)) {
				out[word] = out[word] || quoted || runtime
			}
			i += n - 1
		}
	}
	return out
}

// isName reports whether a word in a string is not one of a sentence: "k", "&a::k<int>".
func isName(src []byte, start, end int) bool {
	return start > 0 && bytes.IndexByte([]byte(`"&:`), src[start-1]) >= 0 && end < len(src) && bytes.IndexByte([]byte(`"<`), src[end]) >= 0
}

// end returns the offset after the first of a mark in a text, its length where there is none.
func end(text []byte, mark string) int {
	if at := bytes.Index(text, []byte(mark)); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
