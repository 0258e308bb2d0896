// Package header finds the smux.cuh that rewritten files include, and how they name it.
package header

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// Name is the file with smux's device code that --runtime header includes.
const Name = "smux.cuh"

// Included is the line that includes it, from its own folder or another.
var Included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+"((?:[^"\n]*/)?smux\.cuh)"`)

// Headers are the headers that files rewritten by one call include. One is written where the first of them asks for
// it, and the others include that: sources of a team have one copy among them.
type Headers struct {
	Quiet bool   // of a header that is new
	Top   string // of a tree, where a header goes that there is none of yet; "" for beside the first file

	mu    sync.Mutex
	asked []*Header // in the order in which files asked for them
}

// Header is a header where files include it from.
type Header struct {
	Path   string
	Before []byte // nil where there is none
}

// Place finds the header that a rewritten file includes, and lets the file name it as it is seen
// from its folder. folder is where settings put it, include what is searched for includes.
func (h *Headers) Place(f *rewrite.FileResult, folder string, include []string) error {
	line := Included.FindSubmatchIndex(f.After)
	if line == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own := filepath.Dir(f.Name)
	at := ""
	if old := Included.FindSubmatch(f.Before); old != nil {
		at = firstThatIs(filepath.FromSlash(string(old[1])), append([]string{own}, include...))
	} else {
		at = h.find(own, folder, include)
		if text := seenFrom(own, at, include); text != Name {
			f.After = slices.Concat(f.After[:line[2]], []byte(text), f.After[line[3]:])
		}
	}
	if slices.ContainsFunc(h.asked, func(o *Header) bool { return o.Path == at }) {
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
	h.asked = append(h.asked, &Header{at, before})
	return nil
}

// find returns the path of the header for files of a folder: where settings say, the nearest that is there in the
// folder or above it in its repository, one that is searched for includes, or else beside the first file.
func (h *Headers) find(own, folder string, include []string) string {
	if folder != "" {
		return filepath.Join(folder, Name)
	}
	dir, err := filepath.Abs(own)
	if err == nil {
		top := project.Repository(dir)
		for up := own; ; up, dir = filepath.Join(up, ".."), filepath.Dir(dir) {
			if isFile(filepath.Join(up, Name)) {
				return filepath.Join(up, Name)
			}
			if dir == top || top == "" || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for _, dir := range include {
		if isFile(filepath.Join(dir, Name)) {
			return filepath.Join(dir, Name)
		}
	}
	switch {
	case h.Top != "":
		own = h.Top
	case len(h.asked) > 0:
		return h.asked[0].Path
	}
	return filepath.Join(own, Name)
}

// seenFrom returns the path by which a file in a folder includes the header at a path.
func seenFrom(own, at string, include []string) string {
	if slices.Contains(include, filepath.Dir(at)) {
		return Name
	}
	from, err1 := filepath.Abs(own)
	to, err2 := filepath.Abs(at)
	if relative, err := filepath.Rel(from, to); errors.Join(err1, err2, err) == nil {
		return filepath.ToSlash(relative)
	}
	return Name
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// firstThatIs is a path in the first of some folders where there is such a file, or else in the first folder.
func firstThatIs(path string, folders []string) string {
	for _, dir := range folders {
		if isFile(filepath.Join(dir, path)) {
			return filepath.Join(dir, path)
		}
	}
	return filepath.Join(folders[0], path)
}

// Outdated calls f for each header that is not there, or not of today, until one fails.
func (h *Headers) Outdated(f func(*Header) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.asked {
		if bytes.Equal(o.Before, runtime.Header()) {
			continue
		}
		if err := f(o); err != nil {
			return err
		}
	}
	return nil
}
