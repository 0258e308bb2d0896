package project

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mostHeaders bounds the headers of a repository of which a search takes note, and mostIncluded the files that
// are read to find what one file includes.
const (
	mostHeaders  = 20000
	mostIncluded = 400
)

// FoldersOfHeaders returns the folders in which headers lie that a file, or a header that it comes to, includes as
// "…" and that lie neither beside it nor in some folders. A header is taken where the repository has one alone
// whose path ends in what the include says, or several with one text, of which the nearest is taken; of others, none is.
// Outside of a repository nothing is searched.
func (b *BuildFiles) FoldersOfHeaders(file string, dirs []string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	file = Resolved(file)
	top := Repository(filepath.Dir(file))
	if top == "" {
		return nil
	}
	seen, todo := map[string]bool{file: true}, []string{file}
	for len(todo) > 0 && len(seen) < mostIncluded {
		from := todo[0]
		todo = todo[1:]
		for _, inc := range b.quoted(from) {
			at, folder := b.header(top, from, inc, slices.Concat(dirs, out))
			if folder != "" {
				out = append(out, folder)
			}
			if at != "" && !seen[at] {
				seen[at] = true
				todo = append(todo, at)
			}
		}
	}
	return out
}

// header returns the file that an include in another one means, "" for none, and the folder that it is found by if
// that is none of those that are searched.
func (b *BuildFiles) header(top, from, inc string, dirs []string) (file, folder string) {
	for _, dir := range append([]string{filepath.Dir(from)}, dirs...) {
		at := Absolute(inside(dir, filepath.FromSlash(inc)))
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
			return at, ""
		}
	}
	inc = path.Clean(inc)
	var found []string
	for _, at := range b.headersOf(top)[path.Base(inc)] {
		if strings.HasSuffix(at, "/"+inc) {
			found = append(found, at)
		}
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(at string) bool { return !sameText(found[0], at) }) {
		return "", ""
	}
	near := func(at string) int { // how many bytes of the path it shares with the file that includes it
		n := 0
		for n < len(at) && n < len(from) && at[n] == filepath.ToSlash(from)[n] {
			n++
		}
		return n
	}
	slices.SortStableFunc(found, func(a, b string) int { return near(b) - near(a) })
	return filepath.FromSlash(found[0]), filepath.FromSlash(strings.TrimSuffix(found[0], "/"+inc))
}

// sameText reports whether two files hold the same.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.ReadFile(filepath.FromSlash(a))
	y, err2 := os.ReadFile(filepath.FromSlash(b))
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// headersOf are the paths of a repository's headers by their names, none where there are too many. What lies in
// folders whose names begin with a dot, or in which CMake builds, is left out.
func (b *BuildFiles) headersOf(top string) map[string][]string {
	if all, ok := b.headers[top]; ok {
		return all
	}
	all, count := map[string][]string{}, 0
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the rest counts
		case e.IsDir() && name != top && (strings.HasPrefix(e.Name(), ".") || isBuild(name)):
			return filepath.SkipDir
		case e.IsDir() || kindOf(e.Name()) == other:
			return nil
		}
		if count++; count > mostHeaders {
			return fs.SkipAll
		}
		all[e.Name()] = append(all[e.Name()], filepath.ToSlash(name))
		return nil
	})
	if err != nil || count > mostHeaders {
		all = nil
	}
	b.headers[top] = all
	return all
}

var quotedInclude = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)

// quoted lists what a file includes as "…".
func (b *BuildFiles) quoted(file string) []string {
	out, ok := b.includes[file]
	if ok {
		return out
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() <= mostBuildFile {
		if text, err := os.ReadFile(file); err == nil {
			for _, m := range quotedInclude.FindAllSubmatch(text, -1) {
				out = append(out, string(m[1]))
			}
		}
	}
	b.includes[file] = out
	return out
}
