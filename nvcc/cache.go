package nvcc

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// cacheFormat is part of every key: it changes when what is kept, or how it is
// made of what the toolkit prints, does.
const cacheFormat = "6"

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

// key names a unit, its text, the texts of the request that it may include, and
// how it is compiled. The content of all that is read is in the entry, too.
func (t *Toolkit) key(p *program, unit string, d detail) string {
	holds := [...]string{resources: "false", lines: "true", machine: "code"} // the first two are those of entries that are there already
	parts := []string{cacheFormat, t.identity(), p.Arch, holds[d], p.cwd, unit}
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

func (t *Toolkit) entryPath(key string) string { return filepath.Join(t.CacheDir, key+".json") }

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
	var e entry
	if json.Unmarshal(text, &e) != nil || e.Depends == nil || e.Answer == nil || !e.Depends.fresh(p) {
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
	text, err := json.Marshal(entry{d, a})
	if err != nil {
		return
	}
	if err := disk.KeepEntry(t.entryPath(key), text); err != nil {
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
