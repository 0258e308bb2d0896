package nvcc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/process"
)

// depends holds what an answer was made from, beside what its key names.
type depends struct {
	User   []file            // by content
	System []state           // files of the system and of the toolkit, by size and time
	Names  []string          // last parts of the names of all of them, and of what __has_include asks for
	Found  map[string]string // searched folder: hash of the files in it with such a name
}

// file is a file of the program. Text is set if the compiler read the request's text, not the file on disk.
type file struct {
	Path string
	Hash string
	Text bool
}

type state struct {
	Path string
	Size int64
	Time int64 // of the last change, in ns
}

// systemFolders hold what a package manager installs. Files in them are not hashed anew for each answer.
var systemFolders = []string{"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/cuda", "/opt/cuda"}

func isSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

var asksFor = regexp.MustCompile(`__has_include(?:_next)?\s*\(\s*["<]([^">\n]+)[">]`)

// dependencies reads the files that the compiler reports as read for a unit. It returns nil where it reported
// nothing, and an error where a file on disk was read in place of a text that differs.
func (p *program) dependencies(o *overlay, unit, rule string) (*depends, error) {
	text, err := os.ReadFile(rule)
	if err != nil {
		return nil, nil
	}
	d := &depends{Found: map[string]string{}}
	for _, name := range process.Prerequisites(string(text)) {
		if !filepath.IsAbs(name) {
			name = p.cwd + string(filepath.Separator) + name // not cleaned: a/../b is not b where a is a link
		}
		path, over := o.real(name)
		f := file{Path: path, Text: over}
		if slices.ContainsFunc(d.User, func(g file) bool { return g.Path == f.Path && g.Text == f.Text }) {
			continue
		}
		d.Names = append(d.Names, filepath.Base(path))
		text, given := p.given(path)
		if !given && isSystem(path) {
			s, err := stateOf(path)
			if err != nil {
				return nil, nil // it is gone already
			}
			d.System = append(d.System, s)
			continue
		}
		content, err := p.content(path, over)
		if err != nil {
			return nil, nil
		}
		if given && !over && !bytes.Equal(content, text) {
			return nil, fmt.Errorf("compiling %s: a header reads %s from disk, which is not the text given for it; give the header's text, too", unit, path)
		}
		for _, m := range asksFor.FindAllSubmatch(content, -1) {
			d.Names = append(d.Names, filepath.Base(string(m[1])))
		}
		f.Hash = hash(string(content))
		d.User = append(d.User, f)
	}
	slices.Sort(d.Names)
	d.Names = slices.Compact(d.Names)
	for _, dir := range p.searched(o.folders) {
		d.Found[dir] = findings(dir, d.Names)
	}
	return d, nil
}

// given returns the text for a file on disk, under any of its names; ok is false where there is none.
func (p *program) given(path string) (text []byte, ok bool) {
	if text, ok = p.texts[filepath.Clean(path)]; !ok {
		if end, err := filepath.EvalSymlinks(path); err == nil {
			text, ok = p.texts[end]
		}
	}
	return text, ok
}

