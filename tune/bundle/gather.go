package bundle

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// included is an #include whose name stands there, with what encloses it.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)`)

// mostBytes bounds the bytes that a program may bring along.
const mostBytes = 64 << 20

// gatherer finds what a program's texts include.
type gatherer struct {
	root     string   // absolute: what lies below is of the project
	includes []string // absolute folders of -I
	left     map[string]bool
}

// gather adds to texts, which are by absolute path, all files of the project that
// they include, directly or not. Conditions are not looked at: what might be
// included is brought along.
func (g *gatherer) gather(texts map[string][]byte) error {
	size := 0
	for todo := slices.Sorted(maps.Keys(texts)); len(todo) > 0; todo = todo[1:] {
		from := todo[0]
		if size += len(texts[from]); size > mostBytes {
			return fmt.Errorf("the program's texts with all that they include are larger than %d MB", mostBytes>>20)
		}
		for _, m := range included.FindAllSubmatch(texts[from], -1) {
			path, text := g.find(from, string(m[1]), string(m[2]), texts)
			if _, there := texts[path]; path == "" || there {
				continue
			}
			texts[path] = text
			todo = append(todo, path)
		}
	}
	return nil
}

// find returns the file of the project that an #include means, "" for none.
func (g *gatherer) find(from, quoted, angled string, texts map[string][]byte) (path string, text []byte) {
	name, folders := angled, g.includes
	if quoted != "" {
		name, folders = quoted, append([]string{filepath.Dir(from)}, g.includes...)
	}
	if filepath.IsAbs(name) {
		folders = []string{"/"}
	}
	for _, dir := range folders {
		path := filepath.Join(dir, name)
		text, there := texts[path]
		if !there {
			text, there = readRegular(path)
		}
		switch {
		case !there:
			continue
		case filepath.IsAbs(name):
			g.leave("%s, which %s includes by its full path", path, g.short(from))
			return "", nil
		case !g.inside(path):
			g.leave("%s, which %s includes, lies outside of the project", path, g.short(from))
			return "", nil
		}
		return path, text
	}
	if quoted != "" {
		g.leave("%q, which %s includes, was not found; it may be the toolkit's", name, g.short(from))
	}
	return "", nil
}

func (g *gatherer) leave(format string, args ...any) { g.left[fmt.Sprintf(format, args...)] = true }

// inside reports whether a path is in the project.
func (g *gatherer) inside(path string) bool {
	rel, err := filepath.Rel(g.root, path)
	return err == nil && filepath.IsLocal(rel)
}

// short returns a path of the project within it, with slashes.
func (g *gatherer) short(path string) string {
	rel, err := filepath.Rel(g.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// readRegular reads a regular file.
func readRegular(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}
