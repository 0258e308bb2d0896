package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// headerName is the file with smux's device code that --runtime header includes.
const headerName = "smux.cuh"

// includesRuntime is the line that includes it, from its own folder or another.
var includesRuntime = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+"((?:[^"\n]*/)?smux\.cuh)"`)

// runtimeHeaders are the headers that files rewritten by one call include. One is written
// where the first of them asks for it, and the others include that: sources of a team have
// one copy among them.
type runtimeHeaders struct {
	quiet bool   // of a header that is new
	top   string // of a tree, where a header goes that there is none of yet; "" for beside the first file

	mu    sync.Mutex
	asked []runtimeHeader // in the order in which files asked for them
}

// runtimeHeader is a header where files include it from.
type runtimeHeader struct {
	path   string
	before []byte // nil where there is none
}

// orDefault returns where rewritten files get smux's device code from where nobody says: from a
// header where files are changed or a diff is read, and from their own text else, so that a file
// stands by itself.
func (o *outputFlags) orDefault(asked string, names []string) string {
	switch {
	case asked != "":
		return asked
	case !o.diff && !o.list && !o.write || o.file != "" || len(names) == 0 || slices.Contains(names, "-"):
		return runtime.Inline
	}
	return runtime.Included
}

// place finds the header that a rewritten file includes, and lets the file name it as it is seen
// from its folder. folder is where settings put it, include what is searched for includes.
func (h *runtimeHeaders) place(f *rewrite.FileResult, folder string, include []string) error {
	line := includesRuntime.FindSubmatchIndex(f.After)
	if line == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own := filepath.Dir(f.Name)
	at := ""
	if old := includesRuntime.FindSubmatch(f.Before); old != nil {
		at = firstThatIs(filepath.FromSlash(string(old[1])), append([]string{own}, include...))
	} else {
		at = h.find(own, folder, include)
		if text := seenFrom(own, at, include); text != headerName {
			f.After = slices.Concat(f.After[:line[2]], []byte(text), f.After[line[3]:])
		}
	}
	if slices.ContainsFunc(h.asked, func(o runtimeHeader) bool { return o.path == at }) {
		return nil
	}
	before, err := os.ReadFile(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = nil
	case err != nil:
		return err
	case !bytes.Contains(before, []byte("#define SMUX_CUH")):
		return diag.Usagef("give --runtime inline, or say in .smux.yaml where it goes: runtime-folder: DIR", "%s is in the way: it is not the header that smux writes", at)
	}
	h.asked = append(h.asked, runtimeHeader{path: at, before: before})
	return nil
}

// find returns the path of the header for files of a folder: where settings say, the nearest that
// is there in the folder or above it in its repository, one that is searched for includes, or else
// beside the first file.
func (h *runtimeHeaders) find(own, folder string, include []string) string {
	if folder != "" {
		return filepath.Join(folder, headerName)
	}
	dir, err := filepath.Abs(own)
	if err == nil {
		top := project.Repository(dir)
		for up := own; ; up, dir = filepath.Join(up, ".."), filepath.Dir(dir) {
			if isFile(filepath.Join(up, headerName)) {
				return filepath.Join(up, headerName)
			}
			if dir == top || top == "" || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for _, dir := range include {
		if isFile(filepath.Join(dir, headerName)) {
			return filepath.Join(dir, headerName)
		}
	}
	switch {
	case h.top != "":
		own = h.top
	case len(h.asked) > 0:
		return h.asked[0].path
	}
	return filepath.Join(own, headerName)
}

// seenFrom returns the path by which a file in a folder includes the header at a path.
func seenFrom(own, at string, include []string) string {
	if slices.Contains(include, filepath.Dir(at)) {
		return headerName
	}
	from, err1 := filepath.Abs(own)
	to, err2 := filepath.Abs(at)
	if relative, err := filepath.Rel(from, to); errors.Join(err1, err2, err) == nil {
		return filepath.ToSlash(relative)
	}
	return headerName
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// firstThatIs is a path in the first of some folders where there is such a file, or else in
// the first folder.
func firstThatIs(path string, folders []string) string {
	for _, dir := range folders {
		if isFile(filepath.Join(dir, path)) {
			return filepath.Join(dir, path)
		}
	}
	return filepath.Join(folders[0], path)
}

// writeHeaders writes the headers that files need which are to be written: one that is there and
// of today stays as it is.
func (s *session) writeHeaders() error {
	s.headers.mu.Lock()
	defer s.headers.mu.Unlock()
	for i := range s.headers.asked {
		h := &s.headers.asked[i]
		if bytes.Equal(h.before, runtime.Header()) {
			continue
		}
		if err := s.WriteOutput(h.path, runtime.Header()); err != nil {
			return err
		}
		switch {
		case h.before != nil:
			s.Remark("renewed %s, which another version of smux wrote", h.path)
		case !s.headers.quiet:
			s.Remark("wrote %s, which rewritten files include", h.path)
		}
		h.before = runtime.Header()
	}
	return nil
}

// showHeaders prints, after the files, what -l and -d tell of the headers that they need.
func (s *session) showHeaders(out outputFlags) {
	for _, h := range s.headers.asked {
		if out.write || bytes.Equal(h.before, runtime.Header()) {
			continue
		}
		if out.list {
			fmt.Fprintln(s.Stdout, h.path)
		}
		if out.diff {
			old := project.DiffName(h.path)
			if h.before == nil {
				old = ""
			}
			s.printDiff(s.Stdout, old, project.DiffName(h.path), h.before, runtime.Header())
		}
	}
}

// topOfTree returns the folder for the header of a tree: the first folder that is named, or that of the first
// file. It is "" where files are one program.
func topOfTree(args []string, walk load.Tree) string {
	if !load.AsksTree(args, walk) {
		return ""
	}
	for _, a := range args {
		if project.IsFolder(a) {
			return filepath.Clean(project.Folder(a))
		}
	}
	if len(args) > 0 {
		return filepath.Dir(args[0])
	}
	return "."
}
