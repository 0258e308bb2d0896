package nvcc

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// cacheFormat is part of every key: it changes when what is kept, or how it is
// made of what the toolkit prints, does.
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

// cached returns the answer kept under a key, nil if there is none that holds.
// A damaged entry counts as none.
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
