package gpu

import (
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// lines knows where the tables and keys of a TOML file stand. The decoder does
// not tell, so the text is read a second time, line by line: a table in square
// brackets, or a key before an equals sign. What stands on no line of its own,
// such as a key of an inline table, is given the place of what it is in.
type lines struct {
	file string
	at   map[string]diag.Position
}

func indexLines(file, src string) lines {
	ix := lines{file, map[string]diag.Position{}}
	var table []string
	for i, line := range strings.Split(src, "\n") {
		rest := strings.TrimLeft(line, " \t")
		pos := diag.Position{File: file, Line: i + 1, Column: len(line) - len(rest) + 1}
		if strings.HasPrefix(rest, "[") {
			if path, end := keyPath(rest[1:]); end == ']' {
				table = path
				ix.add(path, pos)
			}
		} else if path, end := keyPath(rest); end == '=' {
			ix.add(append(table[:len(table):len(table)], path...), pos)
		}
	}
	return ix
}

// add notes a path and, so that [a.b] also places a, the paths above it.
func (ix lines) add(path []string, pos diag.Position) {
	for n := range path {
		id := strings.Join(path[:n+1], "\x00")
		if _, ok := ix.at[id]; !ok {
			ix.at[id] = pos
		}
	}
}

// find returns the place of a path, or of the nearest thing above it.
func (ix lines) find(path ...string) diag.Position {
	for n := len(path); n > 0; n-- {
		if pos, ok := ix.at[strings.Join(path[:n], "\x00")]; ok {
			return pos
		}
	}
	return diag.Position{File: ix.file, Line: 1, Column: 1}
}

// keyPath reads a dotted key and returns its parts and the character after it,
// 0 if the text is not a key.
func keyPath(s string) (path []string, end byte) {
	for {
		s = strings.TrimLeft(s, " \t")
		var part string
		if s != "" && (s[0] == '"' || s[0] == '\'') {
			n := strings.IndexByte(s[1:], s[0])
			if n < 0 {
				return nil, 0
			}
			part, s = s[1:n+1], s[n+2:]
		} else {
			n := strings.IndexAny(s, " \t.=]\"'#,[{")
			if n <= 0 {
				return nil, 0
			}
			part, s = s[:n], s[n:]
		}
		path = append(path, part)
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return nil, 0
		}
		if s[0] != '.' {
			return path, s[0]
		}
		s = s[1:]
	}
}
