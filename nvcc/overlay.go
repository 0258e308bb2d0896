package nvcc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/disk"
)

// overlay is a temporary folder with the request's texts below the same paths as the real ones, so that relative
// includes between them work. Beside each text there are links to what lies beside the real file, so that a header
// that is found there finds the texts and not what they stand for.
type overlay struct {
	made    string            // the folder as disk.TempDir made it
	dir     string            // the same without links in its path
	root    string            // what stands for /
	folders []string          // of the texts, real
	links   map[string]string // names without blanks for folders that nvcc could not pass on
}

func (p *program) overlay() (*overlay, error) {
	made, err := disk.TempDir("", "smux-nvcc-")
	if err != nil {
		return nil, err
	}
	dir := made
	// Messages and dependencies are told apart by this path, so it has to be the real one.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	o := &overlay{made: made, dir: dir, root: filepath.Join(dir, "texts"), links: map[string]string{}}
	for path, text := range p.texts {
		to := o.path(path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, o.failed(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return nil, o.failed(err)
		}
		if folder := filepath.Dir(path); !slices.Contains(o.folders, folder) {
			o.folders = append(o.folders, folder)
		}
	}
	slices.Sort(o.folders)
	for _, folder := range o.folders {
		o.linkNeighbours(folder)
	}
	return o, nil
}

// remove removes the folder.
func (o *overlay) remove() { _ = disk.Remove(o.made) }

// failed removes the folder and returns the reason.
func (o *overlay) failed(err error) error {
	o.remove()
	return err
}

// path returns where a file's text is in the overlay.
func (o *overlay) path(real string) string {
	volume := filepath.VolumeName(real)
	return filepath.Join(o.root, strings.Trim(volume, `:\/`), strings.TrimPrefix(real, volume))
}

// real returns the file that a path of the compiler's stands for: the real one
// of a text, with text true, or what a link of the overlay leads to.
func (o *overlay) real(path string) (real string, text bool) {
	if !strings.HasPrefix(path, o.dir+string(filepath.Separator)) {
		return path, false
	}
	if end, err := filepath.EvalSymlinks(path); err == nil {
		path = end
	} else {
		path = filepath.Clean(path)
	}
	if rest, in := strings.CutPrefix(path, o.root+string(filepath.Separator)); in {
		return string(filepath.Separator) + rest, true
	}
	return path, false
}

// linkNeighbours links what lies in a real folder and has no text. That may fail,
// where links aren't allowed: -iquote finds most of it still.
func (o *overlay) linkNeighbours(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		from := filepath.Join(folder, e.Name())
		_ = os.Symlink(from, o.path(from)) // what is there already, a text or a folder of texts, stays
	}
}

// searchFlags returns the flags by which a unit finds headers: those with a text first, in each folder.
func (p *program) searchFlags(o *overlay) []string {
	var out []string
	for _, folder := range o.folders {
		// The folders of the files are searched for "…" only, as the compiler does
		// for the folder of the including file.
		out = append(out, "-Xcompiler", "-iquote"+o.plain(o.path(folder)), "-Xcompiler", "-iquote"+o.plain(folder))
	}
	for _, dir := range p.includes {
		if covered := o.path(dir); isDir(covered) {
			out = append(out, "-I", o.plain(covered))
		}
		out = append(out, "-I", o.plain(dir))
	}
	return out
}

// plain returns a name for a folder that nvcc can pass on to the host compiler: it splits at commas and blanks.
func (o *overlay) plain(folder string) string {
	if !strings.ContainsAny(folder, " ,\t'\"\\$`;&|<>()*?[]#~!") {
		return folder
	}
	link := filepath.Join(o.dir, fmt.Sprintf("folder%d", len(o.links)))
	if os.Symlink(folder, link) != nil {
		return folder
	}
	o.links[link] = folder
	return link
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
