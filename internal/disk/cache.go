package disk

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// KeepEntry writes an entry of a cache. It appears in one step, whole; of two writers the last one
// stays, and a crash of the machine may lose it.
func KeepEntry(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temp, f, err := TempBeside(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		Remove(temp)
		return err
	}
	return Released(temp)
}

// Prune removes entries of a cache, files named .json or .gz, that were not used for long, and the longest unused of what
// is too much.
func Prune(dir string, mostBytes int64, oldest time.Duration) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var kept []os.FileInfo
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if ext := filepath.Ext(e.Name()); ext == ".json" || ext == ".gz" {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var total int64
	for _, info := range kept {
		total += info.Size()
		if total > mostBytes || time.Since(info.ModTime()) > oldest {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}
