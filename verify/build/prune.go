package build

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// What the cache may keep. A toolchain's folder is some hundred megabytes of
// precompiled headers; a program's is one or two.
const (
	mostToolchains   = 3
	mostProgramBytes = 512 << 20
	oldest           = 30 * 24 * time.Hour
)

const toolchainPrefix = "verify-"

// kept is an entry of a store with the time of its last use.
type kept struct {
	name string
	used time.Time
}

// byUse lists the entries of a store, the last used first. mark is the file in
// an entry whose time is that of its last use.
func (s store) byUse(prefix, mark string) []kept {
	entries, _ := os.ReadDir(s.dir)
	var out []kept
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || strings.Contains(e.Name(), ".new-") || strings.Contains(e.Name(), ".old-") {
			continue
		}
		k := kept{name: e.Name()}
		if info, err := os.Stat(filepath.Join(s.dir, e.Name(), mark)); err == nil {
			k.used = info.ModTime()
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b kept) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.name, b.name)) })
	return out
}

// pruneToolchains removes toolchains that were not used for long, or that are more than may be kept. One that a
// living process uses stays: that process holds its lock.
func pruneToolchains(cache, current string) {
	s := store{cache}
	s.sweep()
	for i, k := range s.byUse(toolchainPrefix, usedMark) {
		old := time.Since(k.used)
		if k.name == current || i < mostToolchains && old < oldest {
			continue
		}
		if !disk.LocksWork && old < 24*time.Hour {
			continue
		}
		path := filepath.Join(cache, k.name+".lock")
		held, err := lockFile(path, true, false)
		if err != nil {
			continue
		}
		s.remove(k.name)
		os.Remove(path)
		held.Close()
	}
}

// prunePrograms removes compiled programs that were not used for long, and the longest unused of what is too much.
// Programs are linked or copied out of the cache before they run, so that removing one harms nobody.
func prunePrograms(s store) {
	s.sweep()
	var total int64
	for _, k := range s.byUse("", usedMark) {
		total += size(filepath.Join(s.dir, k.name))
		if total > mostProgramBytes || time.Since(k.used) > oldest {
			s.remove(k.name)
			os.Remove(filepath.Join(s.dir, k.name+".lock"))
		}
	}
}

// usedMark is the file in an entry whose time of change is that of its last use.
const usedMark = "used"

func markUsed(dir string) {
	now := time.Now()
	path := filepath.Join(dir, usedMark)
	if os.Chtimes(path, now, now) != nil {
		_ = os.WriteFile(path, nil, 0o644)
	}
}
