package cmd

import (
	"os"
	"path/filepath"
	"strings"
)

// diffName is the name of a file in a diff's header: its path relative to the
// root of the git repository that holds it, else to the working directory,
// else (a file outside of both) to the root of the file system. `git apply`
// run from there finds the file.
func diffName(name string) string {
	if name == stdinName {
		return "stdin"
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	bases := []string{repositoryRoot(filepath.Dir(abs))}
	if wd, err := os.Getwd(); err == nil {
		bases = append(bases, wd)
	}
	for _, base := range bases {
		if base == "" {
			continue
		}
		rel, err := filepath.Rel(base, abs)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return strings.TrimPrefix(filepath.ToSlash(abs[len(filepath.VolumeName(abs)):]), "/")
}

// repositoryRoot returns the nearest folder from dir upwards that holds .git
// (a folder, or a file in a worktree or submodule), or "".
func repositoryRoot(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
