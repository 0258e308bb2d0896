package project

import (
	"bytes"
	"strings"
)

// pattern is one line of a .gitignore.
type pattern struct {
	glob
	negated  bool // "!": taken again
	dirOnly  bool // ends in a slash
	anywhere bool // no slash but that: it is matched with the name, in all folders below
}

// ignoreList is the patterns of one .gitignore, or of several globs, and the
// folder that they are relative to.
type ignoreList struct {
	base     string // path from the top, with slashes; "" for the top itself
	patterns []pattern
}

// readIgnoreList reads the lines of a .gitignore as git does.
func readIgnoreList(base string, text []byte) ignoreList {
	list := ignoreList{base: base}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if !strings.HasPrefix(line, "#") {
			list.add(trimSpaces(line))
		}
	}
	return list
}

// add appends one pattern.
func (l *ignoreList) add(line string) {
	var p pattern
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anywhere = !strings.Contains(line, "/")
	if line = strings.TrimPrefix(line, "/"); line == "" {
		return
	}
	p.glob = newGlob(line, p.anywhere)
	l.patterns = append(l.patterns, p)
}

// trimSpaces drops blanks at the end, but one after a backslash.
func trimSpaces(line string) string {
	end := 0 // after the last byte that is not a blank
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// match returns what the list says of a path from the top: the last pattern that
// matches decides, and decided is false where none does.
func (l *ignoreList) match(path string, isDir bool) (ignored, decided bool) {
	relative := path
	if l.base != "" {
		relative = strings.TrimPrefix(path, l.base+"/")
	}
	name := relative[strings.LastIndexByte(relative, '/')+1:]
	for i := len(l.patterns) - 1; i >= 0; i-- {
		p := &l.patterns[i]
		if p.dirOnly && !isDir {
			continue
		}
		if p.anywhere && p.match(name) || !p.anywhere && p.match(relative) {
			return !p.negated, true
		}
	}
	return false, false
}

// ignores are the lists that count in a folder, the weakest first.
type ignores []ignoreList

// match reports whether a path is ignored, given that its folder is not.
func (ls ignores) match(path string, isDir bool) bool {
	for i := len(ls) - 1; i >= 0; i-- {
		if ignored, decided := ls[i].match(path, isDir); decided {
			return ignored
		}
	}
	return false
}

// and returns the lists with a stronger one after them.
func (ls ignores) and(l ignoreList) ignores {
	if len(l.patterns) == 0 {
		return ls
	}
	return append(ls[:len(ls):len(ls)], l)
}

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
