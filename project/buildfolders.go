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
	"sync"

	"github.com/smux-cuda/smux/internal/lists"
)

// mostBuildFile bounds the build files that are read: what is longer was generated.
const mostBuildFile = 1 << 20

// BuildFiles are build files, and headers of a repository, each of which is read and searched once. Safe for
// concurrent use.
type BuildFiles struct {
	mu       sync.Mutex
	files    map[string][]buildFile // by folder
	folders  map[buildSearch][]string
	headers  map[string]map[string][]string // see headersOf
	includes map[string][]string            // see quoted
}

// buildSearch is a folder whose build files are looked at, and where the search ends.
type buildSearch struct{ dir, top string }

// NewBuildFiles returns build files of which none is read yet.
func NewBuildFiles() *BuildFiles {
	return &BuildFiles{
		files: map[string][]buildFile{}, folders: map[buildSearch][]string{},
		headers: map[string]map[string][]string{}, includes: map[string][]string{},
	}
}

// Folders returns the folders that build files at or above a file name for includes, as absolute paths, those of the
// nearest build file first: include_directories and target_include_directories in a CMakeLists.txt, -I in a Makefile
// or in what it includes. They are searched up to the top of the repository or, outside of one, as long as each
// folder has a build file. No build is run, so conditions do not count, of variables only those that the same file
// sets to a text, and a target's folders count for all files. Folders that are not there, or are not below where the
// search ends, are left out.
func (b *BuildFiles) Folders(file string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	dir := filepath.Dir(Resolved(file))
	top := Repository(dir)
	dirs := []string{dir}
	for dir != top && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if top == "" && len(b.in(dir)) == 0 {
			break
		}
		dirs = append(dirs, dir)
	}
	last := dirs[len(dirs)-1]
	var out []string
	for _, dir := range dirs {
		out = lists.Add(out, b.named(buildSearch{dir, last})...)
	}
	return out
}

// named returns the folders below where a search ends that the build files of one folder name and that are there.
func (b *BuildFiles) named(s buildSearch) []string {
	out, ok := b.folders[s]
	if ok {
		return out
	}
	for _, f := range b.in(s.dir) {
		for _, folder := range f.folders(s.dir, s.top) {
			relative, err := filepath.Rel(s.top, folder)
			if err != nil || !filepath.IsLocal(relative) {
				continue
			}
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				out = append(out, folder)
			}
		}
	}
	b.folders[s] = out
	return out
}

// in returns the build files of a folder.
func (b *BuildFiles) in(dir string) []buildFile {
	files, ok := b.files[dir]
	if !ok {
		for _, name := range []string{"CMakeLists.txt", "GNUmakefile", "makefile", "Makefile"} {
			for _, text := range readBuildFile(filepath.Join(dir, name)) {
				files = append(files, buildFile{text, name == "CMakeLists.txt"})
			}
		}
		b.files[dir] = files
	}
	return files
}

// buildFile is the text of one, and how it is written.
type buildFile struct {
	text  string
	cmake bool
}

// readBuildFile returns the text of a build file without its comments, none where it can't be read.
func readBuildFile(path string) []string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > mostBuildFile {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return []string{buildComment.ReplaceAllString(string(text), "")}
}

var (
	buildComment = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	cmakeCommand = regexp.MustCompile(`(?i)\b(include_directories|target_include_directories|set)\s*\(([^()]*)\)`)
	cmakeProject = regexp.MustCompile(`(?im)^\s*project\s*\(`)
	cmakeWord    = regexp.MustCompile(`"[^"]*"|[^\s"]+`)
	cmakeKeyword = regexp.MustCompile(`^(AFTER|BEFORE|SYSTEM|PRIVATE|PUBLIC|INTERFACE)$`)
	makeVariable = regexp.MustCompile(`(?m)^\s*(?:export\s+)?(\w+)\s*[:?]?=[ \t]*(\S*)[ \t]*$`)
	makeMore     = regexp.MustCompile(`(?m)^[ \t]*[-s]?include[ \t]+(\S+)`)
	makeInclude  = regexp.MustCompile(`(?:^|[\s"'=])-I\s*["']?([^\s"',]+)`)
	buildUse     = regexp.MustCompile(`\$\{(\w+)\}|\$\((\w+)\)`)
)

