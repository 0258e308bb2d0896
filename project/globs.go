package project

// Globs are patterns written as in .gitignore, relative to one folder.
type Globs struct{ list ignoreList }

// NewGlobs reads patterns, of which the last that matches decides.
func NewGlobs(patterns []string) *Globs {
	g := &Globs{}
	for _, p := range patterns {
		g.list.add(p)
	}
	return g
}

// Match reports whether the patterns match a file, or a folder that it is in. The
// path is relative to the folder of the patterns, with slashes.
func (g *Globs) Match(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && g.matches(path[:i], true) {
			return true
		}
	}
	return g.matches(path, false)
}

func (g *Globs) matches(path string, isDir bool) bool {
	ignored, decided := g.list.match(path, isDir)
	return decided && ignored
}