// content returns what the compiler reads under a path.
func (p *program) content(path string, text bool) ([]byte, error) {
	if text {
		if t, ok := p.texts[path]; ok {
			return t, nil
		}
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(path)
}

// searched returns the folders, other than the system's, in which the compiler looks for headers.
func (p *program) searched(folders []string) []string {
	var out []string
	for _, dir := range slices.Concat(folders, p.includes) {
		if !isSystem(dir+"/") && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// fresh reports whether everything is as it was.
func (d *depends) fresh(p *program) bool {
	for _, s := range d.System {
		if now, err := stateOf(s.Path); err != nil || now != s {
			return false
		}
	}
	for _, f := range d.User {
		content, err := p.content(f.Path, f.Text)
		if err != nil || hash(string(content)) != f.Hash {
			return false
		}
	}
	for dir, found := range d.Found {
		if findings(dir, d.Names) != found {
			return false
		}
	}
	return true
}

// How far findings looks: into this many folders below, at this many entries.
const (
	deepest     = 3
	mostEntries = 4000
)

// findings stands for the files below a folder that have one of the names: if another header comes to be found, it
// changes. In a very large folder only the top is looked at.
func findings(dir string, names []string) string {
	var found []string
	entries := 0
	var walk func(folder string, depth int)
	walk = func(folder string, depth int) {
		list, err := os.ReadDir(folder)
		if err != nil {
			return
		}
		entries += len(list)
		for _, e := range list {
			path := filepath.Join(folder, e.Name())
			switch {
			case e.IsDir():
				if depth < deepest && entries < mostEntries && !strings.HasPrefix(e.Name(), ".") {
					walk(path, depth+1)
				}
			default:
				if _, ok := slices.BinarySearch(names, e.Name()); ok {
					found = append(found, path)
				}
			}
		}
	}
	walk(dir, 0)
	return hash(found...)
}

func stateOf(path string) (state, error) {
	info, err := os.Stat(path)
	if err != nil {
		return state{}, err
	}
	return state{path, info.Size(), info.ModTime().UnixNano()}, nil
}

// hash returns the SHA-256 of strings, kept apart.
func hash(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		fmt.Fprintf(h, "%d:", len(s))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// cacheFormat is part of every key: it changes when what is kept, or how it is made of what the toolkit prints, does.
const cacheFormat = "7"

// What the cache may keep.
const (
	mostBytes = 64 << 20
	oldest    = 60 * 24 * time.Hour
)

// entry is a file of the cache: an answer with what it was made from.
type entry struct {
	Depends *depends
	Answer  *answer
}

// packed returns the entry as a file: the code of a large kernel has tens of thousands of instructions, and the cache is small.
func (e entry) packed() []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_ = gob.NewEncoder(w).Encode(e) // plain data, and a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// unpacked reads what packed wrote.
func unpacked(text []byte) (e entry, err error) {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return e, err
	}
	plain, err := io.ReadAll(r) // which checks the sum at its end, too
	if err != nil {
		return e, err
	}
	err = gob.NewDecoder(bytes.NewReader(plain)).Decode(&e)
	return e, err
}

// key names a unit, its text, the texts of the request that it may include, and
// how it is compiled. The content of all that is read is in the entry, too.
func (t *Toolkit) key(p *program, unit string, d detail) string {
	parts := []string{cacheFormat, t.identity(), p.Arch, strconv.Itoa(int(d)), p.cwd, unit}
	self := p.absolute(unit)
	var paths []string
	for path := range p.texts {
		if path == self || p.included[path] || filepath.Ext(path) != ".cu" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		parts = append(parts, path, p.names[path], string(p.texts[path]))
	}
	for _, list := range [][]string{p.includes, p.Defines, p.flags} {
		parts = append(parts, hash(list...))
	}
	return hash(parts...)[:40]
}

func (t *Toolkit) entryPath(key string) string { return filepath.Join(t.CacheDir, key+".gz") }

// cached returns the answer kept under a key, nil if there is none that holds. A damaged entry counts as none.
func (t *Toolkit) cached(p *program, key string) *answer {
	if t.CacheDir == "" {
		return nil
	}
	text, err := os.ReadFile(t.entryPath(key))
	if err != nil {
		return nil
	}
	e, err := unpacked(text)
	if err != nil || e.Depends == nil || e.Answer == nil || !e.Depends.fresh(p) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(t.entryPath(key), now, now) // for prune
	return e.Answer
}

// keep puts an answer into the cache. It appears there in one step, whole; of
// two writers the last one stays. Where it can't be written, that is reported once.
func (t *Toolkit) keep(p *program, key string, a *answer, d *depends, started time.Time) {
	if t.CacheDir == "" || d == nil || d.changedSince(started) {
		return
	}
	if err := disk.KeepEntry(t.entryPath(key), entry{d, a}.packed()); err != nil {
		t.warn(fmt.Sprintf("what nvcc says is not kept, every call compiles anew: %v", err))
		return
	}
	t.pruned.Do(func() { disk.Prune(t.CacheDir, mostBytes, oldest) })
}

// changedSince reports whether a file on disk was changed since a time: the compiler
// may have read what it was before.
func (d *depends) changedSince(started time.Time) bool {
	for _, f := range d.User {
		if f.Text {
			continue
		}
		if info, err := os.Stat(f.Path); err != nil || !info.ModTime().Before(started) {
			return true
		}
	}
	return false
}