// folders returns what a build file in a folder names; top is where the search ends.
func (b buildFile) folders(dir, top string) (out []string) {
	variables := map[string]string{"CURDIR": dir, "PWD": dir}
	var words []string
	if b.cmake {
		variables = map[string]string{"CMAKE_CURRENT_SOURCE_DIR": dir, "CMAKE_CURRENT_LIST_DIR": dir, "CMAKE_SOURCE_DIR": top}
		if cmakeProject.MatchString(b.text) {
			variables["PROJECT_SOURCE_DIR"] = dir
		}
		for _, c := range cmakeCommand.FindAllStringSubmatch(b.text, -1) {
			args := cmakeWord.FindAllString(c[2], -1)
			for i := range args {
				args[i] = strings.Trim(args[i], `"`)
			}
			switch strings.ToLower(c[1]) {
			case "set":
				if len(args) == 2 {
					variables[args[0]] = args[1]
				}
				continue
			case "target_include_directories":
				args = args[min(1, len(args)):]
			}
			for _, a := range args {
				if rest, ok := strings.CutPrefix(a, "$<BUILD_INTERFACE:"); ok {
					a = strings.TrimSuffix(rest, ">")
				}
				if !cmakeKeyword.MatchString(a) {
					words = append(words, a)
				}
			}
		}
	} else {
		words = makeWords(dir, b.text, variables)
	}
	known := buildVariables{variables, map[string]string{}}
	for _, word := range words {
		if word, ok := known.expand(word); ok && word != "" {
			out = append(out, filepath.Clean(absoluteIn(dir, filepath.FromSlash(word))))
		}
	}
	return out
}

// makeWords returns the -I of a makefile in a folder, and of those that it includes by a name that its variables tell, and adds the
// variables of all. Those that are included include no others.
func makeWords(dir, text string, variables map[string]string) []string {
	assigned := func(text string) {
		for _, v := range makeVariable.FindAllStringSubmatch(text, -1) {
			variables[v[1]] = v[2]
		}
	}
	assigned(text)
	for _, m := range makeMore.FindAllStringSubmatch(text, -1) {
		if name, ok := (buildVariables{variables, map[string]string{}}).expand(m[1]); ok {
			for _, more := range readBuildFile(absoluteIn(dir, filepath.FromSlash(name))) {
				assigned(more)
				text += "\n" + more
			}
		}
	}
	return lists.Map(makeInclude.FindAllStringSubmatch(text, -1), func(m []string) string { return m[1] })
}

// buildVariables are the variables of a build file, and what they were found to be.
type buildVariables struct {
	values   map[string]string
	expanded map[string]string // "" while it is looked at, and for what is not known
}

// mostBuildWord bounds what variables make of a word: no path is longer.
const mostBuildWord = 4096

// expand puts in the variables that are known, ok false where others are left. None is put into itself.
func (v buildVariables) expand(word string) (out string, ok bool) {
	known := true
	out = buildUse.ReplaceAllStringFunc(word, func(use string) string {
		value := v.value(use[2 : len(use)-1])
		known = known && value != ""
		return value
	})
	return out, known && !strings.Contains(out, "$") && len(out) <= mostBuildWord
}

func (v buildVariables) value(name string) string {
	value, seen := v.expanded[name]
	if !seen {
		v.expanded[name] = ""
		if all, ok := v.expand(v.values[name]); ok {
			value = all
		}
		v.expanded[name] = value
	}
	return value
}

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
		at := Absolute(absoluteIn(dir, filepath.FromSlash(inc)))
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
			return at, ""
		}
	}
	inc = path.Clean(inc)
	found := lists.Filter(b.headersOf(top)[path.Base(inc)], func(at string) bool { return strings.HasSuffix(at, "/"+inc) })
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
