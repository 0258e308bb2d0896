package disk

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// ours are the names that TempDir and TempBeside give.
var ours = regexp.MustCompile(`^(\.?smux-[a-z]+-[0-9]+|\..+\.smux-[0-9a-f]{8})\.(tmp|new)$`)

// A journal says that files beside it are still needed: see record.
const journalEnd = ".journal"

// young is the age below which a ".new" may not be locked yet although its process lives.
const young = time.Minute

// swept are the folders that this process has looked through.
var swept sync.Map

// sweep removes from a folder, once, what dead processes left there.
func sweep(dir string) {
	if _, before := swept.LoadOrStore(dir, true); before || !LocksWork {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	needed := slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), ".smux-") && strings.HasSuffix(e.Name(), journalEnd)
	})
	for _, e := range entries {
		if !ours.MatchString(e.Name()) || needed && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() || strings.HasSuffix(e.Name(), making) && time.Since(info.ModTime()) < young {
			continue
		}
		removeIfLeft(filepath.Join(dir, e.Name()))
	}
}

// removeIfLeft removes a folder that no process holds.
func removeIfLeft(path string) {
	f, err := os.Open(path) // somebody else's can't be opened, and stays
	if err != nil {
		return
	}
	defer f.Close()
	if Lock(f, true, false) == nil {
		_ = os.RemoveAll(path)
	}
}
