package translate

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// fileSet is a translation unit and the headers that it reaches.
type fileSet struct {
	opt    Options
	files  []*text          // [0] is the translation unit
	byPath map[string]*text // headers, by cleaned path
}

func newFileSet(f *parser.File, headers map[string]*parser.File, opt Options) *fileSet {
	set := &fileSet{opt: opt, byPath: map[string]*text{}}
	views := []*parser.File{f}
	set.add(f, "")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		h := headers[name]
		if cleanPath(f.Name) == name || opt.isToolkit(name) {
			continue
		}
		views = append(views, h)
		set.byPath[name] = set.add(h, name)
	}
	set.addRuntime()
	kernels, referring := kernelNames(views)
	for _, t := range set.files {
		t.kernels, t.referring = kernels, referring
	}
	return set
}

// add takes a file in; the copy's name distinguishes files of one name.
func (set *fileSet) add(f *parser.File, header string) *text {
	h := fnv.New32a()
	h.Write([]byte(cleanPath(f.Name)))
	base := path.Base(cleanPath(f.Name))
	stem, ext := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	if header == "" {
		ext = ".cc"
	}
	t := &text{file: f, path: filepath.Join(set.opt.Dir, fmt.Sprintf("%s-%08x%s", stem, h.Sum32(), ext)), copied: header == ""}
	set.files = append(set.files, t)
	return t
}

// addRuntime takes in smux's own smux.cuh where a file includes it and there is
// none on disk yet, as after "smux rewrite --runtime=header" to standard output.
func (set *fileSet) addRuntime() {
	for _, t := range set.files {
		for _, inc := range t.file.Includes {
			if inc.File != "" || inc.System || path.Base(inc.Path) != runtimeName || set.byPath[runtimeName] != nil {
				continue
			}
			f, err := parser.Parse(runtimeName, runtime.Header(), set.opt.Parse)
			if err == nil {
				set.byPath[runtimeName] = set.add(f, runtimeName)
			}
		}
	}
}

const runtimeName = "smux.cuh"

// isToolkit reports whether a header lies beside a cuda_runtime.h: the shim has its own.
func (opt *Options) isToolkit(header string) bool {
	for _, dir := range opt.Parse.IncludeDirs {
		if strings.HasPrefix(header, cleanPath(dir)+"/") && opt.exists(path.Join(cleanPath(dir), "cuda_runtime.h")) {
			return true
		}
	}
	return opt.exists(path.Join(path.Dir(header), "cuda_runtime.h"))
}

func (opt *Options) exists(name string) bool {
	if opt.Parse.ReadFile != nil {
		_, err := opt.Parse.ReadFile(name)
		return err == nil
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func cleanPath(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return filepath.ToSlash(abs)
	}
	return name
}

// chooseCopies decides which headers are written: those that were changed,
// those that are not on disk, and those that include one of these.
func (set *fileSet) chooseCopies() {
	for _, t := range set.files {
		t.copied = t.copied || len(t.edits) > 0 || !set.onDisk(t)
	}
	for changed := true; changed; {
		changed = false
		for _, t := range set.files {
			if t.copied {
				continue
			}
			for _, inc := range t.file.Includes {
				if to, _ := set.resolve(t, inc); to != nil && to.copied {
					t.copied, changed = true, true
				}
			}
		}
	}
}

// onDisk reports whether the header's text is what a compiler would find.
func (set *fileSet) onDisk(t *text) bool {
	if set.opt.Parse.ReadFile == nil {
		return t.file.Name != runtimeName || set.opt.exists(runtimeName)
	}
	b, err := os.ReadFile(t.file.Name)
	return err == nil && bytes.Equal(b, t.file.Src)
}

// resolve returns what an #include leads to: a file of the set, or the cleaned
// path of another; nil and "" where it is none of the program's.
func (set *fileSet) resolve(t *text, inc parser.Include) (*text, string) {
	name := inc.File
	if name == "" && !inc.System {
		// In a branch that the parser left out.
		for _, dir := range append([]string{path.Dir(cleanPath(t.file.Name))}, set.opt.Parse.IncludeDirs...) {
			if c := cleanPath(path.Join(dir, inc.Path)); set.byPath[c] != nil || set.opt.exists(c) {
				name = c
				break
			}
		}
	}
	if name == "" && !inc.System && path.Base(inc.Path) == runtimeName {
		name = runtimeName
	}
	if name == "" || set.byPath[name] == nil && set.opt.isToolkit(name) {
		return nil, ""
	}
	return set.byPath[name], name
}

// rewriteIncludes makes the #include directives of a copy lead to the copies,
// or to the originals: the copy lies in another folder.
func (set *fileSet) rewriteIncludes(t *text) {
	for _, inc := range t.file.Includes {
		to, name := set.resolve(t, inc)
		target := absolute(name)
		switch {
		case name == "":
			continue
		case to != nil && to.copied:
			target = filepath.ToSlash(to.path)
		case to == nil && cleanPath(set.files[0].file.Name) == name:
			target = filepath.ToSlash(set.files[0].path) // a file that includes itself
		}
		src := t.file.Src[inc.Pos:inc.End]
		t.replace(inc.Pos, inc.End, includeDirective(src, target))
	}
}

// includeDirective respells an #include on as many lines.
func includeDirective(src []byte, target string) string {
	end := "\""
	if bytes.IndexByte(src, '\n') >= 0 {
		end += lineBreaks(src, true)
	}
	return "#include \"" + target + end
}
